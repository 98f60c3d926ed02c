"""The keys of widgets that the server sets: a widget that the browser knows is never assigned to.

A message holds the values of all widgets. One that was sent before the browser had drawn what the server has set
still holds what was there before, which Streamlit takes for a move. So a widget that is to show another value than
the browser shows is another widget, under another key, and nobody listens to the one before it. One that is no longer
drawn still stands in such a message, too: Streamlit has forgotten it, and takes what it says for a move.
"""

from collections.abc import Callable
from operator import eq
from typing import Any

import streamlit as st

from pages._shared.core.language import worded_key
from pages._shared.core.visitor_state import visit_state


def widget_key(name: str) -> str:
    """The current key of a widget; another in each language, for a browser sends the words that it was shown.

    Args:
        name: What the widget is called, whatever it shows.
    """
    turn = visit_state().widget_turns.get(name, 0)
    return f"{worded_key(name)}~{turn}" if turn else worded_key(name)


def key_to_show(name: str, value: Any, same: Callable[[Any, Any], bool] = eq) -> str:
    """The key under which a widget that is about to be drawn shows a value.

    Args:
        name: What the widget is called.
        value: What it is to show.
        same: Whether what the browser shows means this value, so that it may stay as it is.
    """
    state, key, shows = st.session_state, widget_key(name), visit_state().widgets_show
    # A browser may show still what has not been drawn for a while.
    shown = state.get(key, shows.get(name, value))
    if not same(shown, value):
        renew(name)
        key = widget_key(name)
    if key not in state:
        state[key] = value
    shows[name] = state[key]
    return key


def is_move(name: str, key: str) -> bool:
    """Whether a widget of ``key_to_show`` was moved, and not only said anew what it shows; asked once by a callback.

    Args:
        name: What the widget is called.
        key: The key under which it was drawn.
    """
    sent, shows = st.session_state.get(key), visit_state().widgets_show
    if key != widget_key(name) or (name in shows and shows[name] == sent):
        return False
    shows[name] = sent
    return True


def renew(name: str) -> None:
    """Replace the widget by another, which begins as it is declared."""
    turns = visit_state().widget_turns
    turns[name] = turns.get(name, 0) + 1
