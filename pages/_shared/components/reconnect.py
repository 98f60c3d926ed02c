"""A page that has lost its server and found one again runs once more, by itself.

Streamlit's page connects again but waits for the next move. Where another replica or a new process answers, that move
finds a session that knows no widget yet, and a press on a button is lost. So the page asks for a run at once: a new
session draws it from the link and the widgets' values, and an old one, after a short gap in the network, as it was.
"""

from pages._shared.components.loader import component

_watch = component("watch_connection.js")


def watch_connection() -> None:
    """Draw nothing, and watch the connection."""
    _watch(key="_connection", height="content", on_back_change=lambda: None)
