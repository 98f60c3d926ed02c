"""The keys of widgets that the server sets: a widget that the browser knows is never assigned to.

A message holds the values of all widgets. One that was sent before the browser had drawn what the server has set
still holds what was there before, which Streamlit takes for a move. So a widget that is to show another value than
the browser shows is another widget, under another key, and nobody listens to the one before it.
"""

from collections.abc import Callable
from operator import eq
from typing import Any

import streamlit as st

from pages._shared.core.language import worded_key
from pages._shared.core.session_keys import WIDGET_TURNS


def widget_key(name: str) -> str:
    """The key that a widget has now; another in each language, for a browser sends the words that it was shown.

    Args:
        name: What the widget is called, whatever it shows.
    """
    turn = st.session_state.get(WIDGET_TURNS, {}).get(name, 0)
    return f"{worded_key(name)}~{turn}" if turn else worded_key(name)


def key_to_show(name: str, value: Any, same: Callable[[Any, Any], bool] = eq) -> str:
    """The key under which a widget that is about to be drawn shows a value.

    Args:
        name: What the widget is called.
        value: What it is to show.
        same: Whether what the browser shows means this value, so that it may stay as it is.
    """
    state, key = st.session_state, widget_key(name)
    if key in state and not same(state[key], value):
        renew(name)
        key = widget_key(name)
    if key not in state:
        state[key] = value
    return key


def renew(name: str) -> None:
    """Have the widget be another one from now on, which begins as it is declared."""
    turns = st.session_state.setdefault(WIDGET_TURNS, {})
    turns[name] = turns.get(name, 0) + 1
