"""What only the browser can serve: copying, saving pictures, a presenter's remote, the way between pages, paper."""

from pages._shared.components.loader import component

_button = component("small/button.js")
_remote = component("small/slide_keys.js")
_navigation = component("small/navigation.js")
_watch = component("small/watch_connection.js")


def copy_button(label: str, text: str, *, key: str) -> None:
    """A button that copies ``text``, over plain http too."""
    _draw(key, {"label": label, "text": text, "save": None})


def save_picture_button(label: str, *, image_format: str, filename: str, key: str) -> None:
    """A button that saves the page's picture as ``png``, ``svg`` or ``html``."""
    _draw(key, {"label": label, "text": "", "save": {"format": image_format, "filename": filename}})


def remote() -> None:
    """Draw nothing, and have PageUp and PageDown press the buttons ``_remote_PageUp`` and ``_remote_PageDown``."""
    _remote(key="_remote", height="content", width="content")


def attend_navigation() -> None:
    """Draw nothing, and see to the way from page to page: what the history holds, and a phone's sidebar."""
    _navigation(key="_navigation", height="content")


def watch_connection() -> None:
    """Draw nothing, and have a page that has lost its server and found one again run once more, by itself.

    Streamlit's page connects again but waits for the next move. Where another replica or a new process answers, that
    move finds a session that knows no widget yet, and a press on a button is lost. So the page asks for a run at
    once: a new session draws it from the link and the widgets' values, an old one, after a short gap, as it was.
    """
    _watch(key="_connection", height="content", on_back_change=lambda: None)


def _draw(key: str, data: dict[str, object]) -> None:
    _button(data=data, key=key, width="content", height="content")
