"""Rates, against a count of what was taken; and the checks of what comes in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request

from pages._shared.rooms import make_store, routes
from pages._shared.rooms.limits import Limits, Rate, text
from pages._shared.rooms.room import RoomError
from pages._shared.rooms.routes import Rooms
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


def test_the_limits_are_those_that_the_documentation_tells() -> None:
    own = Limits()
    lines = (ROOT / "docs/class-api.md").read_text("utf-8").splitlines()
    limits = dict(line.strip("| ").split(" | ") for line in lines[lines.index("## Limits") + 4 :] if "|" in line)
    assert limits == {
        "rooms in one store; opened from one address": f"{own.rooms}; {own.new_rooms}, then one a minute",
        "students here, voters in a round": f"{own.voters} each",
        "questions in a room": f"{own.questions}",
        "messages of one voter or teacher": "five a second",
        "tabs of one voter; teachers' tabs and other onlookers": f"{own.streams}; {own.onlookers}, per replica",
        "wrong keys or secrets from one address": f"{own.wrong_keys}, then one in two seconds",
    }
    assert any(f"at most {own.body:,} bytes" in line for line in lines)


def test_wrong_keys_slow_down_the_address_they_came_from_and_no_address_is_kept() -> None:
    async def play() -> tuple[list[int], Rooms]:
        all_routes = routes(make_store(None, Limits(wrong_keys=2)), {}.get)
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
    assert Rooms(make_store(None), {}.get)._address(request) not in counted, "salted anew by each process"


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


@pytest.mark.parametrize(
    ("given", "line"), [("a  b\n\tc", "a b c"), ("x" * 10, "x" * 10), ("<b>&", "<b>&"), ("a\u2028b", "a b")]
)
def test_a_line_of_text(given: str, line: str) -> None:
    assert text(given, "text", 10) == line
