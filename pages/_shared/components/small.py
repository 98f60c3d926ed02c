"""Small components for what only the browser can do: copying, PNG, a presenter's remote, navigation."""

from collections.abc import Callable

import streamlit as st

from pages._shared.components.loader import component

_button = component("small/button.js")
_png = component("small/png.js")
_remote = component("small/slide_keys.js")
_navigation = component("small/navigation.js")
_watch = component("small/watch_connection.js")


def copy_button(label: str, text: str, *, key: str) -> None:
    """Draw a button that copies ``text``, over plain http too."""
    _button(data={"label": label, "text": text}, key=key, width="content", height="content")


@st.fragment
def png_button(label: str, make: Callable[[], str], *, filename: str, key: str) -> None:
    """Draw a button that saves a picture as PNG; its SVG is made when pressed, and drawn in the browser.

    Args:
        label: What it says.
        make: Makes the SVG.
        filename: Of the PNG, without its ending.
        key: Its key.
    """
    pressed = f"{key}:pressed"

    def press() -> None:
        number = getattr(st.session_state.get(key), "pressed", None)
        if type(number) is int:  # a forged message may hold anything
            st.session_state[pressed] = number

    number = st.session_state.pop(pressed, None)
    data = {"label": label, "filename": filename, "pressed": number, "svg": "" if number is None else make()}
    _png(data=data, key=key, on_pressed_change=press, width="content", height="content")


def remote() -> None:
    """Have PageUp and PageDown press the buttons ``_remote_PageUp`` and ``_remote_PageDown``; nothing is drawn."""
    _remote(key="_remote", height="content", width="content")


def attend_navigation() -> None:
    """Tidy up after navigation: the browser's history, and a phone's sidebar; nothing is drawn."""
    _navigation(key="_navigation", height="content")


def watch_connection() -> None:
    """Rerun a page that has lost its server and found one again; nothing is drawn.

    Streamlit's page connects again but waits for the next move. Where another replica or a new process answers, that
    move finds a session that knows no widget yet, and a press on a button is lost. So the page asks for a run at
    once: a new session draws it from the link and the widgets' values, an old one, after a short gap, as it was.
    """
    _watch(key="_connection", height="content", on_back_change=lambda: None)
