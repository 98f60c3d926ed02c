"""The way back from paper: a code that leads to a step."""

from dataclasses import dataclass
from typing import Final

from pages._shared.core.language import carried
from pages._shared.core.network import for_students
from pages._shared.core.qr_code import qr_code
from pages._shared.lessons.course import Course
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import text_of
from pages._shared.session import address

LONGEST: Final = 500  # characters of a link whose code a phone reads from paper


@dataclass(frozen=True, slots=True)
class Code:
    """A way back from paper."""

    address: str  # the step's link
    picture: str  # its QR code, as SVG


def why_none(course: Course) -> str:
    """Why no code stands on a course's paper, in a sentence; empty where codes do."""
    return for_students(address.url({"course": text_of(course)}, course.steps[0].page))[1] if course.steps else ""


def way_back(course: Course, at: int) -> Code | None:
    """The code of a step's link: in its course, if a code can hold that; none where students could not open it."""
    step, text = course.steps[at], text_of(course)
    here = dict(step.settings) | carried()
    in_course = address.url(here | {"course": text, "step": str(at + 1)}, step.page)
    alone = address.url(here, step.page)
    fits = len(in_course) <= LONGEST and (len(course.steps) > 1 or step.lesson != Lesson())
    link, warning = for_students(in_course if fits else alone)
    picture = None if warning else qr_code(link)
    return Code(link, picture) if picture else None
