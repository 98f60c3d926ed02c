"""The ways into a class: Share opens one, Home takes a key."""

from typing import Final

import streamlit as st

from pages._shared.components.loader import component
from pages._shared.core.text import escape_markdown
from pages._shared.rooms.room import KEY_LETTERS
from pages._shared.session import address

TEACHES: Final = "_class_teaches"  # in the session: whether its browser has said that it has the teacher's secret
PRIVATE: Final = (
    "No names and no addresses are kept, only counts, and nothing on a disk. All is gone when the class ends, after "
    "12 hours at most."
)
_START: Final = "_class_start"
TYPED: Final = "_class_typed"  # in the session, on Home: the key in the field
_REFUSED: Final = "_class_refused"  # in the session: why what was typed cannot be a key

_start = component("live_class/start.js")


def draw_start() -> None:
    """The button that opens a class, with what a class is; nothing while there is one."""
    if address.room():
        return
    with st.expander("Start a class", icon=":material/groups:"):
        st.markdown(
            "Students come in by a QR code or a key of five letters. You ask, they vote on their phones, talk, and "
            f"vote again; then the answer is measured. They can follow you to any page and setting. {PRIVATE}"
        )
        _start(data={"label": "Start a class"}, key=_START, height="content", on_opened_change=_opened)


def _opened() -> None:
    key = st.session_state[_START].opened
    if isinstance(key, str) and not address.join(key):
        st.session_state[TEACHES] = True
    st.rerun()  # the class stands outside of what answers


def draw_join() -> None:
    """On Home: where a student types a key, and is told if it is none; nothing where a link led into a class."""
    if address.room() and not st.session_state.get(TYPED):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="class_join"):
        st.text_input(
            "Key of your class", key=TYPED, max_chars=KEY_LETTERS, placeholder="Key of your class", width=220,
            on_change=_join, autocomplete="off", label_visibility="collapsed",
        )  # fmt: skip
        st.button("Join", key="_class_join", on_click=_join)
        if refused := st.session_state.get(_REFUSED):
            st.error(refused)


def refuse(sentence: str) -> None:
    """Say at the field on Home why there is no such class.

    Args:
        sentence: Why, as text.
    """
    st.session_state[_REFUSED] = escape_markdown(sentence, 200)


def _join() -> None:
    typed = st.session_state.get(TYPED, "")
    st.session_state[_REFUSED] = address.join(typed) if typed else ""
