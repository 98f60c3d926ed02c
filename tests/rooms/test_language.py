"""A request names its sender's language: what is refused, asked of a page and called to is in that language."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from pages._shared.rooms import Limits, Question
from pages._shared.rooms.commands import command
from pages._shared.rooms.room import Room
from attention_core import language
from attention_core.language import gettext_lazy
from tests.rooms.client import Api, Class

ANA, BEN = "ana-00000000", "ben-00000000"
UNKNOWN = ["", "xx", "zhx", "../zh", "zh\0", "<b>", "z" * 2000]


class Pretended:
    """Translates every text into itself, in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    english = language.catalogue(language.ENGLISH)
    monkeypatch.setattr(language, "catalogue", lambda spoken: Pretended() if spoken == "zh" else english)


def teach(room: Class, spoken: str, **message: Any) -> int:
    path = f"/{room.key}/teacher?language={quote(spoken)}"
    return room.api.post(path, message, Authorization=f"Bearer {room.teacher}").status


@pytest.mark.parametrize(("spoken", "sentence"), [("zh", "⟦No vote is open.⟧"), ("en", "No vote is open.")])
def test_who_is_refused_reads_why_in_their_language(api: Api, spoken: str, sentence: str) -> None:
    room = api.open()
    path = f"/{room.key}/teacher?language={spoken}"
    answer = api.post(path, {"do": "close"}, Authorization=f"Bearer {room.teacher}")
    assert (answer.status, answer.json) == (409, {"error": sentence})


def test_a_value_stands_in_the_sentence_of_either_language(api: Api) -> None:
    answer = api.post(f"/{api.open().key}/votes?language=zh", {"voter": 1})
    assert answer.json["error"] == "⟦“voter” must be ⟦8 to 64 letters, digits, - or _⟧.⟧"


@pytest.mark.parametrize("spoken", UNKNOWN, ids=ascii)
def test_an_unknown_language_is_english(api: Api, spoken: str) -> None:
    answer = api.ask("GET", f"/AEIOU/events?language={quote(spoken)}")
    assert answer.sentence.startswith("There is no class with this key.")
    room = api.open()
    assert teach(room, spoken, do="follow", page="scaling", settings="") == 204
    assert room.state()["follow"]["language"] == "en"


def test_a_call_carries_the_language_of_the_teacher(api: Api) -> None:
    room = api.open()
    assert teach(room, "zh", do="follow", page="scaling", settings="seed=1") == 204
    assert room.state()["follow"] == {"page": "scaling", "settings": "seed=1", "language": "zh"}


def test_the_end_is_told_each_listener_in_their_language(api: Api) -> None:
    room = api.open()
    with room.stream(ANA) as ana, room.stream(f"{BEN}&language=zh") as ben:
        ana.until(here=2)
        room.done("end")
        ended = "This class has ended, and nothing of it was kept."
        assert (ana.end(), ben.end()) == (ended, f"⟦{ended}⟧")


@pytest.mark.parametrize(("spoken", "text"), [("en", "Which?"), ("zh", "⟦Which?⟧")])
def test_a_pages_question_is_asked_in_the_language_of_the_teacher_for_all(spoken: str, text: str) -> None:
    pages = {"scaling": Question(gettext_lazy("Which?"), (gettext_lazy("This"), gettext_lazy("That")))}
    step = command({"do": "ask", "question": "one", "round": 1, "page": "scaling"}, pages.get, Limits(), spoken)
    room = step(Room(ends=0, secret=""))
    told = room.public({}, 0, 0)["question"]
    assert told["text"] == text
    assert len(told["answers"]) == 2
    assert Room.load(json.loads(json.dumps(room.dump()))) == room, "as it is kept"
    assert type(room.asked[0].question.text) is str
