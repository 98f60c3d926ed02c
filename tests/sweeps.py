"""Sweeps: one fact on every page, screen, preset or pair. A quarter of each runs by day, and all of it at night."""

from collections.abc import Iterable
from typing import Any

import pytest


def quarter_by_day(cases: Iterable[Any], begin: int = 0, mark: str = "slow") -> list[Any]:
    """Parameters of a test of which the night runs all, and every change each fourth.

    Sweeps over pages begin at different ones, so that each page is in some of them by day.

    Args:
        cases: What would stand in ``parametrize``.
        begin: Which of four is the first that runs by day.
        mark: What marks those; none where they belong to the quick tests.
    """
    kept = [getattr(pytest.mark, mark)] if mark else []
    return [
        pytest.param(
            *(case.values if hasattr(case, "values") else case if isinstance(case, tuple) else (case,)),
            id=getattr(case, "id", None),
            marks=kept if at % 4 == begin % 4 else pytest.mark.nightly,
        )
        for at, case in enumerate(cases)
    ]


def slow_of(cases: Iterable[Any], *names: str) -> list[Any]:
    """Parameters of a quick test of which these, by their names, are slow: each takes as long as a hundred others.

    Raises:
        ValueError: If one of the names is none of them.
    """
    made = [case if hasattr(case, "values") else pytest.param(case, id=_name(case)) for case in cases]
    if missing := {*names}.difference(case.id for case in made):
        raise ValueError(f"There is no {', '.join(sorted(missing))}.")
    return [
        pytest.param(*case.values, id=case.id, marks=[*case.marks, *[pytest.mark.slow] * (case.id in names)])
        for case in made
    ]


def _name(case: Any) -> str:
    return case if isinstance(case, str) else case.name if hasattr(case, "name") else case.id
