"""What must not get through: other sites, other people's rooms, too much, too often, and nonsense in every field."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.class_rooms.client import Api, Class
from tests.texts import NONSENSE, TOKENS, UNSHOWN

ANA = "ana-00000000"
SCRIPT = "<script>alert(1)</script>"
ODD = [
    *(None, True, False, -1, 0.5, 7, 10**40, 1e400, " ", "1", "x" * 600, [], [[]], {}, {"a": 1}, [None] * 3),
    *("../../etc/passwd", "%00", "';DROP TABLE--", "#", "ANA\r\nX-Injected: 1", "{key}", "\ufffe" * 3),
    *NONSENSE, *TOKENS, *UNSHOWN,
]  # fmt: skip
MESSAGES = {
    "votes": {"voter": ANA, "question": "one", "round": 1, "answer": 0},
    "ask": {"do": "ask", "question": "two", "round": 1, "text": "Which?", "answers": ["a", "b"]},
    "page": {"do": "ask", "question": "two", "round": 1, "page": "scaling"},
    "several": {
        "do": "ask",
        "question": "two",
        "round": 1,
        "kind": "several",
        "text": "Which?",
        "answers": ["a", "b"],
    },
    "number": {"do": "ask", "question": "two", "round": 1, "kind": "number", "text": "How many?", "step": 1},
    "show": {"do": "show", "words": []},
    "lost": {"voter": ANA, "lost": True},
    "test": {"voter": ANA, "time": "before", "person": "a" * 16, "answers": {"sink": "A"}},
    "reveal": {"do": "reveal", "answer": 0},
    "follow": {"do": "follow", "page": "scaling", "settings": "a=1"},
    "drop": {"do": "drop", "question": "one"},
    "id": {"do": "pause", "id": "pause-00000001"},
}
# Refused before a store is asked: one store is enough.
ONE_STORE = pytest.mark.parametrize("api", ["memory"], indirect=True)
FIELDS = [(name, field) for name, message in MESSAGES.items() for field in message]


@pytest.mark.parametrize(("name", "field"), FIELDS)
@ONE_STORE
def test_nonsense_in_a_field_is_a_sentence_or_only_text(api: Api, name: str, field: str) -> None:
    room = api.open()
    if name == "votes":
        room.ask()
    path = f"/{room.key}/{name if name in ('votes', 'lost', 'test') else 'teacher'}"
    for nonsense in ODD:
        if name == "reveal":
            room = api.open()
            path = f"/{room.key}/teacher"
            room.ask()
            room.done("close")
        body = json.dumps(MESSAGES[name] | {field: nonsense}).encode()
        before = room.state()["number"]
        answer = api.post(path, body, Authorization=f"Bearer {room.teacher}")
        if answer.status not in (200, 204):
            assert answer.status in (400, 409, 413, 422), (nonsense, answer)
            assert answer.sentence
            assert room.state()["number"] == before, nonsense
        elif name in ("ask", "page", "several", "number"):
            room.done("close")


def test_text_is_only_text(api: Api) -> None:
    room = api.open()
    room.ask(text=f"  {SCRIPT}\n &amp; 'x'  ", answers=[SCRIPT, ":red[x] $y$ %{z}", "שלום 👩‍👩‍👧 می‌خواهم"])
    question = room.state()["question"]
    assert question["text"] == f"{SCRIPT} &amp; 'x'"
    assert question["answers"] == [SCRIPT, ":red[x] $y$ %{z}", "שלום 👩‍👩‍👧 می‌خواهم"]
    with room.stream() as stream:
        assert stream.until(phase="open")["question"] == question


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"no JSON", 400),
        (b"[]", 400),
        (b'"text"', 400),
        (b"\xff\xfe", 400),
        (b"[" * 2000, 400),
        (b'{"a":' * 400, 400),
        (b'{"round": NaN}', 400),
        (b'{"round": ' + b"9" * 2000 + b"}", 422),
        (b"{" + b" " * 3000 + b"}", 413),
        (b" " * 200_000, 413),
    ],
)
@pytest.mark.parametrize("path", ["votes", "teacher"])
@ONE_STORE
def test_a_message_that_is_none(api: Api, path: str, body: bytes, status: int) -> None:
    room = api.open()
    answer = api.post(f"/{room.key}/{path}", body, Authorization=f"Bearer {room.teacher}")
    assert answer.status == status, answer
    assert answer.sentence


ORIGINS: list[dict[str, Any]] = [
    {"Origin": ""},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://[::1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
]


@pytest.mark.parametrize("headers", ORIGINS, ids=str)
@ONE_STORE
def test_another_site_cannot_write(api: Api, headers: dict[str, str]) -> None:
    room = api.open()
    room.ask()
    message = {"voter": ANA, "question": "one", "round": 1, "answer": 0}
    secret = {"Authorization": f"Bearer {room.teacher}"}
    for answer in (
        api.post("", {}, **headers),
        api.post(f"/{room.key}/votes", message, **headers),
        api.post(f"/{room.key}/teacher", {"do": "end"}, **headers | secret),
    ):
        assert (answer.status, answer.sentence) == (403, "Only the app's own pages may do this.")
    assert room.state()["voted"] == 0
    assert api.post(f"/{room.key}/votes", message, **{"Sec-Fetch-Site": "same-origin"}).status == 200


@ONE_STORE
def test_a_form_of_another_site_is_no_message(api: Api) -> None:
    room = api.open()
    room.ask()
    message = {"voter": ANA, "question": "one", "round": 1, "answer": 0}
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert api.post(f"/{room.key}/votes", message, **{"Content-Type": kind}).status == 415


@pytest.mark.parametrize("key", ["BBBB", "BBBBBB", "AEIOU", "%00%00", "..%2F..", "B%0D%0AB", "ßßß", "'; --", "*****"])
@ONE_STORE
def test_a_key_that_cannot_be(api: Api, key: str) -> None:
    quoted = key.replace("ß", "%C3%9F").replace(" ", "%20")
    for answer in (api.ask("GET", f"/{quoted}/events"), api.post(f"/{quoted}/teacher", {"do": "end"})):
        assert answer.status == 404
        assert answer.body == "Not Found" or answer.sentence.startswith("There is no class with this key.")


@ONE_STORE
def test_a_voter_has_a_name_of_chance(api: Api) -> None:
    room = api.open()
    for voter in ("short", "a" * 65, "with%20space", "%F0%9F%92%A9" * 8, "a%00bbbbbbbb"):
        assert api.ask("GET", room.events(voter)).status == 422


def test_wrong_keys_and_secrets_are_slowed_down_but_not_who_is_in(serve: Callable[..., Api]) -> None:
    api = serve(None, wrong_keys=3, wrong_key_s=1000.0)
    room = api.open()
    room.ask()
    assert room.state(ANA)["here"] == 1
    wrong = Class(api, "BBBBB", "")
    assert wrong.vote(ANA, 0).status == 404
    assert api.ask("GET", wrong.events()).status == 404
    assert Class(api, room.key, "guessed").do("end").status == 403
    slowed = [wrong.vote(ANA, 0), wrong.do("end"), Class(api, room.key, "guessed").do("end")]
    slowed += [api.ask("GET", one.events("eve-00000000")) for one in (wrong, room)]
    for answer in slowed:
        assert answer.status == 429
        assert answer.sentence == (
            "Many wrong keys came from your network. Come in by the class's code or link, or wait and try again."
        )
        assert 900 < int(answer.headers["Retry-After"]) <= 1000
    room.voted(ANA, 1)
    room.done("close")
    assert room.state(ANA)["voted"] == 1


def test_who_comes_by_link_is_let_in_whatever_others_at_the_same_address_have_tried(
    serve: Callable[..., Api], rooms_url: str | None
) -> None:
    api = serve(rooms_url, wrong_keys=3, wrong_key_s=1000.0)
    room, other = api.open(), api.open()
    for _ in range(4):
        Class(api, "BBBBB", "").vote(ANA, 0)
    late, typed = f"ben-00000000&ticket={room.ticket}", "cem-00000000"
    assert api.ask("GET", room.events(typed)).status == 429, "who typed the key has perhaps guessed it"
    room.ask()
    assert room.state(late)["phase"] == "open"
    message = {"voter": "dan-00000000", "question": "one", "round": 1, "answer": 0}
    assert api.post(f"/{room.key}/votes?ticket={room.ticket}", message).status == 200
    with room.stream(f"&ticket={room.ticket}") as teacher:  # the panel, loaded again
        assert teacher.until(voted=1)
    room.done("close")
    assert room.results().status == 200
    forged = ("", "0" * 16, room.ticket[:-1], room.ticket.upper(), other.ticket, room.teacher, "%00", "x" * 5000)
    for ticket in forged:
        if ticket != room.ticket:
            assert api.ask("GET", room.events(f"{typed}&ticket={ticket}")).status == 429, ticket
    nowhere = Class(api, "BBBBB", "").events(f"{typed}&ticket={room.ticket}")
    assert api.ask("GET", nowhere).status == 429, "no ticket is for a class that there is not"
    room.done("end")
    assert api.ask("GET", room.events(late)).status == 429


def test_a_wrong_ticket_is_a_guess(serve: Callable[..., Api]) -> None:
    api = serve(None, wrong_keys=3, wrong_key_s=1000.0)
    asked = [api.ask("GET", Class(api, "BBBBB", "").events(f"{ANA}&ticket={'0' * 16}")).status for _ in range(4)]
    assert asked == [404, 404, 404, 429]


def test_five_messages_at_once_are_heard(serve: Callable[..., Api]) -> None:
    api = serve(None, messages=5, message_s=1000.0)
    room = api.open()
    room.ask()
    answers = [room.vote(ANA, place % 3) for place in range(7)]
    assert [answer.status for answer in answers] == [200] * 5 + [429] * 2
    answers += [room.do("pause") for _ in range(5)]
    assert [answer.status for answer in answers[7:]] == [204] * 4 + [429]
    assert {answer.sentence for answer in answers if answer.status == 429} == {
        "That was too fast: five messages a second are heard."
    }
    room.voted("ben-00000000", 0)


def test_how_many_there_may_be(serve: Callable[..., Api], rooms_url: str | None) -> None:
    api = serve(rooms_url, messages=50, rooms=2, voters=2, questions=1, streams=2, onlookers=1)
    room, other = api.open(), api.open()
    crowded = api.post("", {})
    assert (crowded.status, crowded.headers["Retry-After"]) == (429, "60")
    assert crowded.sentence == "Too many classes are open here. Try again when some have ended."
    room.ask()
    room.voted("ana-00000000", 0)
    room.voted("ben-00000000", 0)
    full = room.vote("cem-00000000", 0)
    assert (full.status, full.sentence) == (429, "This class is full.")
    room.voted("ana-00000000", 1)
    for voter in ("ana-00000000", "ben-00000000"):
        assert room.state(voter)
    assert api.ask("GET", room.events("cem-00000000")).sentence == "This class is full."
    with room.stream(ANA), room.stream(ANA) as last, room.stream() as teacher:
        last.until(phase="open")
        teacher.until(phase="open")
        stream = {"Accept": "text/event-stream"}
        for voter in (ANA, ""):
            refused = api.ask("GET", room.events(voter), **stream)
            assert (refused.status, refused.sentence) == (
                429, "This class is open in too many tabs. Close some of them.",
            )  # fmt: skip
            assert refused.headers["Retry-After"] == "1", "a beat"
    room.done("close")
    assert "can have 1 questions" in room.do("ask", question="two", round=1, text="?", answers=["a", "b"]).sentence
    other.done("end")
    assert api.open().key != other.key


def test_classes_opened_from_one_address(serve: Callable[..., Api]) -> None:
    api = serve(None, new_rooms=2, new_room_s=1000.0)
    assert [api.post("", {}).status for _ in range(3)] == [201, 201, 429]


def test_a_class_that_is_opened_again_under_its_id_is_counted_once(
    serve: Callable[..., Api], rooms_url: str | None
) -> None:
    api = serve(rooms_url, new_rooms=2, new_room_s=1000.0)
    one, other = {"id": "a" * 32}, {"id": "b" * 32}
    first = api.post("", one).json
    assert [api.post("", one).json for _ in range(5)] == [first] * 5
    assert [api.post("", {"id": name * 32}).status for name in "bc"] == [201, 429]
    assert [api.post("", again).status for again in (one, other)] == [201, 201], "what is there is told to the last"
    room = Class(api, first["key"], first["teacher"])
    room.done("end")
    assert api.post("", one).status == 429, "and what has ended would be another class"
