"""Which of three sentences is said of verdicts, and why one of them is not as it should be."""

from types import SimpleNamespace
from typing import Any

import pytest

from attention_core.figures.proof import measured
from attention_core.figures.said import outcome, said, undone
from attention_core.measuring.verdict import Verdict


def verdict(key: str = "one.a", measured: float = 1.0, **given: Any) -> Verdict:
    about = {
        "says": f"it is {key}", "quantity": "x", "relation": "≤", "bound": 2.0, "expected": True, "cases": "",
        "dtype": "float64", "device": "cpu",
    }  # fmt: skip
    return Verdict(key=key, measured=measured, **about | given)


HOLDS = verdict()
FAILS = verdict("one.b", 3.0, expected=False, because="it is broken")
DENIED = verdict("one.c", 3.0)
UNEXPECTED = verdict("one.d", expected=False, because="it is broken")
OPEN = verdict("one.e", expected=None, because="too few")


@pytest.mark.parametrize(
    ("verdicts", "keys", "came", "why"),
    [
        ((HOLDS,), ("one",), "holds", ""),
        ((HOLDS,), ("two",), "undecided", ""),
        ((FAILS,), ("one",), "fails", "Not so here: it is broken."),
        ((HOLDS, FAILS), ("one",), "fails", "Not so here: it is broken."),
        ((HOLDS, FAILS), ("one.a",), "holds", ""),
        ((OPEN,), ("one",), "undecided", "Not decided here: too few."),
        ((HOLDS, OPEN), ("one",), "undecided", "Not decided here: too few."),
        ((FAILS, OPEN), ("one",), "fails", "Not so here: it is broken. Not decided here: too few."),
        ((FAILS, FAILS), ("one",), "fails", "Not so here: it is broken."),
        ((DENIED,), ("one",), "fails", "It should hold here, and does not."),
        ((UNEXPECTED,), ("one",), "holds", "It holds here, and should not."),
        (
            (DENIED, UNEXPECTED),
            ("one",),
            "fails",
            "It should hold here, and does not. It holds here, and should not.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_came_of_verdicts_together_and_why(verdicts: Any, keys: Any, came: str, why: str) -> None:
    result: Any = SimpleNamespace(verdicts=verdicts)
    assert outcome(result, *keys) == came
    assert said(result, *keys, holds="holds", fails="fails", undecided="undecided") == came
    assert undone(result, *keys) == why


def test_of_what_each_of_several_numbers_is_is_said_where_they_have_one_formula() -> None:
    two = (verdict(), verdict("one.b"), verdict("one.c", quantity="y"))
    lines = measured(SimpleNamespace(verdicts=two)).split("  \n")  # type: ignore[arg-type]
    assert lines == ["it is one.a `x = 1 ≤ 2`", "it is one.b `x = 1 ≤ 2`", "`y = 1 ≤ 2`"]
