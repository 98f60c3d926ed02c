"""Sweeps: one fact on every page, screen, preset or pair. A part of each runs by day, and all of it at night."""

from collections.abc import Iterable
from typing import Any

import pytest


def some_by_day(cases: Iterable[Any], begin: int = 0, *, of: int = 4, mark: str = "") -> list[Any]:
    """Parameters of a test of which each fourth runs by day, or as many as ``of`` says, and the others at night.

    Where two things are crossed, as studies and precisions, ``of`` is less than there are of the second and shares
    no factor with it: so all of the first come by day, with others of the second in turn.

    Sweeps over pages begin at different ones, so that each page is in some of them by day.

    Args:
        cases: What would stand in ``parametrize``; a tuple is several arguments, and may be a ``pytest.param``.
        begin: Which is the first that runs by day.
        of: Of how many one runs by day.
        mark: What marks those: ``slow`` where these take long, too; nothing where the whole file has it.
    """
    by_day = [getattr(pytest.mark, mark)] if mark else []
    return [
        _marked(case, by_day if at % of == begin % of else [pytest.mark.nightly]) for at, case in enumerate(cases)
    ]


def _marked(case: Any, marks: list[Any]) -> Any:
    if hasattr(case, "marks"):  # it is a ``pytest.param``
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, *marks])
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)


def slow_of(cases: Iterable[Any], *names: str, mark: str = "slow") -> list[Any]:
    """Parameters of a quick test of which these, by their names, are slow: each takes as long as a hundred others.

    Args:
        cases: What would stand in ``parametrize``.
        names: Those that are.
        mark: What marks them: ``nightly`` where each takes as long as a thousand others.

    Raises:
        ValueError: If one of the names is none of them.
    """
    by_name = {_name(case): case for case in cases}
    if missing := {*names}.difference(by_name):
        raise ValueError(f"There is no {', '.join(sorted(missing))}.")
    return [
        pytest.param(case, id=name, marks=[getattr(pytest.mark, mark)] * (name in names))
        for name, case in by_name.items()
    ]


def _name(case: Any) -> str:
    return case if isinstance(case, str) else case.name if hasattr(case, "name") else case.id
