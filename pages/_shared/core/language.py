"""The language that a visitor reads: chosen in the sidebar or by a link, else the browser's."""

from pathlib import Path
from typing import Final

import streamlit as st

from pages._shared.core.compat import in_visitors_run
from pages._shared.core.visitor_state import visit_state
from attention_core import language

SETTING: Final = "lang"  # the setting that chooses it, in the link and in the session


def decide() -> str:
    """Choose the visitor's language for all that follows, and return it."""
    visit = visit_state()
    is_first = visit.language is None
    # A session begins before its settings are read.
    chosen = st.query_params.get(SETTING) if visit.page is None else visit.settings.get(SETTING)
    tag = next(filter(language.known, (chosen, st.context.locale)), None)
    visit.language = language.known(tag) or language.ENGLISH
    language.choose(visit.language)
    if is_first and language.is_traditional(tag):
        visit.notices.append(language.gettext("The Chinese of this app is written in simplified characters."))
    return visit.language


def carried() -> dict[str, str]:
    """The language parameter of a link to something a visitor wrote: the chosen language, if any."""
    chosen = visit_state().settings.get(SETTING)
    return {SETTING: chosen} if chosen else {}


def worded_key(key: str) -> str:
    """A widget's key for the current language, for a browser sends the words that it was shown."""
    spoken = language.current()
    return key if spoken == language.ENGLISH else f"{key}_{spoken}"


def _known() -> str | None:
    """The language of the session whose run this thread draws: a fragment's run does not begin with ``decide``."""
    return visit_state().language if in_visitors_run() else None


language.add_catalogues(Path(__file__).parents[1] / "locale")
language.ask(_known)
