"""Where this session stands in a course: which course, which step, and what was predicted on the way.

A step is a link: its page, its settings, and beside them the course and the number of the step. So a reload, the
browser's Back and the button *Return* are visits to one address. A lesson is a course of one step. Whoever plays on,
there or on another page, stays in the course and may return to the step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import streamlit as st

from pages._shared.core.incoming import bare
from pages._shared.core.session_keys import COURSE
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import OURS, as_written, opened, ours, text_of
from attention_core.language import gettext as _

MAX_TEXT: Final = 8_000  # what an address may hold: servers and proxies refuse somewhat longer ones
PARAMETERS: Final = ("course", "step")


@dataclass(slots=True)
class Prediction:
    """A prediction of this visit."""

    question: str  # what was asked
    answer: str  # what was predicted
    truth: str | None  # what was measured; None where the settings could not tell
    query: Mapping[str, str]  # the link's settings as they were when it was graded, the answer among them
    refused: str = ""  # why nothing was measured, as Markdown; empty where something was


@dataclass(slots=True)
class CoursePosition:
    """A place in a course."""

    course: Course  # the course
    text: str  # what an address holds of it; empty where it is too long for one
    index: int = 0  # the step, counted from 0; as many as there are steps at its end
    lesson: Lesson | None = None  # the step's, where a setting that it fixes had to be freed
    predictions: dict[int, Prediction] = field(default_factory=dict)  # predictions by step


def current() -> CoursePosition | None:
    """The place of this session, if it is in a course; one of the app's own is in the reader's language."""
    here = st.session_state.get(COURSE)
    if here is not None and here.text in OURS:
        here.course = ours(here.text)
    return here


def current_step() -> Step | None:
    """The step that the session stands at; None at the end, and outside a course."""
    here = current()
    return here.course.steps[here.index] if here and here.index < len(here.course.steps) else None


def step_of(page: str | None) -> Step | None:
    """The step that the session stands at, if it is one of this page."""
    now = current_step()
    return now if now and now.page == page else None


def is_lesson() -> bool:
    """Whether the course is a lesson: one step alone."""
    here = current()
    return here is not None and len(here.course.steps) == 1


def enter(course: Course, text: str | None = None) -> None:
    """Stand at the first step of a course.

    Args:
        course: The course.
        text: What an address holds of it; made of the course unless given.
    """
    text = text_of(course) if text is None else text
    st.session_state[COURSE] = CoursePosition(course, text if len(text) <= MAX_TEXT else "")


def move_to(index: int) -> None:
    """Stand at a step; past the last is the end."""
    here = current()
    if here is not None:
        here.index, here.lesson = max(0, min(index, len(here.course.steps))), None


def leave() -> None:
    """Leave the course; the page stays as it is."""
    st.session_state.pop(COURSE, None)


def read(parameters: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Take the course and the step from a link.

    Returns:
        Whether a course begins, whose first step is still to be visited, and what there is to say of it.
    """
    given, number = (parameters.get(name) for name in PARAMETERS)
    if given is None:
        return False, []
    text = as_written(given)
    here, remarks = current(), []
    is_new = here is None or here.text != text
    if is_new:
        try:
            course, remarks = opened(text)
        except ValueError as error:
            return False, [str(error)]
        enter(course, text)
        here = current()
    assert here is not None
    if number is None:
        move_to(0)
        return True, remarks
    place, count = bare(number), len(here.course.steps)
    if place.isdecimal() and len(place) < 4 and 1 <= int(place) <= count + 1:
        if int(place) - 1 != here.index:
            move_to(int(place) - 1)
        return False, remarks
    sentence = _(
        "The link asks for step “{given}” of a course of {count}, which there is not: here is step {used}.",
        given=escape_markdown(number),
        count=count,
        used=here.index + 1,
    )
    return is_new, [sentence, *remarks]


def query_of_step() -> dict[str, str]:
    """What the address of the step holds, but for the course: its settings, or as its prediction left them."""
    here, now = current(), current_step()
    if here is None or now is None:
        return {}
    known = here.predictions.get(here.index)
    return dict(now.settings if known is None else known.query)


def lesson(page: str | None) -> Lesson | None:
    """What the step shows and fixes, on its own page."""
    here, now = current(), step_of(page)
    if here is None or now is None:
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
    """What the address holds of the course."""
    here = current()
    return {"course": here.text, "step": str(here.index + 1)} if here and here.text else {}


def keep_prediction(page: str, prediction: Prediction) -> None:
    """Keep what was predicted at the step, and what was measured first; until something is, why it is not."""
    here = current()
    if here and step_of(page) and ((known := here.predictions.get(here.index)) is None or known.refused):
        here.predictions[here.index] = prediction
