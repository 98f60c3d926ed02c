"""The state that a session keeps of its visitor, a dataclass for each concern; of a page: ``page/run_state.py``.

What widgets and components hold is in the session under their own keys, which stand at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import streamlit as st

VISIT: Final = "_visit"
CLASS: Final = "_class"
DRAFT: Final = "_draft"


@dataclass(slots=True)
class Way:
    """A way from one page to another on which the app takes a session.

    Attributes:
        left: The page that it leaves, and what the address holds there.
        to: The page that it leads to, and what the address is to hold there.
        arrived: When the session came there, by the process's clock; None until it has.
    """

    left: tuple[str, dict[str, str]]
    to: tuple[str, dict[str, str]]
    arrived: float | None = None


@dataclass(slots=True)
class VisitState:
    """The visitor's page, settings and address.

    Attributes:
        page: The page's name; None until the first run has read its address.
        complete: Name of the page that the last whole run has drawn to its end.
        pages: The language of the navigation, and Streamlit's pages by their names.
        language: The language that is read; None until it is decided.
        settings: The settings of all pages that differ from the defaults, by their keys in the link.
        course: The ``CoursePosition``; None outside of a course.
        way: The way on which the app has taken the session last, until that is settled.
        reads: Whether this run reads the address.
        from_others: Whether the address was made by others, when it was read last.
        arrived: Whether this run is the first on its page since another page.
        widget_turns: How often each widget has been replaced by another, by its name.
        widgets_show: What the browser was told that each shows, or told itself since, by its name.
        queries: What the address of each page held last.
        cut: Sentences whose characters were taken for words, by the settings' keys.
        notices: Sentences still to be shown.
        searched: What was typed into a box of questions last, by the box's name.
    """

    page: str | None = None
    complete: str = ""
    pages: tuple[str, dict[str, Any]] = ("", {})
    language: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    course: Any = None
    way: Way | None = None
    reads: bool = False
    from_others: bool = True
    arrived: bool = True
    widget_turns: dict[str, int] = field(default_factory=dict)
    widgets_show: dict[str, Any] = field(default_factory=dict)
    queries: dict[str, dict[str, str]] = field(default_factory=dict)
    cut: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    searched: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ClassTest:
    """What the visitor does in the test of a live class.

    Attributes:
        person: The pseudonym made of the word that a student chose; empty until then.
        letters: The letter of each answer, by the time and the item.
        arrived: How many of them the browser has said to have arrived, by the time.
        shown: The item that was answered last, as long as it is shown.
        asked: How often the teacher has asked for the class's answers.
        table: What came then, as CSV; None before.
        refused: Why nothing came.
    """

    person: str = ""
    letters: dict[str, dict[str, str]] = field(default_factory=dict)
    arrived: dict[str, int] = field(default_factory=dict)
    shown: str = ""
    asked: int = 0
    table: str | None = None
    refused: str = ""


@dataclass(slots=True)
class ClassState:
    """The live class that the visitor is in.

    Attributes:
        key: The class's key; empty outside of a class.
        ticket: What stands beside the key in the class's link.
        secret: The teacher's, from a link that held it where it is sent, until the browser has it.
        teaches: Whether the browser has said that it has the teacher's secret.
        written: The questions that the teacher has written on the panel; None until the browser has sent them.
        refused: Why a key leads to no class, to be shown once.
        own_place: Where a student was before following: page, address and settings.
        followed: The class, and its last call that was followed.
        course: The name of the course in the class's room that this session has been given.
        to_measure: The page whose question is to be measured, and the question.
        measured: What was measured.
        test: The class's test.
    """

    key: str = ""
    ticket: str = ""
    secret: str = ""
    teaches: bool = False
    written: str | None = None
    refused: str = ""
    own_place: tuple[str, dict[str, str], dict[str, Any]] | None = None
    followed: tuple[str, int] | None = None
    course: str = ""
    to_measure: tuple[str, str] | None = None
    measured: dict[str, Any] | None = None
    test: ClassTest = field(default_factory=ClassTest)


@dataclass(slots=True)
class DraftState:
    """The course that the visitor is making.

    Attributes:
        course: The ``Course``; None before the first step.
        known: Whether the browser has said what it kept.
        open_step: The step whose editor is open.
        removed: The step removed last, after where it was.
        worksheet: The course that was put on paper last, its language, and its sheets.
    """

    course: Any = None
    known: bool = False
    open_step: int | None = None
    removed: tuple[int, Any] | None = None
    worksheet: tuple[Any, str, tuple[Any, ...]] | None = None


_State = TypeVar("_State")


def of_session(key: str, make: Callable[[], _State]) -> _State:
    """The state that a session keeps under a key; made where there is none yet."""
    try:
        return st.session_state[key]
    except KeyError:
        state = st.session_state[key] = make()
        return state


def visit_state() -> VisitState:
    """The visitor's page, settings and address."""
    return of_session(VISIT, VisitState)


def class_state() -> ClassState:
    """The visitor's class."""
    return of_session(CLASS, ClassState)


def draft_state() -> DraftState:
    """The visitor's draft."""
    return of_session(DRAFT, DraftState)


# What widgets and components are called.
KEY_TYPED: Final = "_class_typed"  # the field for a class's key on Home
PANEL: Final = "_class_panel"  # the component of the class on every page
START: Final = "_class_start"  # the component that opens a class
DRAFT_STORE: Final = "_draft_store"  # the component that keeps the draft in the browser
EDITOR: Final = "_course_edit"  # the widgets of a step's editor begin with it
