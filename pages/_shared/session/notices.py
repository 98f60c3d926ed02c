"""Sentences about what a link asked for, or a browser sent, in vain: each is said once, in a box beside the page."""

import streamlit as st

from pages._shared.core.session_keys import NOTICES


def add(sentence: str) -> None:
    """Have the page say ``sentence``, once, in a box beside it."""
    st.session_state.setdefault(NOTICES, []).append(sentence)


def pop() -> list[str]:
    """What is to be said now."""
    return st.session_state.pop(NOTICES, [])
