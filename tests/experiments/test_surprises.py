"""Random settings of every registered experiment, in every precision: a few each time, many others every night."""

import random
from collections.abc import Iterator

import pytest

from tests.studies import STUDIES, Tried, surprises

COMMON = ("float32", "bfloat16")  # what most run, and what tells least: by day each second study has one or the other
SLOW = {"scaling": 5, "learning, several seeds": 4}  # a run takes seconds: so many of them at night
LONG = ("images", "learning, several seeds", "trained")
AT_NIGHT = 100


def cases(*dtypes: str) -> Iterator[object]:
    for at, study in enumerate(STUDIES):
        for dtype in study.dtypes:
            by_day = dtypes and at % 2 == 0 and dtype == dtypes[at // 2 % len(dtypes)]
            marks = [pytest.mark.slow] * (study.name in LONG) if by_day else [pytest.mark.nightly]
            yield pytest.param(study, dtype, id=f"{study.name}-{dtype}", marks=marks)


def check(study: Tried, dtype: str, count: int, seed: int) -> int:
    """No verdict surprises; gives how many there are."""
    outcomes, found = surprises(study, dtype, count, seed)
    told = [f"{verdict.key}: {verdict.sentence()} ({verdict.because}) {config}" for config, verdict in found]
    assert not found, (f"seed {seed}", *told)
    return outcomes.total()


@pytest.mark.parametrize(("study", "dtype"), [*cases(*COMMON)])
def test_no_verdict_surprises(study: Tried, dtype: str) -> None:
    # Of several seeds this one draws a claim about a rate.
    assert check(study, dtype, 1 if study.name in SLOW else 2, seed=3) > 0


@pytest.mark.parametrize(("study", "dtype"), [*cases()])
def test_no_verdict_surprises_under_settings_that_were_never_tried(study: Tried, dtype: str) -> None:
    seed = random.SystemRandom().randrange(1_000_000)
    print(f"{study.name}, {dtype}: seed {seed}")
    check(study, dtype, SLOW.get(study.name, AT_NIGHT), seed)


def test_what_is_drawn_is_judged() -> None:
    """Most of what is drawn leads to verdicts that theory decides."""
    outcomes, _ = surprises(STUDIES[0], "float64", 3)
    assert outcomes["holds"] > outcomes["undecided"]
