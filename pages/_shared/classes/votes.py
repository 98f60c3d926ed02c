"""At the end of a course: what the session's class voted, beside what was measured."""

from pages._shared.components.loader import component
from pages._shared.core.visitor_state import class_state
from pages._shared.session import membership

_votes = component("live_class/votes.js")


def draw_votes() -> None:
    """Draw each question whose answer is out; nothing outside of a class."""
    if key := membership.room():
        _votes(key="_class_votes", height="content", data={"room": key, "ticket": class_state().ticket})
