"""The address of the page: what it holds is taken in when somebody arrives by it, and follows every move.

Settings live in the session (``settings.py``), so they survive a page switch. The link is written from them, all at
once and so as one step of the browser's history. It is read when a session starts, when a link inside the app leads
to a page with settings, and when the browser goes back or forward.
"""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from pages._shared.core import log
from pages._shared.core.compat import is_history_navigation
from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.lesson import Lesson
from pages._shared.rooms.room import is_key
from pages._shared.session import course_position

LONG_LINK = 1_500
_LESSON = "lesson"
_TEXT = "_lesson_text"
_CLASS = "class"
_ROOM = "_class"
_GOING = "_going"
_SPEAKS_OF = "lesson_on"  # the page that a lesson speaks of, where the link is of another
_INCOMING = "_incoming"
_PRETENDS = "_pretends"  # whether this run draws a page for somebody else than the visitor
_MOST_SAID = 5
_NOTICES = "_notices"
_ARRIVED = "_arrived"
_WRITTEN = "_written"


def read(page: str) -> None:
    """Take in the link before anything is drawn.

    Args:
        page: Name of the page that is about to run.
    """
    state, parameters = st.session_state, st.query_params.to_dict()
    before = state.get(log.PAGE)
    if before is None:
        log.started(page)
    led = bool(before != page and parameters) or is_history_navigation()
    reads = before is None or (led and not _is_detour(page, parameters))
    if _GOING in state:
        there, given = state[_GOING]
        if there != page:
            st.switch_page(next(one.file for one in (HOME, *PAGES, LEDGER, COURSE) if one.name == there))
        del state[_GOING]
        parameters, reads = dict(given), True
    room = parameters.pop(_CLASS, None)
    if reads and room is not None and room != state.get(_ROOM) and (sentence := join(room)):
        add_notice(sentence)
    said = course_position.arrive(parameters, reads=reads)
    for sentence in said[:_MOST_SAID]:
        add_notice(sentence)
    if said:
        log.refused(page, "a part of a course")
    if len(said) > _MOST_SAID:
        add_notice(f"And {len(said) - _MOST_SAID} more of this kind.")
    text, about = parameters.pop(_LESSON, None), parameters.pop(_SPEAKS_OF, page)
    if reads and text is not None and text != state.get(_TEXT):
        try:
            state[_LESSON], state[_TEXT], state[_SPEAKS_OF] = Lesson.decode(text), text, about
            course_position.leave()
        except ValueError as error:
            add_notice(str(error))
            log.refused(page, "a lesson that cannot be read")
    entered = course_position.enter(page, parameters if reads else {})
    state[_INCOMING] = entered if entered is not None else parameters if reads else None
    state[_PRETENDS] = False
    state[_ARRIVED] = before != page
    state[log.PAGE] = page


def visit(page: str, parameters: Mapping[str, str]) -> None:
    """Have the next run open a page as if by a link with ``parameters``; for callbacks.

    Args:
        page: Name of the page.
        parameters: What its link holds.
    """
    st.session_state[_GOING] = (page, dict(parameters))


def join(key: str) -> str:
    """Enter a class, and stay in it on every page.

    Args:
        key: The room's key, in upper or lower case.

    Returns:
        Why it cannot be a key; empty where it can.
    """
    key = key.strip().upper()
    if not is_key(key):
        log.refused("the class", "a key that cannot be one")
        return f"“{escape_markdown(key)}” is no key of a class: that has five letters, all consonants."
    st.session_state[_ROOM] = key
    return ""


def room() -> str:
    """The key of the class this session is in; empty if it is in none."""
    return st.session_state.get(_ROOM, "")


def leave_class() -> None:
    """Leave the class."""
    st.session_state.pop(_ROOM, None)


def pretend(parameters: Mapping[str, str]) -> None:
    """Have the page of this run drawn as a link would open it, free of any lesson; the address stays as it is.

    Args:
        parameters: What that link would hold.
    """
    st.session_state[_INCOMING], st.session_state[_PRETENDS] = dict(parameters), True


def _is_detour(page: str, parameters: Mapping[str, str]) -> bool:
    """Whether the address holds settings of another page, so says nothing of this one's.

    When the menu leads to a page with settings, Streamlit writes them to the address while that still names the page
    left behind, and then the page: a step of the history for each. Back to the first leads to the page left behind,
    whose settings are as they were.
    """
    return any("_" in key and key != _SPEAKS_OF and not key.startswith(f"{page}_") for key in parameters)


def arrived() -> bool:
    """Whether this run is the first on its page since another page, or since the session began."""
    return st.session_state.get(_ARRIVED, True)


def last_query(page: str) -> dict[str, str]:
    """What the address of a page held when it was last looked at: a way back to its settings."""
    return st.session_state.get(_WRITTEN, {}).get(page, {})


def unread() -> dict[str, str] | None:
    """The link's parameters that nobody has taken in this run; None where the link is not to be read."""
    return st.session_state.get(_INCOMING)


def name_unknown(page: str) -> None:
    """Say of what is left of the link that the page does not know it.

    Args:
        page: Name of the page, all of whose settings have been taken in.
    """
    for key in unread() or ():
        if key.startswith(f"{page}_") or "_" not in key:
            log.refused(page, "an unknown setting in the link")
            holds = f"{source_name('The link')} holds “{escape_markdown(key)}”"
            add_notice(f"{holds}, which this page does not know; it is left out.")


def write(parameters: Mapping[str, str]) -> None:
    """Make the address hold ``parameters``, and the class, the course or the lesson where there is one."""
    state = st.session_state
    if state.get(_PRETENDS):
        return
    page = state.get(log.PAGE, "")
    state[_WRITTEN] = state.get(_WRITTEN, {}) | {page: dict(parameters)}
    wanted = dict(parameters) | course_position.parameters()
    if room():
        wanted[_CLASS] = room()
    if _TEXT in state and course_position.current() is None:
        wanted[_LESSON] = state[_TEXT]
        if state[_SPEAKS_OF] != page:
            wanted[_SPEAKS_OF] = state[_SPEAKS_OF]
    if wanted != st.query_params.to_dict():
        st.query_params.from_dict(wanted)


def add_notice(sentence: str) -> None:
    """Have the page say ``sentence``, once, above its picture."""
    st.session_state.setdefault(_NOTICES, []).append(sentence)


def pop_notices() -> list[str]:
    """What is to be said now."""
    return st.session_state.pop(_NOTICES, [])


def lesson() -> Lesson | None:
    """What this page is held to, if anything: by the step of a course on its own page, or by a lesson."""
    state = st.session_state
    if state.get(_PRETENDS):
        return None
    return state.get(_LESSON) if course_position.current() is None else course_position.lesson(state.get(log.PAGE))


def note() -> str:
    """The lesson's note, on the page it speaks of."""
    state, here = st.session_state, lesson()
    return here.note if here and state.get(_SPEAKS_OF) == state.get(log.PAGE) else ""


def source_name(otherwise: str) -> str:
    """Who asks for what is not possible: the step of a course on its own page, by its number, or ``otherwise``."""
    here, state = course_position.current(), st.session_state
    return (
        f"Step {here.index + 1} of the course"
        if here and course_position.step_of(state.get(log.PAGE, ""))
        else otherwise
    )


def spoken_of() -> str:
    """The page that the lesson speaks of; empty without one."""
    return st.session_state.get(_SPEAKS_OF, "")


def unfix(key: str) -> None:
    """Free a setting that the lesson fixes at what it cannot be.

    Args:
        key: The setting's key in the link.
    """
    if course_position.current() is not None:
        course_position.unfix(key)
        return
    here: Lesson = st.session_state[_LESSON]
    fixed = {name: value for name, value in here.fixed.items() if name != key}
    st.session_state[_LESSON] = replace(here, fixed=fixed, hidden=tuple(name for name in here.hidden if name != key))


def leave_lesson() -> None:
    """End the lesson: all settings are free again."""
    for key in (_LESSON, _TEXT, _SPEAKS_OF):
        st.session_state.pop(key, None)


def part_visible(part: str) -> bool:
    """Whether ``part`` of a page shows: always, but in a lesson without it."""
    here = lesson()
    return here is None or part in here.parts


def address(parameters: Mapping[str, str], page: str | None = None) -> str:
    """The address of a page, as the visitor's browser knows it, with ``parameters``.

    Args:
        parameters: What it holds.
        page: The page's name; this one unless given.
    """
    base = (st.context.url or "").split("?")[0]
    if page is not None:
        base = base.removesuffix("/").removesuffix(f"/{st.session_state[log.PAGE]}") + f"/{page}"
    return base + ("?" + urlencode(parameters) if parameters else "")
