"""The courses that come with the app: files as anybody's, each known by a name that is short enough for any link.

Each lies here in every language, in English and below the language's name; beside their words they are the same.
"""

from functools import cache
from pathlib import Path
from typing import Final

from pages._shared.core.incoming import bare
from pages._shared.lessons.course import Course, decode, from_json, letters_of
from attention_core.language import ENGLISH, LANGUAGES, current
from attention_core.language import gettext as _

OURS: Final = ("order", "scaling", "interview")


def ours(name: str) -> Course:
    """One of the app's own courses, in the reader's language."""
    return _ours(name, current())


@cache
def _ours(name: str, language: str) -> Course:
    folder = Path(__file__).parent / ("" if language == ENGLISH else language)
    return from_json((folder / f"{name}.json").read_text("utf-8"))[0]


def text_of(course: Course) -> str:
    """What a link holds of a course: the name of one of the app's own, in any language, else all of it."""
    known = (name for name in OURS for language in LANGUAGES if _ours(name, language) == course)
    return next(known, None) or course.encode()


def as_written(text: str) -> str:
    """What a link held of a course when it was written: without what was put around it, or into it, on its way."""
    name = bare(text).lower()
    return name if name in OURS else letters_of(text)


def opened(text: str) -> tuple[Course, list[str]]:
    """The course that a link means: one of the app's own by its name, or the one that it holds.

    Raises:
        ValueError: If it means none, or one without steps.
    """
    text = as_written(text)
    course, remarks = (ours(text), []) if text in OURS else decode(text)
    if not course.steps:
        raise ValueError(" ".join([_("This course has no step that can be opened."), *remarks[:3]]))
    return course, remarks
