"""The address is the state: it is read where somebody arrives by it, and follows every move.

Settings live in the session (``settings.py``), so they survive a page switch. The address is written from them, all
at once and so as one step of the browser's history. It is read when a session starts, when a link inside the app or a
visit leads to a page with settings, and when the browser goes back or forward.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import streamlit as st

from pages._shared.core import incoming, log
from pages._shared.core.compat import is_history_navigation
from pages._shared.core.network import app_address
from pages._shared.core.pages import HOME, target
from pages._shared.core.session_keys import (
    ARRIVED,
    FROM_OTHERS,
    PAGE,
    QUERIES,
    READS,
    VISITED,
)
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import Course
from pages._shared.lessons.lesson import Lesson
from pages._shared.session import course_position, membership, notices
from attention_core.language import gettext as _

PERSONAL: Final = ("present", "device", "lang")  # settings that are a visitor's own: no link, step or call moves them
CLASS_PARAMETER: Final = "class"
_CONTEXT: Final = (CLASS_PARAMETER, incoming.TEACHER, *course_position.PARAMETERS)
_MOST_REMARKS = 5


def read(page: str) -> None:
    """Look at the address before anything is drawn: enter its class and its course, say whether it is to be read."""
    state, parameters = st.session_state, _address()
    before, visited = state.get(PAGE), state.pop(VISITED, None) == page
    if before is None:
        log.started(page)
    led = bool(before != page and parameters) or is_history_navigation()
    reads = before is None or visited or (led and not _is_detour(page, parameters))
    state[READS], state[ARRIVED], state[PAGE] = reads, before != page, page
    state[FROM_OTHERS] = before is None or visited
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
    own = {name: text for name, text in _address().items() if name in PERSONAL}
    st.session_state[VISITED] = page
    st.switch_page(target(page), query_params={**shareable(parameters), **own, **_context()})


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
    """What the address holds, where this run is to read it; None where it is not."""
    return _address() if st.session_state.get(READS) else None


def _is_detour(page: str, parameters: Mapping[str, str]) -> bool:
    """Whether the address holds settings of another page, so says nothing of this one's.

    When the menu leads to a page with settings, Streamlit writes them to the address while that still names the page
    left behind, and then the page: a step of the history for each. Back to the first leads to the page left behind,
    whose settings are as they were.
    """
    return any("_" in key and not key.startswith(f"{page}_") for key in parameters)


def is_from_others() -> bool:
    """Whether what is read was made by somebody who may read another language, and not a moment ago by this app."""
    return st.session_state.get(FROM_OTHERS, True)


def arrived() -> bool:
    """Whether this run is the first on its page since another page, or since the session began."""
    return st.session_state.get(ARRIVED, True)


def last_query(page: str) -> dict[str, str]:
    """What the address of a page held when it was last looked at: a way back to its settings."""
    return st.session_state.get(QUERIES, {}).get(page, {})


def say_unknown(page: str, known: frozenset[str]) -> None:
    """Say of what the address holds and nobody has read, and a lesson fixes, that the page does not know it."""
    given, here = query(), lesson()
    if given is None:
        return
    for key in sorted({*given, *(here.fixed if here else ())} - known - {*_CONTEXT}):
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
    state = st.session_state
    if is_page:
        state[QUERIES] = state.get(QUERIES, {}) | {state.get(PAGE, ""): dict(parameters)}
    wanted = {**parameters, **_context()}
    if wanted != st.query_params.to_dict():
        st.query_params.from_dict(wanted)


def _context() -> dict[str, str]:
    """What the address holds of the course and the class."""
    return course_position.parameters() | ({CLASS_PARAMETER: membership.class_link()} if membership.room() else {})


def lesson() -> Lesson | None:
    """What this page is held to, if anything: by the step of a course on its own page."""
    return course_position.lesson(st.session_state.get(PAGE))


def source_name(otherwise: str) -> str:
    """Who asks for what is not possible: the step of a course on its own page, by its number, or ``otherwise``."""
    here = course_position.current()
    if here is None or course_position.step_of(st.session_state.get(PAGE)) is None:
        return otherwise
    return _("The lesson") if course_position.is_lesson() else _("Step {number} of the course", number=here.index + 1)


def part_visible(part: str) -> bool:
    """Whether ``part`` of a page shows: always, but in a lesson without it."""
    here = lesson()
    return here is None or part in here.parts


def shareable(parameters: Mapping[str, str]) -> dict[str, str]:
    """What of a link's parameters can be handed to others."""
    return {name: text for name, text in parameters.items() if name not in (*PERSONAL, *_CONTEXT)}


def url(parameters: Mapping[str, str], page: str | None = None) -> str:
    """The address of a page, as the visitor's browser knows it, with ``parameters``."""
    here = st.session_state[PAGE]
    page = here if page is None else page
    address = f"{app_address(st.context.url or '', here)}/{'' if page == HOME.name else page}"
    return address + ("?" + urlencode(parameters) if parameters else "")
