"""Where this session stands in a course: which course, which step, and what was predicted on the way.

The course and the number of the step stand in the address beside the page's own settings, so a reload and the
browser's Back come to the same place. A step that is entered sets its page once; whoever plays on, there or on
another page, stays in the course and may return to the step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import streamlit as st

from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import opened, text_of

MAX_TEXT: Final = 8_000  # what an address may hold: servers and proxies refuse somewhat longer ones
PARAMETERS: Final = ("course", "step")
_HERE = "_walk"
_KEPT = ("present", "device")  # a step moves none of these


@dataclass(slots=True)
class Prediction:
    """A prediction of this visit.

    Attributes:
        question: What was asked.
        answer: What was predicted.
        truth: What the tensor said; None where the settings could not tell.
    """

    question: str
    answer: str
    truth: str | None


@dataclass(slots=True)
class CoursePosition:
    """A walk through a course.

    Attributes:
        course: The course.
        text: What an address holds of it; empty where it is too long for one.
        index: The step, counted from 0; as many as there are steps at its end.
        entering: Whether the step has still to set its page.
        lesson: The step's, in force on its page.
        said: Predictions by step.
    """

    course: Course
    text: str
    index: int = 0
    entering: bool = True
    lesson: Lesson | None = None
    said: dict[int, Prediction] = field(default_factory=dict)


def current() -> CoursePosition | None:
    """The walk of this session, if it is on one."""
    return st.session_state.get(_HERE)


def current_step() -> Step | None:
    """The step that the session stands at; None at the end, and outside a course."""
    here = current()
    return here.course.steps[here.index] if here and here.index < len(here.course.steps) else None


def step_of(page: str) -> Step | None:
    """The step that the session stands at, if it is one of this page."""
    now = current_step()
    return now if now and now.page == page else None


def start(course: Course, text: str | None = None) -> None:
    """Begin a course.

    Args:
        course: The course.
        text: What an address holds of it; made of the course unless given.
    """
    text = text_of(course) if text is None else text
    st.session_state[_HERE] = CoursePosition(course, text if len(text) <= MAX_TEXT else "")
    go(0)


def go(at: int) -> None:
    """Go to a step; past the last is the end."""
    here = current()
    if here is None:
        return
    here.index = max(0, min(at, len(here.course.steps)))
    here.entering, here.lesson = True, None


def leave() -> None:
    """End the walk; the page stays as it is."""
    st.session_state.pop(_HERE, None)


def arrive(parameters: dict[str, str], *, reads: bool) -> list[str]:
    """Take the course and the step out of a link's parameters.

    Args:
        parameters: The link's; what belongs to a course is taken out.
        reads: Whether the link is to be read.

    Returns:
        What there is to say of it.
    """
    text, number = (parameters.pop(name, None) for name in PARAMETERS)
    if not reads or text is None:
        return []
    here, said = current(), []
    if here is None or here.text != text:
        try:
            course, said = opened(text)
        except ValueError as error:
            return [str(error)]
        start(course, text)
        here = current()
    assert here is not None
    if number is None:
        go(0)
    elif number.isdecimal() and len(number) < 4 and 1 <= int(number) <= len(here.course.steps) + 1:
        if int(number) - 1 != here.index:
            go(int(number) - 1)
        here.entering = False  # the address holds what the settings were
    return said


def wanted() -> str | None:
    """The page of a step that has just been chosen and has still to be set; None at any other time."""
    here, now = current(), current_step()
    return now.page if here and here.entering and now else None


def enter(page: str, parameters: Mapping[str, str]) -> dict[str, str] | None:
    """Set the page of the step that has just been chosen.

    Args:
        page: The page that is about to run.
        parameters: What the link holds, where it is to be read.

    Returns:
        What its link would hold; None where there is nothing to set.
    """
    here, now, state = current(), step_of(page), st.session_state
    if here is None or now is None or not here.entering:
        return None
    here.entering = False
    for name in ("chosen", "pinned"):
        state.pop(f"_{page}_{name}", None)
    if here.index not in here.said:
        state.pop(f"_{page}_answer", None)
    values: Mapping[str, Any] = {**state.get("_values", {}), **parameters}
    kept = {name: str(values[name]) for name in _KEPT if name in values}
    return kept | dict(now.settings)


def lesson(page: str | None) -> Lesson | None:
    """What the step shows and fixes, on its own page."""
    here, now = current(), current_step()
    if here is None or now is None or now.page != page:
        return None
    return now.lesson if here.lesson is None else here.lesson


def unfix(key: str) -> None:
    """Free a setting that the step fixes at what it cannot be."""
    here, now = current(), current_step()
    if here and now:
        so_far = here.lesson or now.lesson
        fixed = {name: value for name, value in so_far.fixed.items() if name != key}
        here.lesson = replace(so_far, fixed=fixed, hidden=tuple(name for name in so_far.hidden if name != key))


def parameters() -> dict[str, str]:
    """What the address holds of the walk."""
    here = current()
    return {"course": here.text, "step": str(here.index + 1)} if here and here.text else {}


def predicted(page: str, question: str, answer: str, truth: str | None) -> None:
    """Keep what was predicted at the step, and what the tensor said of it first.

    Args:
        page: The page that asked.
        question: What it asked.
        answer: What was predicted.
        truth: What the tensor said.
    """
    here = current()
    if here and step_of(page) and here.index not in here.said:
        here.said[here.index] = Prediction(question, answer, truth)
