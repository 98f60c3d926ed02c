"""The questions that a class may be asked: each page's own, and those of a course."""

from typing import Any

from pages._shared.class_rooms import Limits, Question
from pages._shared.class_rooms.commands import check_course
from pages._shared.class_rooms.room import RoomError, course_name
from pages._shared.core.pages import PAGES, module_of
from pages._shared.lessons.library import text_of
from pages._shared.lessons.questions import PreparedQuestion
from pages._shared.session import course_position
from attention_core.language import current


def page_question(page: str) -> Question | None:
    """A page's question; None if it has none, or there is no such page."""
    if page not in {spec.name for spec in PAGES}:
        return None
    predict = module_of(page).page.predict
    return Question(predict.question, predict.options, page)


def prepared() -> list[dict[str, Any]]:
    """The course's questions in their order, none twice; last of a step its page's own, if a prediction comes first.

    Returns:
        Of each its ``kind``, ``text``, ``answers`` and ``right`` one, the ``page`` whose own question it is, or an
        empty text, and the step ``at`` which it stands, counted from 0.
    """
    position, questions = course_position.current(), dict[str, dict[str, Any]]()
    for at, step in enumerate(position.course.steps if position else ()):
        asked = [*step.questions]
        if step.lesson.predict_first and all(question.text for question in asked):
            asked.append(PreparedQuestion())
        for question in asked:
            worded = _worded(question, step.page)
            if worded:
                questions.setdefault(worded["text"], worded | {"at": at})
    return list(questions.values())


def _worded(question: PreparedQuestion, page: str) -> dict[str, Any] | None:
    """The question as the panel takes it; None if a page's own is not known yet."""
    if question.text:
        return question.plain() | {"page": ""}
    worded = own_question(page)
    return worded and worded | {"right": None, "page": page}


def own_question(page: str) -> dict[str, Any] | None:
    """A page's question in the visitor's language; None if there is none, or none is known yet."""
    question = page_question(page)
    worded = question and question.worded(current())
    return worded and {"kind": worded.kind.value, "text": worded.text, "answers": list(worded.answers)}


def laid_course() -> dict[str, str] | None:
    """The session's course as a room holds it, its name there, or why a room does not hold it; None without one."""
    position = course_position.current()
    if position is None:
        return None
    text, wrong = position.text or text_of(position.course), ""
    try:
        check_course(text, Limits())
    except RoomError as refusal:
        wrong = str(refusal.sentence)
    return {"name": course_name(text), "text": "" if wrong else text, "wrong": wrong}


def course_index() -> dict[str, int]:
    """The index of the current step, and the number of steps; 0 outside of a course."""
    position = course_position.current()
    return {"at": position.index, "steps": len(position.course.steps)} if position else {"at": 0, "steps": 0}
