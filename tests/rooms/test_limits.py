"""Rates, against a count of what was taken; and the checks of what comes in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages._shared.rooms.limits import Limits, Rate, text
from pages._shared.rooms.room import RoomError


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


def test_who_is_here_stays_for_more_than_two_beats() -> None:
    assert Limits().present_s > 2 * Limits().beat_s


@pytest.mark.parametrize("given", ["", "  ", "x" * 11, "a\x00b", "\ud83d", "a\u202eb", "\u2066a", 3, None])
def test_what_is_no_line_of_text(given: Any) -> None:
    with pytest.raises(RoomError, match="“text”"):
        text(given, "text", 10)


@pytest.mark.parametrize(
    ("given", "line"), [("a  b\n\tc", "a b c"), ("x" * 10, "x" * 10), ("<b>&", "<b>&"), ("a\u2028b", "a b")]
)
def test_a_line_of_text(given: str, line: str) -> None:
    assert text(given, "text", 10) == line
