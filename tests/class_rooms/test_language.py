"""A request names its sender's language: what is refused, and what a page asks, is in that language."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from pages._shared.class_rooms import Limits, Question
from pages._shared.class_rooms.commands import command
from pages._shared.class_rooms.results import answered, rows
from pages._shared.class_rooms.room import Room
from attention_core import language
from attention_core.language import gettext_lazy
from tests.class_rooms.client import Api, Class

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


def test_a_test_is_answered_in_any_language(api: Api) -> None:
    room = api.open()
    message = {"voter": ANA, "time": "before", "person": "a" * 16, "answers": {"sink": "A"}}
    for spoken in ("zh", "en"):
        assert api.post(f"/{room.key}/test?language={spoken}", message).json == {"counted": 1}
    refused = api.post(f"/{room.key}/test?language=zh", message | {"time": "later"})
    assert refused.json["error"] == "⟦“time” must be before or after.⟧"
    assert room.test_csv().body.count("before") == 1


@pytest.mark.parametrize("spoken", UNKNOWN, ids=ascii)
def test_an_unknown_language_is_english(api: Api, spoken: str) -> None:
    answer = api.ask("GET", f"/AEIOU/events?language={quote(spoken)}")
    assert answer.sentence.startswith("There is no class with this key.")


def test_a_call_carries_no_language(api: Api) -> None:
    room = api.open()
    assert teach(room, "zh", do="follow", page="scaling", settings="seed=1") == 204
    assert room.state()["follow"] == {"page": "scaling", "settings": "seed=1"}


def test_the_end_is_told_each_listener_in_their_language(api: Api) -> None:
    room = api.open()
    with room.stream(ANA) as ana, room.stream(f"{BEN}&language=zh") as ben:
        ana.until(here=2)
        room.done("end")
        ended = "This class has ended; nothing of it is left on the server."
        assert (ana.end(), ben.end()) == (ended, f"⟦{ended}⟧")


PAGES = {"scaling": Question(gettext_lazy("Which?"), (gettext_lazy("This"), gettext_lazy("That")))}
ASK = {"do": "ask", "question": "one", "round": 1, "page": "scaling"}


@pytest.mark.parametrize(
    ("spoken", "text", "answers"), [("en", "Which?", ["This", "That"]), ("zh", "⟦Which?⟧", ["⟦This⟧", "⟦That⟧"])]
)
def test_a_pages_question_is_read_by_each_in_their_own_language(spoken: str, text: str, answers: list[str]) -> None:
    asked = command(ASK, PAGES.get, {}.__getitem__, Limits())(Room(ends=0, secret=""))
    room = Room.load(json.loads(json.dumps(asked.dump())))  # as another replica reads it
    told = room.public({}, 0, 0, spoken)["question"]
    assert told == {"name": "one", "text": text, "answers": answers, "page": "scaling", "kind": "one", "step": 0}
    closed = command({"do": "close"}, PAGES.get, {}.__getitem__, Limits())(room)
    assert [(row[3], row[6]) for row in rows(closed, {}, spoken)] == [(text, answer) for answer in answers]
    assert answered(closed.reveal(0), {}, spoken)[0]["question"] == told
    again = command(ASK | {"round": 2}, PAGES.get, {}.__getitem__, Limits())(closed)
    assert again.round == 2, "whoever asks"


def test_one_stream_is_in_one_language_and_the_other_in_the_other(serve: Callable[..., Api], rooms_url: str) -> None:
    room = serve(rooms_url).open()
    with room.stream(ANA) as ana, room.stream(f"{BEN}&language=zh") as ben:
        ana.until(here=2)
        ben.until(here=2)
        assert teach(room, "zh", do="ask", question="one", round=1, page="scaling") == 204
        texts = [one.until(phase="open")["question"]["text"] for one in (ana, ben)]
        assert texts == ["What happens to the scores' variance?", "⟦What happens to the scores' variance?⟧"]
        assert teach(room, "zh", do="close") == 204
        assert teach(room, "zh", do="ask", question="two", round=1, text="Mine?", answers=["a", "b"]) == 204
        for one in (ana, ben):
            assert one.until(phase="open")["question"]["text"] == "Mine?"
