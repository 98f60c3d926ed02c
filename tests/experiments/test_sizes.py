"""A bound of rounding tells something only beside what the number were if the claim was wrong: each has such a size.

What theory foresees, and a threshold that a claim names itself, such as a tenth of what there was, have none. And a
theory says the same of the same settings, whatever was measured.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from typing import Any

import pytest

from attention_core.claims import claims
from attention_core.device import DTYPES
from attention_core.measuring import judge
from attention_core.measuring.claim import Claim
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import run
from attention_core.measuring.theory import Open
from attention_core.studies.learning import SeedsConfig, SuccessRate
from attention_core.studies.learning.verdicts import compares, rate_verdicts
from attention_core.studies.receptive_field import ReceptiveFieldConfig
from tests.studies import STUDIES, Tried, settings
from tests.sweeps import some_by_day

Judged = list[tuple[RunConfig, judge.ClaimTest, judge.Measurement]]
# Verdicts with a bound that is no rounding's: thresholds of the claims' own, and what theory says how large it is.
THRESHOLDS = {
    "dilute.most", "flip", "learn-scale", "learn-tied", "rank-collapse.alike", "rank-collapse.left", "rf-bound.most",
    "rf-random.1", "rf-random.16", "scale-grad.median", "spec-greedy", "text-copy", "text-pairs", "tile-memory",
}  # fmt: skip
FORESEEN = {"bias-mean", "ln-norm.sphere", "qkv-none", "scale-var.scaled", "scale-var.unscaled"}
QUICK = [study for study in STUDIES if "learning" not in study.name and study.name != "scaling"]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judged]:
    """What is judged while the test runs, wherever it is judged."""
    seen: Judged = []
    real = judge._judge

    def spy(config: Any, test: judge.ClaimTest, found: judge.Measurement, exactly: Any) -> Any:
        seen.append((config, test, found))
        return real(config, test, found, exactly)

    monkeypatch.setattr(judge, "_judge", spy)
    real_surprises = judge._surprises

    def surprises(config: Any, test: judge.ClaimTest, exact: judge.Measurement) -> bool:
        before = len(seen)
        try:
            return real_surprises(config, test, exact)  # of float64, which judges another's size
        finally:
            del seen[before:]

    monkeypatch.setattr(judge, "_surprises", surprises)
    return seen


def held_to_sizes(seen: Iterable[tuple[RunConfig, judge.ClaimTest, judge.Measurement]]) -> None:
    for config, test, found in seen:
        theory = test.theory(config)
        assert theory == test.theory(config), test.key
        assert isinstance(theory, Open) or theory.size is None or test.key in FORESEEN, test.key
        if test.relation != "≤":
            continue
        assert test.rounds == (test.key not in THRESHOLDS | FORESEEN), test.key
        if test.rounds:
            assert not math.isinf(found.size) or math.isinf(found.measured), (test.key, found)


@pytest.mark.parametrize(
    ("study", "dtype"),
    some_by_day(zip(QUICK, cycle(DTYPES), strict=False), of=3),
    ids=lambda one: getattr(one, "name", one),
)
def test_whatever_is_set_a_verdict_of_rounding_has_a_size(study: Tried, dtype: str, judged: Judged) -> None:
    for config in settings(study, dtype, 3, seed=4):
        study.run(config)
    assert judged
    held_to_sizes(judged)


def test_what_chance_leaves_random_heads_behind_a_window_is_no_rounding(judged: Judged) -> None:
    run(ReceptiveFieldConfig(heads=3, layers=2, tokens=16, weights="random", mask="window", window=2))
    assert {test.relation for _, test, _ in judged if test.key.startswith("rf-random")} == {"≤"}
    held_to_sizes(judged)


def measures(claim: Claim) -> bool:
    return not {"seconds"} & {*claim.config.__dataclass_fields__}  # a clock


@pytest.mark.parametrize("claim", some_by_day(filter(measures, claims()), 3, of=8), ids=lambda one: one.id)
def test_each_claim_of_the_ledger_is_held_to_a_size_or_to_a_threshold_that_it_names(
    claim: Claim, judged: Judged
) -> None:
    switched: list[Mapping[str, Any]] = [{}, *([claim.breaks.options] if claim.breaks else [])]
    for options in switched:
        config = claim.config(**{**claim.options, **options})
        if isinstance(config, SeedsConfig):  # six runs of which all succeed; what they learn is not in question here
            share = SuccessRate(reached=6, runs=6)
            rate_verdicts(config, share, share if compares(config) else None)
        else:
            run(config, experiment=claim.experiment)
    assert claim.config is SeedsConfig or claim.id in {test.key.partition(".")[0] for _, test, _ in judged}
    held_to_sizes(judged)
