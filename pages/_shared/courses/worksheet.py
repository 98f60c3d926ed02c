"""A course on paper: the app walks it once by itself and takes along each picture, as it begins and as it ends.

A step that asks for a prediction is looked at twice, before the move that the question is about and after it. Pages
are drawn as they always are; what is gathered is what they show.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from pages._shared.core.pages import COURSE, FOLDER
from pages._shared.lessons.course import Course, Step
from pages._shared.page.declaration import Predict
from attention_core.claims import statement
from attention_core.experiments.verdict import Result, Verdict, format_number
from attention_core.figures.matrix import MatrixView
from attention_core.figures.svg import view_svgs

if TYPE_CHECKING:
    from pages._shared.session.page_state import PageState

_GATHER, _VALUES = "_gather", "_values"
MOST_FOUND: Final = 3
CURVES: Final = "_curves"  # how the name of the views below a picture ends


@dataclass(slots=True)
class Pose:
    """A look at a step.

    Attributes:
        at: The step, counted from 0.
        moved: Whether the move of the page's question is made first.
        pictures: The panels of its pictures, as SVG.
        found: What was measured, in sentences.
        question: What the page asks, where the step has it asked.
        options: The answers to choose from.
        truth: The one that is true; None where the settings cannot tell.
    """

    at: int
    moved: bool = False
    pictures: list[str] = field(default_factory=list)
    found: tuple[str, ...] = ()
    question: str = ""
    options: tuple[str, ...] = ()
    truth: str | None = None


@dataclass(slots=True)
class Gather:
    """The walk that gathers.

    Attributes:
        course: The course.
        poses: All looks, in order.
        now: The look that comes next; as many as there are once all is gathered.
        kept: The visitor's own settings, to go back to.
    """

    course: Course
    poses: tuple[Pose, ...]
    kept: dict[str, Any]
    now: int = 0


def begin(course: Course) -> None:
    """Begin to gather; the coming runs do it."""
    looks = [(at, moved) for at, step in enumerate(course.steps) for moved in _looks(step)]
    poses = tuple(Pose(at, moved) for at, moved in looks)
    st.session_state[_GATHER] = Gather(course, poses, dict(st.session_state.get(_VALUES, {})))


def _looks(step: Step) -> tuple[bool, ...]:
    return (False, True) if step.lesson.predict_first else (False,)


def gathered(course: Course) -> tuple[Pose, ...] | None:
    """All looks at a course, once they have been taken."""
    here: Gather | None = st.session_state.get(_GATHER)
    return here.poses if here and here.now == len(here.poses) and here.course == course else None


def gathering() -> Gather | None:
    """The walk that is under way, if one is."""
    here: Gather | None = st.session_state.get(_GATHER)
    return here if here and here.now < len(here.poses) else None


def _pose() -> Pose | None:
    here = gathering()
    return here.poses[here.now] if here else None


def follow(page: str) -> dict[str, str]:
    """Go where the next look is taken.

    Args:
        page: The page that is about to run.

    Returns:
        What that page's link would hold.
    """
    here, pose = gathering(), _pose()
    assert here is not None
    assert pose is not None
    step = here.course.steps[pose.at]
    if step.page != page:
        st.switch_page(FOLDER / f"{step.page}.py")
    return {**step.settings, **{key: str(value) for key, value in step.lesson.fixed.items()}}


def go_on() -> None:
    """Called when a page has been drawn: go on to the next look, and after the last back to the course."""
    here = gathering()
    if here is None:
        return
    here.now += 1
    if here.now < len(here.poses):
        st.rerun()
    _end(here)
    st.switch_page(COURSE.file)


def draw_progress() -> None:
    """Say how far it is, with a way to stop."""
    here = gathering()
    if here is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="gather"):
            count = len(here.poses)
            st.progress(here.now / count, f"Taking picture {here.now + 1} of {count} for the worksheet")
            st.button("Stop", icon=":material/stop:", key="_gather_stop", on_click=_stop, args=(here,))


def _stop(here: Gather) -> None:
    _end(here)
    st.session_state.pop(_GATHER)


def _end(here: Gather) -> None:
    st.session_state[_VALUES] = here.kept


def move(page: "PageState", predict: Predict) -> None:
    """Make the move of a page's question, where the look is one after it."""
    pose = _pose()
    if pose and pose.moved:
        page.settings.set_all(predict.move)


def see(view: MatrixView, step: int, *, key: str) -> None:
    """Take along a view that is drawn; before a prediction not the curves below it, which would give it away.

    Args:
        view: The view.
        step: Where its sweep stands.
        key: Its name.
    """
    here, pose = gathering(), _pose()
    if here is None or pose is None:
        return
    waits = here.course.steps[pose.at].lesson.predict_first and not pose.moved
    if not (waits and key.endswith(CURVES)):
        pose.pictures += view_svgs(view.at(step))


def measure(results: Iterable[Result]) -> None:
    """Take along what was found: of the claims that the step speaks of, else of the first ones.

    Args:
        results: The results that hold it.
    """
    here, pose = gathering(), _pose()
    if here is None or pose is None:
        return
    first: dict[str, Verdict] = {}
    for verdict in (one for result in results for one in result.verdicts):
        first.setdefault(verdict.claim, verdict)
    about = [first[claim] for claim in here.course.steps[pose.at].claims if claim in first] or list(first.values())
    pose.found = tuple(_said(verdict) for verdict in about[:MOST_FOUND])


def _said(verdict: Verdict) -> str:
    number = f"{format_number(verdict.measured)} {verdict.unit}".strip()
    word = {"holds": "holds", "fails": "does not hold here", "undecided": "cannot be decided here"}
    outcome = word.get(verdict.outcome, "is not as theory says")
    return f"“{statement(verdict.claim)}” {outcome}: {verdict.says} {number}."


def grade(predict: Predict, result: Result) -> None:
    """Take along the page's question, and the answer that is true, where the step has it asked.

    Args:
        predict: The question.
        result: The picture's result.
    """
    here, pose = gathering(), _pose()
    if here and pose and here.course.steps[pose.at].lesson.predict_first:
        pose.question, pose.options, pose.truth = predict.question, predict.options, predict.grade(result)
