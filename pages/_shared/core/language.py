"""The language that a visitor reads: chosen in the sidebar or by a link, else the browser's."""

from pathlib import Path
from typing import Final

import streamlit as st

from pages._shared.core.compat import in_visitors_run
from pages._shared.core.session_keys import LANGUAGE, NOTICES, SETTINGS
from attention_core import language

SETTING: Final = "lang"  # the setting that chooses it, in the link and in the session


def decide() -> str:
    """Have all that follows worded in the visitor's language, and return it."""
    state = st.session_state
    begins = LANGUAGE not in state
    # A session begins before its settings are read.
    chosen = state[SETTINGS].get(SETTING) if SETTINGS in state else st.query_params.get(SETTING)
    wanted = (chosen, st.context.locale)
    tag = next(filter(language.known, wanted), None)
    state[LANGUAGE] = language.known(tag) or language.ENGLISH
    language.choose(state[LANGUAGE])
    if begins and language.is_traditional(tag):
        said = language.gettext("The Chinese of this app is written in simplified characters.")
        state.setdefault(NOTICES, []).append(said)
    return state[LANGUAGE]


def carried() -> dict[str, str]:
    """What a link to something that a visitor has written holds of its language: the one that was chosen, if any."""
    chosen = st.session_state.get(SETTINGS, {}).get(SETTING)
    return {SETTING: chosen} if chosen else {}


def worded_key(key: str) -> str:
    """The key of a widget with options: another in each language, for a browser sends the words that it was shown."""
    spoken = language.current()
    return key if spoken == language.ENGLISH else f"{key}_{spoken}"


def _known() -> str | None:
    """The language of the session whose run this thread draws: a fragment's run does not begin with ``decide``."""
    return st.session_state.get(LANGUAGE) if in_visitors_run() else None


language.add_catalogues(Path(__file__).parents[1] / "locale")
language.ask(_known)
