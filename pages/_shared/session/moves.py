"""What of a browser's message is a move, and what it only repeats of a widget that the server has set meanwhile.

A message holds the values of all widgets. One that was sent before the browser had drawn what the server has set
still holds what was there before. Streamlit takes that for a move and calls the widget's callback, which would undo
what was set: of a preset pressed right after another, or of *Reset*. But a message is sent because of one move, so
what comes beside another widget's move, and is what the server has replaced, is no move.
"""

from typing import Any

import streamlit as st

from pages._shared.core.session_keys import SHOWN

KEPT = 3  # values of a widget that a browser may still repeat: so many runs it may be behind


def show(key: str, value: Any) -> None:
    """Have a widget show a value; called before the widget is drawn."""
    shown = st.session_state.setdefault(SHOWN, {})
    now, *replaced = shown.get(key, (value,))
    shown[key] = (value, now, *replaced)[: 1 + KEPT] if now != value else (now, *replaced)
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def is_move(key: str) -> bool:
    """Whether what came for a widget is a move, and not only repeated; for the widget's callback."""
    shown = st.session_state.setdefault(SHOWN, {})
    now, *replaced = shown.get(key, (None,))
    sent = st.session_state.get(key)
    if key in shown and (
        sent == now or (sent in replaced and any(_differs(other) for other in shown if other != key))
    ):
        return False
    shown[key] = (sent,)
    return True


def correct() -> None:
    """Let no widget say what it only repeats, and forget what none can repeat any more; for callbacks that set some.

    A callback that is called later for the same message then finds what the server has set.
    """
    shown = st.session_state.setdefault(SHOWN, {})
    for key, (now, *replaced) in list(shown.items()):
        if key not in st.session_state:
            del shown[key]  # it is drawn no more
        elif (sent := st.session_state[key]) == now:
            shown[key] = (now,)
        elif sent in replaced:
            st.session_state[key] = now


def _differs(key: str) -> bool:
    return key in st.session_state and st.session_state[key] != st.session_state[SHOWN][key][0]
