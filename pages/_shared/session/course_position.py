"""The session's position in a course: which course, which step, and what was predicted on the way.

A step is a link: its page, its settings, and beside them the course and the number of the step. So a reload, the
browser's Back and the button *Return* are visits to one address. A lesson is a course of one step. Whoever plays on,
there or on another page, stays in the course and may return to the step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pages._shared.core.incoming import bare
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import visit_state
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import OURS, as_written, opened, ours, text_of
from attention_core.language import gettext as _

MAX_TEXT: Final = 8_000  # what an address may hold: servers and proxies refuse somewhat longer ones
PARAMETERS: Final = ("course", "step")


@dataclass(slots=True)
class Prediction:
    """A prediction of this visit, and what was measured."""

    question: str  # what was asked
    answer: str  # what was predicted
    truth: str | None  # what was measured; None where the settings could not tell
    query: Mapping[str, str]  # the link's settings as they were when it was graded, the answer among them
    refused: str = ""  # why nothing was measured, as Markdown; empty where something was


@dataclass(slots=True)
class CoursePosition:
    """A position in a course."""

    course: Course  # the course
    text: str  # what an address holds of it; empty where it is too long for one
    index: int = 0  # the step, counted from 0; as many as there are steps at its end
    lesson: Lesson | None = None  # the step's, where a setting that it fixes had to be freed
    predictions: dict[int, Prediction] = field(default_factory=dict)  # predictions by step


def current() -> CoursePosition | None:
    """The session's position, if it is in a course; the app's own courses are in the reader's language."""
    position: CoursePosition | None = visit_state().course
    if position is not None and position.text in OURS:
        position.course = ours(position.text)
    return position


def current_step() -> Step | None:
    """The current step; None at the end, and outside a course."""
    position = current()
    return position.course.steps[position.index] if position and position.index < len(position.course.steps) else None


def step_of(page: str | None) -> Step | None:
    """The current step, if it is one of this page."""
    step = current_step()
    return step if step and step.page == page else None


def is_lesson() -> bool:
    """Whether the course is a lesson: one step alone."""
    position = current()
    return position is not None and len(position.course.steps) == 1


def enter(course: Course, text: str | None = None) -> None:
    """Go to the first step of a course.

    Args:
        course: The course.
        text: What an address holds of it; made of the course unless given.
    """
    text = text_of(course) if text is None else text
    visit_state().course = CoursePosition(course, text if len(text) <= MAX_TEXT else "")


def enter_in_class(text: str, index: int) -> None:
    """Go to a step of the course that a class has; who is in it already stays where he is, with what he predicted.

    Raises:
        ValueError: If the text is no course.
    """
    course, _remarks = opened(text)
    position = current()
    if position is None or course not in (position.course, position.course.for_students()):
        enter(course, text)
        move_to(index)


def move_to(index: int) -> None:
    """Go to a step; past the last is the end."""
    position = current()
    if position is not None:
        position.index, position.lesson = max(0, min(index, len(position.course.steps))), None


def leave() -> None:
    """Leave the course; the page stays as it is."""
    visit_state().course = None


def read(parameters: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Read the course and the step from a link.

    Returns:
        Whether a course begins, whose first step is still to be visited, and what there is to say of it.
    """
    given, number = (parameters.get(name) for name in PARAMETERS)
    if given is None:
        return False, []
    text = as_written(given)
    position, remarks = current(), []
    is_new = position is None or position.text != text
    if is_new:
        try:
            course, remarks = opened(text)
        except ValueError as error:
            return False, [str(error)]
        enter(course, text)
        position = current()
    assert position is not None
    if number is None:
        move_to(0)
        return True, remarks
    place, count = bare(number), len(position.course.steps)
    if place.isdecimal() and len(place) < 4 and 1 <= int(place) <= count + 1:
        if int(place) - 1 != position.index:
            move_to(int(place) - 1)
        return False, remarks
    sentence = _(
        "The link asks for step “{given}” of a course of {count}, which there is not: here is step {used}.",
        given=escape_markdown(number),
        count=count,
        used=position.index + 1,
    )
    return is_new, [sentence, *remarks]


def query_of_step() -> dict[str, str]:
    """The step's settings, or those that its prediction left."""
    position, step = current(), current_step()
    if position is None or step is None:
        return {}
    prediction = position.predictions.get(position.index)
    return dict(step.settings if prediction is None else prediction.query)


def lesson(page: str | None) -> Lesson | None:
    """The lesson of the current step, on its own page."""
    position, step = current(), step_of(page)
    if position is None or step is None:
        return None
    return step.lesson if position.lesson is None else position.lesson


def unfix(key: str) -> None:
    """Free a setting that the step fixes at an impossible value."""
    position, step = current(), current_step()
    if position and step:
        so_far = position.lesson or step.lesson
        fixed = {name: value for name, value in so_far.fixed.items() if name != key}
        position.lesson = replace(so_far, fixed=fixed, hidden=tuple(name for name in so_far.hidden if name != key))


def parameters() -> dict[str, str]:
    """The address's parameters for the course."""
    position = current()
    return {"course": position.text, "step": str(position.index + 1)} if position and position.text else {}


def keep_prediction(page: str, prediction: Prediction) -> None:
    """Keep the step's first prediction; one that could not be measured is replaced."""
    position = current()
    if (
        position
        and step_of(page)
        and ((earlier := position.predictions.get(position.index)) is None or earlier.refused)
    ):
        position.predictions[position.index] = prediction
