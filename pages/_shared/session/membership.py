"""The session's class: entered by a key or a link, kept on every page, and left."""

from pages._shared.class_rooms.room import is_key
from pages._shared.core import log
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import ClassTest, class_state
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
    state, way = class_state(), way_in.read(given)
    if not is_key(way.key):
        log.refused("the class", "a key that cannot be one")
        shown = way_in.quotable(given)
        if given and not shown:
            return _("This is not a class key: a key has five letters, all consonants.")
        return _("“{key}” is not a class key: a key has five letters, all consonants.", key=escape_markdown(shown))
    if way.key != state.key:
        leave_class()
    state.key = way.key
    state.ticket = way.ticket or state.ticket
    state.secret = secret or way.secret or state.secret
    return ""


def room() -> str:
    """The key of the session's class; empty outside of one."""
    return class_state().key


def class_link() -> str:
    """The class as a link holds it: its key, and its ticket where that is known."""
    return way_in.write(room(), class_state().ticket)


def leave_class() -> None:
    """Leave the class."""
    state = class_state()
    state.key = state.ticket = state.secret = ""
    state.test = ClassTest()
