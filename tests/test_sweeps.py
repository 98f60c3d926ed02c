"""What is left to the night is a part of each sweep, and no page is left to it by all."""

from itertools import product
from typing import Any

import pytest

from tests.sweeps import slow_of, some_by_day


def marked(cases: list[Any], mark: str) -> list[str]:
    return [case.values[0] for case in cases if mark in [each.name for each in case.marks]]


def by_day(cases: list[Any]) -> list[Any]:
    return [case for case in cases if not any(each.name == "nightly" for each in case.marks)]


def test_four_sweeps_that_begin_at_different_pages_have_each_of_them_once_by_day() -> None:
    sweeps = [some_by_day("abcdefghij", begin, mark="slow") for begin in range(4)]
    assert marked(some_by_day("abcdefghij", 9, of=8, mark="slow"), "slow") == [*"bj"]
    assert [marked(each, "slow") for each in sweeps] == [[*"aei"], [*"bfj"], [*"cg"], [*"dh"]]
    for each in sweeps:
        assert sorted(marked(each, "slow") + marked(each, "nightly")) == [*"abcdefghij"]
    assert [case.marks for case in by_day(some_by_day("abcdefghij"))] == [[]] * 3


def test_where_two_things_are_crossed_all_of_the_first_come_by_day_and_the_second_in_turn() -> None:
    found = [case.values for case in by_day(some_by_day(product("abcdefgh", range(4)), of=3))]
    assert {one for one, _ in found} == {*"abcdefgh"}
    assert {other for _, other in found} == {*range(4)}
    assert len(found) == 11


def test_a_name_and_marks_that_a_case_has_stay() -> None:
    named = pytest.param("a", 1, id="one", marks=pytest.mark.skip)
    for case, marks in zip(some_by_day([named, named], of=2), (["skip"], ["skip", "nightly"]), strict=True):
        assert (case.values, case.id) == (("a", 1), "one")
        assert [each.name for each in case.marks] == marks


def test_side_by_side_tests_go_by_their_groups(request: pytest.FixtureRequest) -> None:
    if not hasattr(request.config, "workerinput"):
        pytest.skip("All tests run in this process.")
    assert request.config.getoption("loadgroup")


def test_what_drives_a_browser_is_slow(request: pytest.FixtureRequest) -> None:
    """So none of it is left in the quick run."""
    driving = [item for item in request.session.items if "browser" in item.path.parts]
    assert [item.name for item in driving if item.get_closest_marker("slow") is None] == []


def test_what_is_slow_is_named_and_must_be_there() -> None:
    assert marked(slow_of("abc", "b"), "slow") == ["b"]
    with pytest.raises(ValueError, match="There is no d"):
        slow_of("abc", "d")
