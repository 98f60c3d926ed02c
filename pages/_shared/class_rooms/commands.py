"""The teacher's commands: from a message to the step that the room takes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pages._shared.class_rooms.limits import SETTINGS, Limits, command_id, name, sentences, spelled, text, whole
from pages._shared.class_rooms.room import Follow, Question, Room, RoomError
from attention_core.language import gettext_lazy as _

Step = Callable[[Room], Room]
Questions = Callable[[str], Question | None]


def command(message: Mapping[str, Any], questions: Questions, limits: Limits) -> Step:
    """The step that a teacher's message asks for; one that has an id is taken once.

    Raises:
        RoomError: The message is not one of those in ``docs/class-api.md``.
    """
    step = _step(message, questions, limits)
    known = command_id(message)
    return (lambda room: room.once(known, step)) if known else step


def _step(message: Mapping[str, Any], questions: Questions, limits: Limits) -> Step:
    match message.get("do"):
        case "ask":
            asked, number = name(message, "question"), whole(message, "round")
            if number not in (1, 2):
                raise RoomError(422, _("“round” must be 1 or 2."))
            question = _question(message, questions, limits)
            return lambda room: room.ask(asked, number, question, limits.questions)
        case "close":
            return Room.close
        case "show":
            return Room.show
        case "reveal":
            measured = None if message.get("answer") is None else whole(message, "answer")
            return lambda room: room.reveal(measured)
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
        case "free":
            return lambda room: replace(room, follow=None)
        case "pause":
            return lambda room: replace(room, paused=True)
        case "resume":
            return lambda room: replace(room, paused=False)
        case "end":
            return lambda room: replace(room, ended=True)
    raise RoomError(
        422, _("“do” must be ask, close, show, reveal, unmeasured, drop, follow, free, pause, resume or end.")
    )


def _question(message: Mapping[str, Any], questions: Questions, limits: Limits) -> Question | None:
    if "page" in message:
        page = name(message, "page")
        if "text" in message or "answers" in message:
            raise RoomError(422, _("A question is a page's or has a text and answers of its own, not both."))
        question = questions(page)
        if question is None:
            raise RoomError(422, _("This page asks no question."))
        return question.of_page(page)
    if "text" not in message and "answers" not in message:
        return None
    return own_question(message, limits)


def own_question(message: Mapping[str, Any], limits: Limits) -> Question:
    """A question of the teacher's own.

    Raises:
        RoomError: It cannot be asked.
    """
    answers = message.get("answers")
    if not isinstance(answers, list) or not 2 <= len(answers) <= limits.answers:
        raise RoomError(422, _("“answers” must be a list of 2 to {most} texts.", most=limits.answers))
    texts = tuple(text(answer, "answers", limits.answer_text) for answer in answers)
    if len(set(texts)) < len(texts):
        raise RoomError(422, _("No two answers may read alike."))
    return Question(text(message.get("text"), "text", limits.text), texts)
