"""The courses that come with the app: files as anybody's, each known by a name that is short enough for any link."""

from functools import cache
from pathlib import Path
from typing import Final

from pages._shared.lessons.course import Course, decode, from_json

OURS: Final = ("order", "scaling", "interview")


@cache
def ours(name: str) -> Course:
    """One of the app's own courses."""
    course, _ = from_json((Path(__file__).parent / f"{name}.json").read_text("utf-8"))
    return course


def text_of(course: Course) -> str:
    """What a link holds of a course: the name of one of the app's own, else all of it."""
    return next((name for name in OURS if ours(name) == course), None) or course.encode()


def opened(text: str) -> tuple[Course, list[str]]:
    """The course that a link means: one of the app's own by its name, or the one that it holds.

    Raises:
        ValueError: If it means none, or one without steps.
    """
    course, remarks = (ours(text), []) if text in OURS else decode(text)
    if not course.steps:
        raise ValueError(" ".join(["This course has no step that can be opened.", *remarks[:3]]))
    return course, remarks
