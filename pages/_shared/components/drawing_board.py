"""The drawing board: a small picture drawn by hand, by finger, or pixel by pixel with keys.

The board is controlled, as the token board is: every run it shows ``pixels``. A finished stroke sends one picture;
``on_change`` gets it once it has been checked, and what the caller then passes is what the board shows next.
"""

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from pages._shared.components.loader import COLOURS, component
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.settings import Setting

_board: Final = component("drawing_board/board.js")


def drawing_board(
    pixels: str, *, key: str, declared: Setting, label: str, on_change: Callable[[str], None] | None = None
) -> None:
    """Show ``pixels`` and call ``on_change`` with every picture that is drawn, checked.

    Args:
        pixels: A digit from 0, paper, to f, ink, for each of 16 × 16 pixels, row by row.
        key: The component's key; ``{key}_refused`` in session state holds the sentence about a refused message.
        declared: The declaration by which a picture is checked.
        label: What the board is called.
        on_change: Gets the picture before the next run. None locks the board: what is sent all the same is ignored.
    """
    serial, _ = _unpack(st.session_state.get(key))
    _board(
        key=key,
        data={
            "greys": [int(digit, 16) for digit in pixels],
            "label": label,
            "locked": on_change is None,
            "answered": serial,
            "refused": st.session_state.get(f"{key}_refused", ""),
            "colours": COLOURS,
        },
        on_sent_change=lambda: _drawn(key, declared, on_change),
    )


def _drawn(key: str, declared: Setting, on_change: Callable[[str], None] | None) -> None:
    """Pass a picture on; keep the sentence about what is none."""
    if on_change is None:
        return
    _, value = _unpack(st.session_state.get(key))
    try:
        declared.check("pixels", value)
    except ConfigError as refusal:
        st.session_state[f"{key}_refused"] = str(refusal)
        return
    st.session_state[f"{key}_refused"] = ""
    on_change(str(value))


def _unpack(state: object) -> tuple[int, object]:
    """The number of the last message and the picture in it: the same picture twice is two messages."""
    sent = state.get("sent") if isinstance(state, Mapping) else None
    if not isinstance(sent, dict):
        return 0, None
    serial = sent.get("serial")
    return serial if type(serial) is int else 0, sent.get("pixels")
