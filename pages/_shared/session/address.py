"""The address is the state: it is read where somebody arrives by it, and follows every move.

Settings live in the session (``settings.py``), so they survive a page switch. The address is written from them, all
at once and so as one step of the browser's history. It is read when a session starts, when a link inside the app or a
visit leads to a page with settings, and when the browser goes back or forward.
"""

from collections.abc import Mapping
from time import monotonic
from typing import Final
from urllib.parse import urlencode

import streamlit as st

from pages._shared.core import incoming, log
from pages._shared.core.compat import is_history_navigation
from pages._shared.core.network import app_address
from pages._shared.core.pages import HOME, target
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import Way, visit_state
from pages._shared.lessons.course import Course
from pages._shared.lessons.lesson import Lesson
from pages._shared.session import course_position, membership, notices
from attention_core.language import gettext as _

PERSONAL: Final = ("present", "device", "lang")  # settings that are a visitor's own: no link, step or call moves them
CLASS_PARAMETER: Final = "class"
_CONTEXT: Final = (CLASS_PARAMETER, incoming.TEACHER, *course_position.PARAMETERS)
SETTLED_S: Final = 15.0  # after a page began to be drawn, while a message of the page before may wait for that
_MOST_REMARKS = 5


def read(page: str) -> None:
    """Look at the address before anything is drawn: enter its class and course, decide whether it is to be read."""
    state, parameters = visit_state(), _address()
    before, visited = state.page, _is_visited(page)
    if before is None:
        log.started(page)
    by_link = bool(before != page and parameters) or is_history_navigation()
    reads = before is None or visited or (by_link and not _is_detour(page, parameters))
    state.reads, state.arrived, state.page = reads, before != page, page
    state.from_others = before is None or visited
    if not reads:
        return
    key = parameters.get(CLASS_PARAMETER)
    if key is not None and (sentence := membership.join(key, parameters.get(incoming.TEACHER, ""))):
        notices.add(sentence)
    begins, remarks = course_position.read(parameters)
    for sentence in remarks[:_MOST_REMARKS]:
        notices.add(sentence)
    if remarks:
        log.refused(page, "a part of a course")
    if len(remarks) > _MOST_REMARKS:
        notices.add(_("And {count} more of this kind.", count=len(remarks) - _MOST_REMARKS))
    if begins:
        visit_step(0)


def visit(page: str, parameters: Mapping[str, str]) -> None:
    """Go to a page as if by a link with ``parameters``; what comes after this call does not run.

    The class, the course and what is a visitor's own stay.
    """
    here = _address()
    personal = {name: text for name, text in here.items() if name in PERSONAL}
    to = page, {**shareable(parameters), **personal, **_context()}
    visit_state().way = Way((visit_state().page or HOME.name, here), to)
    _go(*to)


def _go(page: str, parameters: dict[str, str]) -> None:
    st.switch_page(target(page), query_params=parameters)


def _is_visited(page: str) -> bool:
    """Whether a visit leads here; if a message of the page that it left came in between, it is gone once more.

    The browser sends such a message, as of a board that shuffles itself, before it has heard of the visit: Streamlit
    then goes on with the page and the address that the message names. In a class that is any address which names the
    class, for the page that was left may have written another meanwhile; a link inside the app does not name it. Who
    comes back by the menu brings no settings, and who comes back by the browser's history is known.
    """
    state = visit_state()
    way, here = state.way, (page, _address())
    if way is None:
        return False
    arrives = way.arrived is None
    may_be_late = arrives or monotonic() - (way.arrived or 0.0) <= SETTLED_S
    led_to = way.to[0], incoming.parameters(way.to[1])
    in_class = page == way.left[0] != way.to[0] and CLASS_PARAMETER in here[1]
    is_left = in_class or (here == way.left != led_to and bool(here[1]))
    if may_be_late and is_left and not is_history_navigation():
        way.arrived = None
        settings = {name: text for name, text in way.to[1].items() if name not in _CONTEXT}
        way.to = way.to[0], settings | _context()  # the message may have moved the course, as to its end
        _go(*way.to)
    if page != way.to[0]:
        state.way = None
        return False
    way.arrived = monotonic() if arrives else way.arrived
    return arrives


def visit_step(index: int, fresh: bool = False) -> None:
    """Go to a step of the course; past the last is the end, which stands on the page of the visitor.

    Args:
        index: The step, counted from 0.
        fresh: Whether it begins anew, where something was predicted at it already.
    """
    course_position.move_to(index)
    step = course_position.current_step()
    if step is not None:
        visit(step.page, step.settings if fresh else course_position.query_of_step())


def visit_course(course: Course, index: int = 0) -> None:
    """Begin a course, at its first step or another; see ``visit_step``."""
    course_position.enter(course)
    visit_step(index)


def _address() -> dict[str, str]:
    return incoming.parameters(st.query_params.to_dict())


def query() -> dict[str, str] | None:
    """The address's parameters, if this run is to read them, else None."""
    return _address() if visit_state().reads else None


def _is_detour(page: str, parameters: Mapping[str, str]) -> bool:
    """Whether the address holds settings of another page.

    When the menu leads to a page with settings, Streamlit writes them to the address while that still names the page
    left behind, and then the page: a step of the history for each. Back to the first leads to the page left behind,
    whose settings are as they were.
    """
    return any("_" in key and not key.startswith(f"{page}_") for key in parameters)


def is_from_others() -> bool:
    """Whether the address was made by somebody who may read another language, and not a moment ago by this app."""
    return visit_state().from_others


def arrived() -> bool:
    """Whether this run is the first on its page since another page, or since the session began."""
    return visit_state().arrived


def last_query(page: str) -> dict[str, str]:
    """The parameters that a page was last looked at with: a way back to its settings."""
    return visit_state().queries.get(page, {})


def report_unknown(page: str, known: frozenset[str]) -> None:
    """Report parameters of the address, and settings that a lesson fixes, that the page does not know."""
    parameters, lesson_here = query(), lesson()
    if parameters is None:
        return
    for key in sorted({*parameters, *(lesson_here.fixed if lesson_here else ())} - known - {*_CONTEXT}):
        log.refused(page, "an unknown setting in the link")
        who = source_name(_("The link"))
        notices.add(
            _(
                "{who} holds “{key}”, which this page does not know; it is left out.",
                who=who,
                key=escape_markdown(key),
            )
        )


def write(parameters: Mapping[str, str], *, is_page: bool = True) -> None:
    """Make the address hold ``parameters``, and the class and the course where there is one.

    Args:
        parameters: What the page's link holds.
        is_page: Whether they are the page's own, to come back to; not where something else stands in its place.
    """
    state = visit_state()
    if is_page:
        state.queries[state.page or ""] = dict(parameters)
    wanted = {**parameters, **_context()}
    if wanted != st.query_params.to_dict():
        st.query_params.from_dict(wanted)


def _context() -> dict[str, str]:
    """The address's parameters for the course and the class."""
    return course_position.parameters() | ({CLASS_PARAMETER: membership.class_link()} if membership.room() else {})


def lesson() -> Lesson | None:
    """The lesson of the course's step, on the step's own page."""
    return course_position.lesson(visit_state().page)


def source_name(otherwise: str) -> str:
    """Who asks for impossible settings: the step of a course, on its own page, or ``otherwise``."""
    position = course_position.current()
    if position is None or course_position.step_of(visit_state().page) is None:
        return otherwise
    return (
        _("The lesson")
        if course_position.is_lesson()
        else _("Step {number} of the course", number=position.index + 1)
    )


def part_visible(part: str) -> bool:
    """Whether ``part`` of a page shows: a lesson may leave it out."""
    lesson_here = lesson()
    return lesson_here is None or part in lesson_here.parts


def embedded() -> bool:
    """Whether the app stands in a frame of another page, by ``embed=true`` in its address."""
    return bool(st.context.is_embedded)


def shareable(parameters: Mapping[str, str]) -> dict[str, str]:
    """A link's parameters without what is personal, of a class or of a course."""
    return {name: text for name, text in parameters.items() if name not in (*PERSONAL, *_CONTEXT)}


def url(parameters: Mapping[str, str], page: str | None = None) -> str:
    """The address of a page, as the visitor's browser knows it, with ``parameters``."""
    current = visit_state().page or HOME.name
    page = current if page is None else page
    address = f"{app_address(st.context.url or '', current)}/{'' if page == HOME.name else page}"
    return address + ("?" + urlencode(parameters) if parameters else "")
