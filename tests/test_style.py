"""What a browser would pay for at each press: rules that ask every element anew."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import ROOT

FILES = sorted((ROOT / "pages/_shared/style").glob("*.css"))


def conditions(style: str) -> Iterator[str]:
    """What stands within each ``:has(…)``, comments aside."""
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    for found in re.finditer(r":has\(", style):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(style[end], 0)
            end += 1
        yield style[found.end() : end - 1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_condition_asks_for_a_part_of_a_class(path: Path) -> None:
    """Each change of any class, of which one press makes hundreds, would set off a look at all that it is said of."""
    assert [one for one in conditions(path.read_text(encoding="utf-8")) if "class*=" in one.replace(" ", "")] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_said_of_all_that_stands_in_a_stage_by_what_stands_in_it(path: Path) -> None:
    """``.st-key-stage:has(…) > …`` asks the whole stage at each change within; siblings ask their own parts."""
    style = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall(r"\.st-key-stage(?::not\()?:has\([^{]*", style) == []


def test_conditions_are_found() -> None:
    assert [*conditions("/* :has(x) */ a:has(> b:not(:has(c)), d) { } e:has([class*=f]) { }")] == [
        "> b:not(:has(c)), d",
        "c",
        "[class*=f]",
    ]
    assert FILES
