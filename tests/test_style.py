"""What a browser would pay for at each press: rules that ask every element anew."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import ROOT

FILES = sorted((ROOT / "pages/_shared/style").glob("*.css"))


def bare(path: Path) -> str:
    """A file of styles without its comments."""
    return re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def asked_of_anything(style: str) -> list[str]:
    """The ``:has(…)`` before which nothing says of what elements they are asked."""
    return re.findall(r"(?<![\w\])(:&-]):(?:not\(:|is\(:)?has\([^{]*", style)


def conditions(style: str) -> Iterator[str]:
    """What stands within each ``:has(…)``."""
    for found in re.finditer(r":has\(", style):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(style[end], 0)
            end += 1
        yield style[found.end() : end - 1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_condition_asks_for_a_part_of_a_class(path: Path) -> None:
    """Each change of any class, of which one press makes hundreds, would set off a look at all that it is said of."""
    assert [one for one in conditions(bare(path)) if "class*=" in one.replace(" ", "")] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_condition_asks_for_a_test_id(path: Path) -> None:
    """All that Streamlit draws has one, so each element that comes would set off the look; its class does not."""
    assert [one for one in conditions(bare(path)) if "data-testid" in one] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_condition_is_asked_of_named_elements(path: Path) -> None:
    """A browser reads a rule from its end: ``.stage > :has(…)`` is first asked of each element of the page."""
    assert asked_of_anything(bare(path)) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_said_of_all_that_stands_in_a_stage_by_what_stands_in_it(path: Path) -> None:
    """``.st-key-stage:has(…) > …`` asks the whole stage at each change within; siblings ask their own parts."""
    assert re.findall(r"\.st-key-stage(?::not\()?:has\([^{]*", bare(path)) == []


def test_conditions_are_found() -> None:
    assert [*conditions("a:has(> b:not(:has(c)), d) { } e:has([class*=f]) { }")] == [
        "> b:not(:has(c)), d",
        "c",
        "[class*=f]",
    ]
    named = "a:has(b), .c:not(:has(d)) > [e=f]:has(g) { } h:is(i):has(j) { }"
    assert asked_of_anything(named) == []
    assert len(asked_of_anything("a > :has(b) { } :has(c) { } d > :not(:has(e)) { } ~ :is(:has(f), g) { }")) == 4
    assert FILES
