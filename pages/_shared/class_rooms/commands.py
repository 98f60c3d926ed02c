"""The teacher's commands: from a message to the step that the room takes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pages._shared.class_rooms.limits import (
    COURSE,
    SETTINGS,
    Limits,
    command_id,
    name,
    sentences,
    spelled,
    text,
    whole,
)
from pages._shared.class_rooms.question import Kind, Question
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import Course, Follow, Room
from attention_core.language import gettext_lazy as _

MOST_STEPS = 40  # of a course
Step = Callable[[Room], Room]
Questions = Callable[[str], Question | None]
# From a course's text to what students are given of it, and how many steps it has; a `RoomError` if it is none.
Courses = Callable[[str], tuple[str, int]]


def command(message: Mapping[str, Any], questions: Questions, courses: Courses, limits: Limits) -> Step:
    """The step that a teacher's message asks for; one that has an id is taken once.

    Raises:
        RoomError: The message is not one of those in ``docs/class-api.md``.
    """
    step = _step(message, questions, courses, limits)
    known = command_id(message)
    return (lambda room: room.once(known, step)) if known else step


def _step(message: Mapping[str, Any], questions: Questions, courses: Courses, limits: Limits) -> Step:
    match message.get("do"):
        case "ask":
            asked, number = name(message, "question"), whole(message, "round")
            if number not in (1, 2):
                raise RoomError(422, _("“round” must be 1 or 2."))
            question, step = _question(message, questions, limits), _course_step(message)
            return lambda room: room.ask(asked, number, question, limits.questions, step)
        case "close":
            return Room.close
        case "show":
            return lambda room: room.show(message.get("words"))
        case "reveal":
            return lambda room: room.reveal(message.get("answer"))
        case "unmeasured":
            asked, why = name(message, "question"), sentences(message.get("why", {}), "why", limits.sentence)
            return lambda room: room.say_unmeasured(asked, why)
        case "drop":
            dropped = name(message, "question")
            return lambda room: room.drop(dropped)
        case "follow":
            query = {"settings": message.get("settings", "")}
            settings = spelled(query, "settings", SETTINGS, _("a link's part after the question mark"))
            follow = Follow(name(message, "page"), settings)
            return lambda room: replace(room, follow=follow, called=room.called + 1)
        case "course":
            course = _course(message, courses, limits)
            return lambda room: room.lay(course)
        case "step":
            step = whole(message, "step")
            return lambda room: room.go(step)
        case "free":
            return lambda room: replace(room, follow=None)
        case "pause":
            return lambda room: replace(room, paused=True)
        case "resume":
            return lambda room: replace(room, paused=False)
        case "end":
            return lambda room: replace(room, ended=True)
    raise RoomError(
        422,
        _(
            "“do” must be ask, close, show, reveal, unmeasured, drop, follow, course, step, free, pause, resume or "
            "end."
        ),
    )


def _course_step(message: Mapping[str, Any]) -> int:
    step = whole(message, "step") if "step" in message else 0
    if not 0 <= step <= MOST_STEPS:
        raise RoomError(422, _("“step” must be a step of the course, 1 to {most}.", most=MOST_STEPS))
    return step


def _question(message: Mapping[str, Any], questions: Questions, limits: Limits) -> Question | None:
    if "page" in message:
        page = name(message, "page")
        if message.keys() & {"text", "answers", "kind"}:
            raise RoomError(422, _("A question is a page's or has a text and answers of its own, not both."))
        question = questions(page)
        if question is None:
            raise RoomError(422, _("This page asks no question."))
        return question.of_page(page)
    if "text" not in message and "answers" not in message:
        return None
    return own_question(message, limits)


def _course(message: Mapping[str, Any], courses: Courses, limits: Limits) -> Course:
    given = spelled(message, "course", COURSE, _("a course as a link holds it"))
    check_course(given, limits)
    return Course(given, courses(given)[1], whole(message, "step"))


def check_course(given: str, limits: Limits) -> None:
    """Raise a `RoomError` if a course is longer than what a room holds."""
    if len(given) > limits.course:
        raise RoomError(
            413,
            _(
                "This course takes {length:,} characters, more than a class can hold ({most:,}): the class goes on "
                "without it. Shorten its tasks and answers, or hand out its file.",
                length=len(given),
                most=limits.course,
            ),
        )


def own_question(message: Mapping[str, Any], limits: Limits) -> Question:
    """A question of the teacher's own.

    Raises:
        RoomError: It cannot be asked.
    """
    try:
        kind = Kind(message.get("kind", Kind.ONE))
    except ValueError:
        raise RoomError(422, _("“kind” must be {kinds}.", kinds=", ".join(Kind))) from None
    asked = text(message.get("text"), "text", limits.text)
    if not kind.chooses:
        if message.get("answers"):
            raise RoomError(422, _("A question that is answered by a number or in words has no “answers”."))
        return Question(asked, kind=kind)
    answers = message.get("answers")
    if not isinstance(answers, list) or not 2 <= len(answers) <= limits.answers:
        raise RoomError(422, _("“answers” must be a list of 2 to {most} texts.", most=limits.answers))
    texts = tuple(text(answer, "answers", limits.answer_text) for answer in answers)
    if len(set(texts)) < len(texts):
        raise RoomError(422, _("No two answers may read alike."))
    return Question(asked, texts, kind=kind)
