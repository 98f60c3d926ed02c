"""Where exact cancellation ends: the key bias and softmax's shift, by size and precision."""

import dataclasses
import math

import numpy as np
import pytest

from attention_core.experiments.biases import (
    KEY_SIZES,
    BiasesConfig,
    BiasesSetting,
    run_shift,
    steps_size_sweep,
)
from attention_core.experiments.biases.sweep import _exactly, _verdict
from attention_core.experiments.run import run
from attention_core.experiments.verdict import Step


def test_the_key_bias_cancels_until_precision_ends() -> None:
    result = run(BiasesConfig().key_sweep(), experiment=steps_size_sweep)
    last = dict(zip(result.dtypes, result.residuals[:, -1], strict=True))
    assert 2e-12 < last["float64"] < 2e-10
    assert 1e-3 < last["float32"] < 1e-1
    assert last["bfloat16"] > 0.1
    assert math.isnan(last["float16"])
    largest = _exactly(BiasesConfig().key_sweep())
    first = next(size for size, (_, key) in zip(KEY_SIZES, largest, strict=True) if key > 65504)
    assert result.first_nan("float16") == first
    assert result.first_nan("float64") is None
    assert result.nan_shares[3, -1] == 1
    outcomes = [verdict.outcome for verdict in result.verdicts]
    assert outcomes == ["holds", "undecided", "undecided", "fails"]
    assert "65,504" in result.verdict("bias-k.float16").because
    assert [verdict.outcome for verdict in result.at(1.0)] == ["holds"] * 4
    assert np.isnan(result.weights[3, -1]).all()


@pytest.mark.parametrize("switch", ["rotary", "qk_norm", "tied_query_key", "zero_sink"])
def test_the_sweep_sees_the_key_bias_come_back(switch: str) -> None:
    result = run(BiasesConfig(**{switch: True}).key_sweep(), experiment=steps_size_sweep)
    for size in (0.1, 1.0, 100.0):
        assert [verdict.outcome for verdict in result.at(size)[:2]] == ["fails", "fails"]
    assert {verdict.outcome for row in result.judged for verdict in row} <= {"fails", "undecided"}


def test_theory_and_not_the_measurement_says_what_is_expected() -> None:
    """A measurement that contradicts theory is found at every size where theory decides."""
    config = BiasesConfig(rotary=True).key_sweep()
    exact = _exactly(config)
    for dtype in ("float32", "bfloat16", "float16"):
        found = set()
        for size, known in zip(KEY_SIZES, exact, strict=True):
            here = dataclasses.replace(config, dtype=dtype)
            high, low = (_verdict(here, size, measured, 0.01, *known) for measured in (1.0, 0.0))
            assert high.expected is low.expected
            found.add(low.outcome)
        assert found == {"surprises", "undecided"}


def test_the_sweep_depends_on_nothing_that_does_not_change_it() -> None:
    base = BiasesConfig().key_sweep()
    for change in ({"size": 0.1}, {"dtype": "float16"}, {"v_bias": False}, {"masked_row": True}, {"dropout": True}):
        assert BiasesConfig(**change).key_sweep() == base
    assert BiasesConfig(size=0.1, dropout=True).without_size() == BiasesConfig().without_size()
    *steps, result = steps_size_sweep(base)
    assert [step.done for step in steps if isinstance(step, Step)] == [0, 1, 2, 3]
    assert type(result) is type(run(base, experiment=steps_size_sweep))


def test_softmax_ignores_a_shift_until_precision_ends() -> None:
    result = run_shift(BiasesSetting())
    at = result.shifts.index(1000.0)
    assert result.residuals[0, at] < 1e-13
    assert 1e-6 < result.residuals[1, at] < 5e-5
    assert result.residuals[2, at] > 0.1
    assert np.isnan(result.residuals[3, result.shifts.index(1e5) :]).all()
    assert np.isnan(result.naive[:, at]).all()
    within = np.isfinite(result.residuals)
    assert (result.residuals[within] <= result.bounds[within]).all()
