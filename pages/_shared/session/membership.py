"""The class that a session is in: entered by a key or a link, kept on every page, and left."""

import streamlit as st

from pages._shared.class_rooms.room import is_key
from pages._shared.core import log
from pages._shared.core.session_keys import CLASS, SECRET, TICKET
from pages._shared.core.text import escape_markdown
from pages._shared.session import way_in
from attention_core.language import gettext as _


def join(given: str, secret: str = "") -> str:
    """Enter a class, and stay in it on every page.

    Args:
        given: Its key, with a ticket or without, or a link that holds them.
        secret: The teacher's, where a link held it in a part that is sent.

    Returns:
        Why there is no key in it; empty where there is.
    """
    state, found = st.session_state, way_in.read(given)
    if not is_key(found.key):
        log.refused("the class", "a key that cannot be one")
        shown = way_in.quotable(given)
        if given and not shown:
            return _("This is not a class key: a key has five letters, all consonants.")
        return _("“{key}” is not a class key: a key has five letters, all consonants.", key=escape_markdown(shown))
    if found.key != state.get(CLASS):
        leave_class()
    state[CLASS] = found.key
    if found.ticket:
        state[TICKET] = found.ticket
    if secret := secret or found.secret:
        state[SECRET] = secret
    return ""


def room() -> str:
    """The key of the class this session is in; empty if it is in none."""
    return st.session_state.get(CLASS, "")


def class_link() -> str:
    """What a link holds of the class: its key, and its ticket where that is known."""
    return way_in.write(room(), st.session_state.get(TICKET, ""))


def leave_class() -> None:
    """Leave the class."""
    for name in (CLASS, TICKET, SECRET):
        st.session_state.pop(name, None)
