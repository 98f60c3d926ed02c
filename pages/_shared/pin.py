"""A picture that is pinned stays beside the one that moves."""

from typing import Any

import streamlit as st

from pages._shared.buttons import page_button
from pages._shared.run import last_good_config


def pinned(page: str) -> Any:
    """The config of the pinned picture; None if there is none."""
    return st.session_state.get(_key(page))


def draw_pin(page: str) -> None:
    """Draw the button that pins the picture as it is, or takes the pinned one away."""
    page_button(page, "Pin" if pinned(page) is None else "Unpin", "pin", _pin, page)


def _pin(page: str) -> None:
    st.session_state[_key(page)] = None if pinned(page) else last_good_config(page)


def _key(page: str) -> str:
    return f"_{page}_pinned"
