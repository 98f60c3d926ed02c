"""What is left to the night is a part of each sweep, and no page is left to it by all."""

from typing import Any

import pytest

from tests.sweeps import slow_of, some_by_day


def marked(cases: list[Any], mark: str) -> list[str]:
    return [case.values[0] for case in cases if mark in [each.name for each in case.marks]]


def test_four_sweeps_that_begin_at_different_pages_have_each_of_them_once_by_day() -> None:
    sweeps = [some_by_day("abcdefghij", begin) for begin in range(4)]
    assert marked(some_by_day("abcdefghij", 9, of=8), "slow") == [*"bj"]
    assert [marked(each, "slow") for each in sweeps] == [[*"aei"], [*"bfj"], [*"cg"], [*"dh"]]
    for each in sweeps:
        assert sorted(marked(each, "slow") + marked(each, "nightly")) == [*"abcdefghij"]


def test_what_is_slow_is_named_and_must_be_there() -> None:
    assert marked(slow_of("abc", "b"), "slow") == ["b"]
    with pytest.raises(ValueError, match="There is no d"):
        slow_of("abc", "d")
