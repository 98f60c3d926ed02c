"""What a class is asked next: the questions of the lesson or the course that the teacher's session is in."""

from typing import Any

from pages._shared.compute.process import process
from pages._shared.lessons.questions import Prepared
from pages._shared.session import address, course_position


def prepared() -> list[dict[str, Any]]:
    """The questions in the order in which they are asked, none twice.

    Returns:
        Of each its ``text``, ``answers`` and ``right`` one, the ``page`` whose own question it is, or an empty text,
        and the step ``at`` which it stands, counted from 0.
    """
    here, found = course_position.current(), dict[str, dict[str, Any]]()
    steps = [(step.page, step.lesson) for step in here.course.steps] if here else []
    lesson = address.lesson()
    if here is None and lesson is not None:
        steps = [(address.spoken_of(), lesson)]
    for at, (page, asked) in enumerate(steps):
        for question in asked.questions:
            one = _as_asked(question, page)
            if one:
                found.setdefault(one["text"], one | {"at": at})
    return list(found.values())


def _as_asked(question: Prepared, page: str) -> dict[str, Any] | None:
    """The question with its words; None where a page's own is not known yet."""
    if question.text:
        return {"text": question.text, "answers": list(question.answers), "right": question.right, "page": ""}
    own = process().questions.get(page)
    return own and {"text": own.text, "answers": list(own.answers), "right": None, "page": page}


def place() -> dict[str, int]:
    """The step ``at`` which the session stands, and how many ``steps`` its course has; none outside of one."""
    here = course_position.current()
    return {"at": here.index, "steps": len(here.course.steps)} if here else {"at": 0, "steps": 0}
