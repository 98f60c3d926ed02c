"""The courses that come with the app: files as anybody's, each known by a name that is short enough for any link.

Their words go through the catalogue, as all that a visitor reads.
"""

import json
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from pages._shared.class_rooms.refusal import RoomError
from pages._shared.core.incoming import bare
from pages._shared.lessons.course import Course, decode, from_json, letters_of
from attention_core.language import LANGUAGES, current, using
from attention_core.language import gettext as _

OURS: Final = ("order", "scaling", "interview", "hunt")
WORDS: Final = ("title", "note", "answer", "questions")  # the parts of a file that are read


def ours(name: str) -> Course:
    """One of the app's own courses, in the reader's language."""
    return _ours(name, current())


@cache
def _ours(name: str, language: str) -> Course:
    written = json.loads((Path(__file__).parent / f"{name}.json").read_text("utf-8"))
    with using(language):
        return from_json(json.dumps(_worded(written)))[0]


def texts_of(written: Any) -> Iterator[str]:
    """The texts of a course's file, in its order."""
    match written:
        case dict():
            for key, value in written.items():
                yield from [value] if key in WORDS else texts_of(value)
        case list():
            for value in written:
                yield from texts_of(value)


def _worded(written: Any) -> Any:
    """A course's file with its texts in the language that is read."""
    match written:
        case dict():
            return {key: _(value) if key in WORDS else _worded(value) for key, value in written.items()}
        case list():
            return [_worded(value) for value in written]
    return written


def text_of(course: Course) -> str:
    """A course as a link holds it: by its name if it is one of the app's own, in any language, else encoded."""
    known = (name for name in OURS for language in LANGUAGES if _ours(name, language) == course)
    return next(known, None) or course.encode()


def as_written(text: str) -> str:
    """A link's course as it was written, without what was added on its way."""
    name = bare(text).lower()
    return name if name in OURS else letters_of(text)


@lru_cache(maxsize=256)
def for_class(text: str) -> tuple[str, int]:
    """What students of a class are given of a course, as text, and how many steps it has.

    Raises:
        RoomError: If the text is no course.
    """
    try:
        course, _remarks = opened(text)
    except ValueError as error:
        raise RoomError(422, str(error)) from error
    return text if as_written(text) in OURS else course.for_students().encode(), len(course.steps)


def opened(text: str) -> tuple[Course, list[str]]:
    """Open a link's course: one of the app's own by its name, or the one that it holds.

    Raises:
        ValueError: If it means none, or one without steps.
    """
    text = as_written(text)
    course, remarks = (ours(text), []) if text in OURS else decode(text)
    if not course.steps:
        raise ValueError(" ".join([_("This course has no step that can be opened."), *remarks[:3]]))
    return course, remarks
