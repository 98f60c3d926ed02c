"""The field in which questions for a class are written in advance."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages._shared.core.text import escape_markdown
from pages._shared.lessons.questions import HINT, LONGEST, Prepared, parse, written


def draw_field(
    questions: Sequence[Prepared],
    key: str,
    *,
    asks: bool,
    on_change: Callable[[tuple[Prepared, ...]], None] = lambda _: None,
) -> tuple[Prepared, ...]:
    """Draw the field, and below it what is wrong with the first question that cannot be asked.

    Returns:
        What can be asked.
    """

    def take() -> None:
        on_change(_read(st.session_state.get(key), asks)[0])

    lines = st.text_area(
        "Questions for a class", written(questions), max_chars=LONGEST, height=120, key=key, on_change=take,
        help=HINT, placeholder="Who is asked most?\n* The first word\nThe last one",
    )  # fmt: skip
    found, wrong = _read(lines, asks)
    if wrong:
        st.error(escape_markdown(wrong, len(wrong)))
    return found


def _read(lines: object, asks: bool) -> tuple[tuple[Prepared, ...], str]:
    found, wrong = parse(lines[:LONGEST] if isinstance(lines, str) else "", asks=asks)
    return tuple(found), wrong
