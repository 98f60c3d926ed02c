"""Rates, against a count of what was taken; and the checks of what comes in."""

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request

from pages._shared.class_rooms import limits, make_store, routes
from pages._shared.class_rooms.feed import FAILED_S, GREETING
from pages._shared.class_rooms.kinds import DIGITS, LARGEST, LONGEST, MOST_SHOWN, MOST_WORDS
from pages._shared.class_rooms.limits import Limits, Rate, text
from pages._shared.class_rooms.redis_store import AGAIN_S, CONNECTIONS
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import ALPHABET, IDS, KEY_LETTERS
from pages._shared.class_rooms.routes import Rooms, refusing
from pages._shared.class_rooms.store import SECRET_BYTES
from tests.class_rooms.serve import drawn
from tests.processes import ROOT, run_apart


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.integers(1, 6), st.lists(st.integers(0, 12), max_size=60))
def test_no_stretch_of_time_has_more_than_the_burst_and_one_each_interval(burst: int, gaps: list[int]) -> None:
    # Times are whole numbers of quarter seconds, which floats hold exactly.
    clock = Clock()
    rate = Rate(burst, 1.0, clock)
    taken: list[float] = []
    for gap in gaps:
        clock.now += gap / 4
        allowed = all(
            len([at for at in taken if since <= at]) + 1 <= burst + clock.now - since for since in {*taken, clock.now}
        )
        assert (rate.wait("one") == 0) == allowed
        if allowed:
            rate.take("one")
            taken.append(clock.now)
        else:
            before, wait = clock.now, rate.wait("one")
            clock.now += wait
            assert rate.wait("one") == 0
            clock.now = before


def test_names_do_not_share_and_are_forgotten() -> None:
    clock = Clock()
    rate = Rate(1, 1.0, clock)
    for place in range(5000):
        clock.now += 0.01
        rate.check(place, "Too fast.")
    assert len(rate._paid) < 1200
    with pytest.raises(RoomError, match="Too fast") as caught:
        rate.check(4999, "Too fast.")
    assert caught.value.wait == 1.0


def test_each_limit_is_what_was_decided() -> None:
    assert asdict(Limits()) == {
        "rooms": 200, "voters": 500, "questions": 50, "body": 2048, "course": 16_000, "text": 500, "answers": 6,
        "answer_text": 120, "sentence": 240, "different": 5000, "streams": 4, "onlookers": 20, "messages": 5,
        "message_s": 0.2, "wrong_keys": 30, "wrong_key_s": 2.0, "new_rooms": 20, "new_room_s": 60.0,
        "life_s": 43_200.0, "beat_s": 10.0, "present_s": 25.0, "lost_s": 180.0, "counts_s": 1.0,
    }  # fmt: skip
    assert (ALPHABET, KEY_LETTERS, IDS, SECRET_BYTES) == ("BCDFGHJKMNPQRSTVWXYZ", 5, 16, 24)
    assert GREETING == b": welcome\nretry: 1000\n\n"  # a browser that lost its stream comes back after a second
    assert (FAILED_S, AGAIN_S, CONNECTIONS) == (1.0, 1.0, 16)


def test_the_limits_are_those_that_the_documentation_tells() -> None:
    own = Limits()
    lines = (ROOT / "docs/class-api.md").read_text("utf-8").splitlines()
    told = dict(line.strip("| ").split(" | ") for line in lines[lines.index("## Limits") + 4 :] if "|" in line)
    assert told == {
        "rooms in one store; opened from one address": f"{own.rooms}; {own.new_rooms}, then one a minute",
        "students here, voters in a round, people who take a test at one time": f"{own.voters} each",
        "questions in a room": f"{own.questions}",
        "characters of its course": f"{own.course:,}",
        "different answers in a room, over all its votes": f"{own.different:,}",
        "a number; its characters; its digits that count": f"±{LARGEST:.0e}; {LONGEST}; {DIGITS}".replace("+", ""),
        "a few words": f"{MOST_WORDS} words, {LONGEST} characters; {MOST_SHOWN} answers are shown at once",
        "a student who is lost": f"{own.lost_s:.0f} seconds",
        "messages of one voter or teacher": "five a second",
        "tabs of one voter; teachers' tabs and other onlookers": f"{own.streams}; {own.onlookers}, per replica",
        "wrong keys or secrets from one address": f"{own.wrong_keys}, then one in two seconds",
    }
    assert any(f"at most {own.body:,} bytes" in line for line in lines)


def test_wrong_keys_slow_down_the_address_they_came_from_and_no_address_is_kept() -> None:
    async def play() -> tuple[list[int], Rooms]:
        all_routes = routes(make_store(None, Limits(wrong_keys=2)), {}.get, {}.__getitem__, drawn, tuple)
        app = Starlette(routes=all_routes)
        ways = [("10.0.0.1", 3), ("10.0.0.2", 1), ("10.0.0.1", 1)]
        answers = [await status(app, address) for address, times in ways for _ in range(times)]
        return answers, all_routes[0].endpoint.__self__  # type: ignore[attr-defined]

    answers, rooms = run_apart(play())
    assert answers == [404, 404, 429, 404, 429]
    counted = [name for rate in (rooms._wrong, rooms._opened, rooms._messages) for name in rate._paid]
    assert len(counted) == 2
    assert "10.0.0" not in repr(vars(rooms)) + repr(counted)
    request = Request({"type": "http", "client": ("10.0.0.1", 1)})
    assert rooms._address(request) in counted
    rooms = Rooms(make_store(None), {}.get, {}.__getitem__, drawn, tuple)
    assert rooms._address(request) not in counted, "salted anew by each process"


async def status(app: Starlette, address: str) -> int:
    """What somebody at an address gets who asks for a class that there is not."""
    sent: list[Any] = []
    scope = {
        "type": "http", "method": "GET", "path": "/class/rooms/BBBBB/events", "query_string": b"", "headers": [],
        "client": (address, 1),
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"]


@pytest.mark.parametrize("given", ["", "  ", "x" * 11, "a\x00b", "\ud83d", "a\u202eb", "\u2066a", 3, None])
def test_what_is_no_line_of_text(given: Any) -> None:
    with pytest.raises(RoomError, match="“text”"):
        text(given, "text", 10)


ATOM = "abcdefgh"


@pytest.mark.parametrize(
    ("check", "good", "wrong", "sentence"),
    [
        (limits.name, ("a", "A-z_9" * 8), ("", "a" * 41, "a b", "ä", 1, None), "1 to 40 letters, digits, - or _"),
        (limits.command_id, (ATOM, ATOM * 8), ("a" * 7, "a" * 65, "a b" * 3, 8), "8 to 64 letters, digits, - or _"),
        (limits.whole, (0, -1, 10**30), (True, 1.0, "1", None), "a whole number"),
    ],
)  # fmt: skip
def test_a_field_is_what_it_may_be(check: Any, good: Any, wrong: Any, sentence: str) -> None:
    given = (lambda one: check({"id": one})) if check is limits.command_id else lambda one: check({"f": one}, "f")
    assert [given(one) for one in good] == [*good]
    for one in wrong:
        with pytest.raises(RoomError) as refused:
            given(one)
        field = "id" if check is limits.command_id else "f"
        assert (refused.value.status, str(refused.value.sentence)) == (422, f"“{field}” must be {sentence}.")


@pytest.mark.parametrize(("wait", "told"), [(0.2, "1"), (1.0, "1"), (1.2, "2"), (0, None)])
def test_who_has_to_wait_is_told_whole_seconds_rounded_up(wait: float, told: str | None) -> None:
    @refusing
    async def refuse(_rooms: Any, _request: Request) -> Any:
        raise RoomError(429, "Wait.", wait)

    request = Request({"type": "http", "query_string": b"", "headers": []})
    answer = run_apart(refuse(None, request))  # type: ignore[arg-type]
    assert answer.status_code == 429
    assert answer.headers.get("Retry-After") == told
    assert (answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]) == ("no-store", "nosniff")


@pytest.mark.parametrize(
    ("given", "line"), [("a  b\n\tc", "a b c"), ("x" * 10, "x" * 10), ("<b>&", "<b>&"), ("a\u2028b", "a b")]
)
def test_a_line_of_text(given: str, line: str) -> None:
    assert text(given, "text", 10) == line
