"""Sweeps: one fact on every page, screen, preset or pair. A quarter of each runs by day, and all of it at night."""

from collections.abc import Iterable
from typing import Any

import pytest


def quarter_by_day(cases: Iterable[Any], begin: int = 0, mark: str = "slow") -> list[Any]:
    """Parameters of a test of which the night runs all, and every change each fourth.

    Sweeps over pages begin at different ones, so that each page is in some of them by day.

    Args:
        cases: What would stand in ``parametrize``; a tuple is several arguments.
        begin: Which of four is the first that runs by day.
        mark: What marks those; nothing where the whole file has it.
    """
    by_day = [getattr(pytest.mark, mark)] if mark else []
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=by_day if at % 4 == begin % 4 else pytest.mark.nightly,
        )
        for at, case in enumerate(cases)
    ]


def slow_of(cases: Iterable[Any], *names: str) -> list[Any]:
    """Parameters of a quick test of which these, by their names, are slow: each takes as long as a hundred others.

    Raises:
        ValueError: If one of the names is none of them.
    """
    by_name = {_name(case): case for case in cases}
    if missing := {*names}.difference(by_name):
        raise ValueError(f"There is no {', '.join(sorted(missing))}.")
    return [pytest.param(case, id=name, marks=[pytest.mark.slow] * (name in names)) for name, case in by_name.items()]


def _name(case: Any) -> str:
    return case if isinstance(case, str) else case.name if hasattr(case, "name") else case.id
