"""Where what was measured of a claim stands: rounding and what breaks it on one axis, all else as numbers."""

from typing import Any

import pytest

from attention_core.figures.ledger import Marks, marks, place, ticks
from attention_core.measuring.verdict import Verdict


def verdict(**given: Any) -> Verdict:
    said = {
        "key": "claim", "says": "it is", "quantity": "x", "measured": 1e-16, "relation": "≤", "bound": 1e-13,
        "expected": True, "cases": "", "dtype": "float64", "device": "cpu", "rounding": True,
    }  # fmt: skip
    return Verdict(**said | given)


@pytest.mark.parametrize(
    ("value", "at"),
    [(1e-17, 0), (1e-8, 0.5), (10, 1), (0.0, 0), (-1e-8, 0.5), (1e-300, 0), (1e300, 1), (float("inf"), 1)],
)
def test_the_axis_is_logarithmic_and_what_is_beyond_it_stands_at_its_end(value: float, at: float) -> None:
    assert place(value) == pytest.approx(at)


def test_its_ticks_stand_where_their_numbers_do() -> None:
    first, *_, last = ticks()
    assert (first.text, first.at) == ("10⁻¹⁶", pytest.approx(1 / 18))
    assert (last.text, last.at) == ("1", pytest.approx(17 / 18))


def test_rounding_its_bound_and_what_breaks_it_stand_on_the_axis() -> None:
    told = marks([verdict()], [verdict(measured=1.0, expected=False)])
    assert (told.held.at, told.held.text) == (pytest.approx(1 / 18), "1.00×10⁻¹⁶")
    assert told.bound.at == pytest.approx(4 / 18)
    assert (told.broken.at, told.broken.text) == (pytest.approx(17 / 18), "1")


def test_what_has_to_exceed_rounding_stands_there_too() -> None:
    told = marks([verdict(measured=1.0, relation="≥", rounding=False)], [])
    assert (told.held.at, told.bound.at, told.broken) == (pytest.approx(17 / 18), pytest.approx(4 / 18), None)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"measured": 33_554_432, "relation": "=", "bound": 33_554_432.0}, "33,554,432"),
        ({"measured": 256, "bound": 300.0, "unit": "tokens"}, "256 tokens"),
        ({"measured": 1.0, "bound": 1.0, "counted": "6 of 6"}, "6 of 6"),
        ({"measured": 0.5, "relation": "in", "bound": (0.0, 1.0)}, "0.500"),
        ({"measured": 3.36e-16, "bound": 0.1}, "3.36×10⁻¹⁶"),
        ({"measured": float("nan"), "bound": 1e-13, "rounding": True}, "NaN"),
    ],
)
def test_what_is_no_rounding_is_a_number(given: dict[str, Any], text: str) -> None:
    told = marks([verdict(**{"rounding": False} | given)], [])
    assert (told.held.text, told.held.at, told.bound) == (text, None, None)


def test_the_switch_shows_what_it_breaks_first_of_the_same_number() -> None:
    broken = [
        verdict(measured=1e-16), verdict(key="claim.other", measured=0.1, expected=False),
        verdict(measured=1e-8, expected=False),
    ]  # fmt: skip
    assert marks([verdict()], broken).broken.at == pytest.approx(0.5)
    assert marks([verdict()], broken[:2]).broken.at == pytest.approx(16 / 18)


def test_of_what_was_not_measured_nothing_is_drawn() -> None:
    assert marks([], []) == Marks()
