"""Where exact cancellation ends: the key bias and softmax's shift, by size and precision."""

import math

import numpy as np
import pytest

from attention_core.experiments.biases import (
    KEY_SIZES,
    BiasesConfig,
    BiasesSetting,
    run_shift,
    run_size_sweep,
    steps_size_sweep,
)
from attention_core.experiments.verdict import Step


def test_the_key_bias_cancels_until_precision_ends() -> None:
    result = run_size_sweep(BiasesConfig().key_sweep())
    last = dict(zip(result.dtypes, result.residuals[:, -1], strict=True))
    assert 2e-12 < last["float64"] < 2e-10
    assert 1e-3 < last["float32"] < 1e-1
    assert last["bfloat16"] > 0.1
    assert math.isnan(last["float16"])
    assert 1e4 < (result.first_nan("float16") or 0) <= 1e5
    assert result.first_nan("float64") is None
    assert result.nan_shares[3, -1] == 1
    assert [verdict.holds for verdict in result.verdicts] == [True, True, True, False]
    assert "65,504" in result.verdicts[3].because
    assert all(result.verdict(dtype, size).as_expected for dtype in result.dtypes for size in KEY_SIZES)
    assert np.isnan(result.weights[3, -1]).all()


@pytest.mark.parametrize("switch", ["rotary", "qk_norm", "tied_query_key", "zero_sink"])
def test_the_sweep_sees_the_key_bias_come_back(switch: str) -> None:
    result = run_size_sweep(BiasesConfig(**{switch: True}).key_sweep())
    for size in (0.1, 1.0, 100.0):
        for dtype in ("float64", "float32"):
            verdict = result.verdict(dtype, size)
            assert not verdict.holds
            assert not verdict.expected
    assert all(result.verdict(dtype, size).as_expected for dtype in ("float64", "float32") for size in KEY_SIZES)


def test_the_sweep_depends_on_nothing_that_does_not_change_it() -> None:
    base = BiasesConfig().key_sweep()
    for change in ({"size": 0.1}, {"dtype": "float16"}, {"v_bias": False}, {"masked_row": True}, {"dropout": True}):
        assert BiasesConfig(**change).key_sweep() == base
    assert BiasesConfig(size=0.1, dropout=True).setting() == BiasesConfig().setting()
    *steps, result = steps_size_sweep(base)
    assert [step.done for step in steps if isinstance(step, Step)] == [0, 1, 2, 3]
    assert type(result) is type(run_size_sweep(base))


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
