"""The field for a class's questions: on the tab Share, and in a step of a course."""

from typing import Any

import streamlit as st

from pages._shared.core.text import escape_markdown
from pages._shared.lessons.questions import HINT, LONGEST, parse
from attention_core.language import gettext as _


def question_field(text: str, key: str, *, asks: bool, **options: Any) -> str:
    """Draw the field, beside it how questions are written, below it what is wrong with the first that cannot be.

    Args:
        text: What it begins with.
        key: The widget's key.
        asks: Whether the page has a question of its own.
        options: More for ``st.text_area``.

    Returns:
        The text as it is now.
    """
    box, beside = st.columns([3, 2])
    sent: object = box.text_area(
        _("Questions for a class"), text, max_chars=LONGEST, height=160, key=key,
        placeholder=_("Who is asked most?\n* The first word\nThe last one\n\nHow many weights are 0?\n= 6 ± 1"),
        **options,
    )  # fmt: skip
    beside.caption(str(HINT))
    text = sent[:LONGEST] if isinstance(sent, str) else ""
    if error := parse(text, asks=asks)[1]:
        st.error(escape_markdown(error, len(error)))
    return text
