"""What a class may be asked: the question of each page, whether or not anybody has opened it here, and a course's."""

from typing import Any

from pages._shared.class_rooms import Question
from pages._shared.core.pages import PAGES, module_of
from pages._shared.lessons.questions import Prepared
from pages._shared.session import course_position
from attention_core.language import current


def page_question(page: str) -> Question | None:
    """What a page asks; None if it asks nothing, or there is no such page."""
    if page not in {one.name for one in PAGES}:
        return None
    predict = module_of(page).page.predict
    return Question(predict.question, predict.options, page)


def prepared() -> list[dict[str, Any]]:
    """The questions in the order in which they are asked, none twice.

    Returns:
        Of each its ``text``, ``answers`` and ``right`` one, the ``page`` whose own question it is, or an empty text,
        and the step ``at`` which it stands, counted from 0.
    """
    here, found = course_position.current(), dict[str, dict[str, Any]]()
    for at, step in enumerate(here.course.steps if here else ()):
        for question in step.lesson.questions:
            one = _as_asked(question, step.page)
            if one:
                found.setdefault(one["text"], one | {"at": at})
    return list(found.values())


def _as_asked(question: Prepared, page: str) -> dict[str, Any] | None:
    """The question with its words; None where a page's own is not known yet."""
    if question.text:
        return {"text": question.text, "answers": list(question.answers), "right": question.right, "page": ""}
    own = own_question(page)
    return own and own | {"right": None, "page": page}


def own_question(page: str) -> dict[str, Any] | None:
    """The question of a page in this visitor's language; None where there is none, or none is known yet."""
    own = page_question(page)
    worded = own and own.worded(current())
    return worded and {"text": worded.text, "answers": list(worded.answers)}


def course_index() -> dict[str, int]:
    """The step ``at`` which the session stands, and how many ``steps`` its course has; none outside of one."""
    here = course_position.current()
    return {"at": here.index, "steps": len(here.course.steps)} if here else {"at": 0, "steps": 0}
