"""What comes of each of a teacher's messages: the step that a room takes, or a status and a sentence."""

from dataclasses import asdict, replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pages._shared.class_rooms import Limits, Question
from pages._shared.class_rooms.commands import command
from pages._shared.class_rooms.question import Kind
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import Course, Follow, Room
from tests.approved import lines

ABC = Question("Which?", ("a", "b", "c"))
OPENED = Room(ends=1e12, secret="", called=2)
ASKED = OPENED.ask("one", 1, ABC, 50)
CLOSED = ASKED.close()
REVEALED = CLOSED.reveal(1)
LED = replace(OPENED, follow=Follow("masks", "a=1"), paused=True)
COURSES = {"tea": ("te", 3), "t" * 16_000: ("t", 2)}
LAID = OPENED.lay(Course("tea", 3, 1))
ROOMS = {
    "laid": LAID,
    "laid, free": replace(LAID, follow=None),
    "led": LED,
    "opened": OPENED,
    "asked": ASKED,
    "closed": CLOSED,
    "revealed": REVEALED,
    "dropped": ASKED.drop("one"),
    "several": OPENED.ask("one", 1, replace(ABC, kind=Kind.SEVERAL), 50).close(),
    "number": OPENED.ask("one", 1, Question("How many?", kind=Kind.NUMBER), 50).close(),
    "words": OPENED.ask("one", 1, Question("Why?", kind=Kind.WORDS), 50).close(),
}
OWN = {"text": "What?", "answers": ["yes", "no"]}
ASK = {"do": "ask", "question": "two", "round": 1}
NO_WHY = [
    {"why": why} for why in ("No.", {"fr": "Non."}, {"en": 3}, {"en": ""}, {"en": "x" * 241}, {"en": "a\u202eb"})
]
STEPS = [{"do": "step", "step": step} for step in (1, 2, 3, 4, -1, "1", None)]
MESSAGES: dict[str, list[dict[str, Any]]] = {
    "laid": [*STEPS, {"do": "course", "course": "t" * 16_000, "step": 0}, {"do": "follow", "page": "masks"}],
    "laid, free": STEPS[:3],
    "led": [{"do": "free"}, {"do": "resume"}, {"do": "follow", "page": "masks", "settings": "a=1"}, {"do": "end"}],
    "opened": [
        {}, {"do": "explode"}, {"do": None},
        ASK, ASK | {"page": "scaling"}, ASK | {"page": "home"}, ASK | {"page": "no page!"}, ASK | OWN,
        ASK | OWN | {"page": "scaling"}, ASK | {"text": "What?"}, ASK | {"answers": ["yes", "no"]},
        ASK | OWN | {"text": "x" * 500}, ASK | OWN | {"text": "x" * 501}, ASK | OWN | {"answers": ["x" * 121, "y"]},
        ASK | OWN | {"answers": ["a"]}, ASK | OWN | {"answers": [*"abcdefg"]}, ASK | OWN | {"answers": "ab"},
        ASK | OWN | {"answers": ["a", " a ", "b"]}, ASK | OWN | {"answers": [*"abcdef"]},
        ASK | OWN | {"round": 0}, ASK | OWN | {"round": 3}, ASK | OWN | {"round": True},
        ASK | OWN | {"question": "x" * 41}, {"do": "ask", "round": 1}, ASK | {"round": 2},
        *(ASK | OWN | {"kind": kind} for kind in ("one", "several", "number", "many", "", None, 1, [])),
        *(ASK | {"kind": kind, "text": "What?"} for kind in ("several", "number", "words")),
        ASK | {"page": "scaling", "kind": "one"}, *(ASK | OWN | {"step": step} for step in (0, 1, 40, 41, -1, "2")),
        {"do": "close"}, {"do": "show"}, {"do": "reveal"}, {"do": "drop", "question": "one"}, {"do": "free"},
        {"do": "pause"}, {"do": "resume"}, {"do": "end"}, {"do": "unmeasured", "question": "one"},
        {"do": "follow", "page": "masks", "settings": "a=1&b=%20"}, {"do": "follow", "page": "masks"},
        {"do": "follow", "page": "masks", "settings": "a b"}, {"do": "follow", "settings": ""},
        {"do": "follow", "page": "masks", "settings": "x" * 1500},
        {"do": "follow", "page": "masks", "settings": "x" * 1501},
        {"do": "step", "step": 0}, {"do": "course", "course": "tea", "step": 2}, {"do": "course", "course": "tea"},
        {"do": "course", "course": "tea", "step": 4}, {"do": "course", "course": "t" * 16_001, "step": 0},
        {"do": "course", "course": "<b>", "step": 0}, {"do": "course", "course": "", "step": 0},
    ],
    "asked": [
        ASK | OWN, {"do": "close"}, {"do": "show"}, {"do": "reveal", "answer": 1}, {"do": "drop", "question": "one"},
        {"do": "drop", "question": "two"}, {"do": "drop"},
    ],
    "closed": [
        ASK | OWN, ASK | OWN | {"question": "one"}, {"do": "ask", "question": "one", "round": 2}, {"do": "close"},
        {"do": "show"}, {"do": "reveal"}, {"do": "reveal", "answer": 2}, {"do": "reveal", "answer": 3},
        {"do": "reveal", "answer": -1}, {"do": "reveal", "answer": "1"},
        {"do": "unmeasured", "question": "one", "why": {"en": "No.", "zh": "不行。"}},
        {"do": "unmeasured", "question": "two", "why": {}},
        *({"do": "unmeasured", "question": "one"} | why for why in NO_WHY),
    ],
    "several": [
        *({"do": "reveal", "answer": answer} for answer in (None, [2, 0], [], [0, 0], [3], [True], 1, "0", [[0]])),
        {"do": "show", "words": [0]},
    ],
    "number": [
        *({"do": "reveal", "answer": answer} for answer in (
            None, [64, 5], [-0.5, 0], [1, -1], [1], [1, 2, 3], 64, "64", [None, 1], [1e13, 1], [True, 1],
            ["６４", "0,5"],
        )),
    ],
    "words": [
        *({"do": "reveal", "answer": answer} for answer in (None, 0, "a")),
        *({"do": "show", "words": words} for words in (
            None, [], [3, 0], [0, 0], [-1], 0, "01", [0.0], [1000], [*range(30)], [*range(31)], {},
        )),
    ],
    "revealed": [{"do": "show"}, {"do": "ask", "question": "one", "round": 2}, {"do": "drop", "question": "one"}],
    "dropped": [{"do": "reveal"}, {"do": "show"}, {"do": "ask", "question": "one", "round": 2}],
}  # fmt: skip


def came(room: Room, message: dict[str, Any]) -> str:
    """What a message makes of a room, or why it is refused."""
    questions = {"scaling": ABC}.get
    try:
        then = asdict(command(message, questions, COURSES.__getitem__, Limits())(room))
    except RoomError as refusal:
        return f"{refusal.status} {refusal.sentence} {refusal.wait or ''}"
    changed = {name: value for name, value in then.items() if value != asdict(room)[name]}
    if "asked" in changed:
        changed["asked"] = [
            (one["name"], len(one["rounds"]), one["question"]["kind"].value, one["question"]["page"], one["measured"])
            + (("out",) if one["out"] else ())
            + ((f"shown {one['shown']}",) if one["shown"] else ())
            for one in then["asked"]
        ]
    return ", ".join(f"{name} {str(value)[:80]}" for name, value in changed.items()) or "nothing"


def short(message: dict[str, Any]) -> str:
    """A message on a line, with long texts cut."""
    return ", ".join(f"{name} {str(value)[:30]}" for name, value in message.items())


@pytest.mark.parametrize("state", ROOMS)
def test_what_comes_of_a_message_is_as_approved(state: str, approved: SnapshotAssertion) -> None:
    told = [f"{short(message)}: {came(ROOMS[state], message)}" for message in MESSAGES[state]]
    assert lines("\n".join(told)) == approved


def test_a_command_with_a_name_is_taken_once() -> None:
    step = command({"do": "pause", "id": "pause-00"}, {}.get, COURSES.__getitem__, Limits())
    assert (step(OPENED).paused, step(OPENED).taken) == (True, ("pause-00",))
    assert step(step(OPENED)) == step(OPENED)
    with pytest.raises(RoomError, match="“id” must be 8 to 64 letters, digits"):
        command({"do": "pause", "id": "short"}, {}.get, COURSES.__getitem__, Limits())
