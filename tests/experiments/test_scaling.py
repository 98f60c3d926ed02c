"""Scaling: every claim true and broken, and the numbers that theory gives."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.scaling import D_HEADS, ScalingConfig, ScalingResult
from attention_core.experiments.scaling.config import expected_scores
from attention_core.experiments.scaling.inputs import chunks, projections
from attention_core.experiments.scaling.sweep import head, pair_moments
from attention_core.modules.multi_head import MultiHeadAttention
from tests.experiments.scaling_runs import ARRAYS, run


def held(result: ScalingResult) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for verdict in result.verdicts:
        found.setdefault(verdict.claim, []).append(verdict.holds)
    return found


ALL_HOLD = {
    "scale-var": [True, True],
    "scale-sat": [True],
    "scale-jac": [True, True],
    "scale-grad": [True, True],
    "scale-absorb": [True],
}


def test_without_a_factor_every_claim_holds() -> None:
    result = run()
    assert held(result) == ALL_HOLD
    assert all(verdict.as_expected and not verdict.because for verdict in result.verdicts)


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({"scale": "1/sqrt(d_head)"}, {"scale-sat": [False], "scale-grad": [False, True]}),
        ({"scale": "1/d_head"}, {"scale-sat": [False], "scale-grad": [False, False]}),
        ({"scale": "d_head^-alpha", "alpha": 0.4}, {"scale-sat": [False], "scale-grad": [False, True]}),
        ({"temperature": 20.0}, {"scale-sat": [False], "scale-grad": [False, True]}),
        ({"std": 0.9}, {"scale-var": [False, False]}),
        ({"mean": 0.1, "inputs": "uniform"}, {"scale-var": [False, False]}),
        ({"correlation": 0.1, "inputs": "signs"}, {"scale-var": [False, False], "scale-grad": [True, False]}),
        ({"through_module": True}, {"scale-var": [False, False], "scale-grad": [False, True]}),
        ({"qk_norm": True, "std": 3.0, "dtype": "float32"}, {"scale-absorb": [False]}),
        ({"naive_epsilon": True}, {"scale-jac": [False, False]}),
        ({"inputs": "signs", "dtype": "float32", "seed": 7}, {}),
        ({"inputs": "uniform", "dtype": "bfloat16", "seed": 8, "num_keys": 16}, {}),
        ({"num_keys": 1}, {}),
    ],
    ids=str,
)
def test_switches_break_exactly_what_theory_says(settings: dict[str, object], broken: dict[str, list[bool]]) -> None:
    result = run(**settings)
    assert held(result) == ALL_HOLD | broken
    for verdict in result.verdicts:
        assert verdict.as_expected, verdict.sentence()
        assert verdict.holds or verdict.because
    for curves in result.curves:
        for name in ARRAYS:
            assert np.isfinite(getattr(curves, name)).all(), (curves.name, name)


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 4.0},  # the mean largest weight is foreseen at 0.899, and 0.9 is the bound
        {"mean": 2.0, "dtype": "bfloat16"},  # scores of 16,384 are multiples of 128 here, and tie
        {"mean": 2.0, "std": 0.5, "num_keys": 16, "dtype": "float32", "seed": 727502},
        {"inputs": "signs", "correlation": 1.0, "scale": "1/sqrt(d_head)"},
        {"qk_norm": True, "dtype": "bfloat16"},  # rounding explains any difference of two weights
        {"naive_epsilon": True, "num_keys": 1},
        {"std": 0.1, "through_module": True, "num_keys": 16},
    ],
    ids=str,
)
def test_what_is_expected_is_right_at_the_edges_too(settings: dict[str, object]) -> None:
    for verdict in run(**settings).verdicts:
        assert verdict.as_expected, verdict.sentence()
        assert verdict.measured < 1e8  # 0 for inputs a hundredth of what is claimed is many standard errors away


def test_the_numbers_are_those_of_theory() -> None:
    result = run()
    sizes = (4, 16, 64, 256, 1024, 4096)
    largest = [result.at("max_weight", d_head) for d_head in sizes]
    np.testing.assert_allclose(largest, (0.276, 0.577, 0.790, 0.899, 0.947, 0.974), atol=0.03)
    scaled = [result.at("max_weight", d_head, of="scaled") for d_head in sizes]
    assert 0.09 < min(scaled) < max(scaled) < 0.12
    assert result.at("gradient_median", 64) == pytest.approx(0.8, rel=0.15)
    assert 1e-7 < result.at("gradient_median", 4096) < 1e-5
    assert result.at("gradient_mean", 64) == pytest.approx(1.4, rel=0.15)
    assert result.at("gradient_mean", 4096) == pytest.approx(1.8, rel=0.35)
    assert result.at("gradient_high", 64) == pytest.approx(7, rel=0.2)
    assert result.at("gradient_high", 4096) == pytest.approx(37, rel=0.35)
    assert result.at("gradient_vanished", 4096) == pytest.approx(0.5, abs=0.06)
    assert result.at("gradient_top_share", 4096) == pytest.approx(0.28, abs=0.1)
    assert 1 - result.at("saturated", 4096) == pytest.approx(0.08, abs=0.03)
    flat = result.scaled.gradient_median[D_HEADS.index(32) :]
    np.testing.assert_allclose(flat, 0.167, rtol=0.1)
    np.testing.assert_allclose(result.scaled.gradient_low[-1], 0.10, rtol=0.15)
    np.testing.assert_allclose(result.scaled.gradient_high[-1], 0.37, rtol=0.2)
    peak, height = result.jacobian_peak
    assert peak in (8, 16)
    assert height == pytest.approx(0.30, abs=0.02)
    assert result.violations == (0, 0)
    assert result.rows == 2 * 13 * 2048
    assert 1.9 < result.unscaled.sharpest.max() <= 2 * (1 + 1e-12)


def test_default_initialised_projections_give_a_ninth_of_the_variance() -> None:
    result = run(through_module=True)
    np.testing.assert_allclose(result.unscaled.score_variance / result.d_heads, 1 / 9, rtol=0.2)
    assert "d_head/9" in result.verdicts[0].because
    config = ScalingConfig(through_module=True)
    ours = projections(config).q_weight
    theirs = MultiHeadAttention(512, 1, d_head=4096).requires_grad_(False).q_weight
    assert ours.shape == theirs.shape
    assert float(ours.std()) == pytest.approx(float(theirs.std()), rel=0.01)
    assert float(ours.abs().max()) == pytest.approx(float(theirs.abs().max()), rel=0.01)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"inputs": "signs", "std": 0.5},
        {"inputs": "uniform", "mean": 0.5, "std": 2.0},
        {"through_module": True, "std": 2.0},
        {"qk_norm": True, "mean": 0.7},
    ],
    ids=str,
)
def test_moments_of_pairs_are_those_expected(settings: dict[str, object]) -> None:
    config = ScalingConfig(**settings)
    inputs = next(chunks(config))
    for d_head in (16, 256):
        count, first, second, _ = pair_moments(head(config, d_head, 1.0), inputs)
        expected = expected_scores(config, d_head)
        mean = first / count
        assert float(mean) == pytest.approx(expected.mean, abs=6 * expected.std / math.sqrt(count) + 0.02 * d_head)
        assert float((second / count - mean**2).sqrt()) == pytest.approx(expected.std, rel=0.15)


def test_intervals_cover_the_truth_of_every_seed() -> None:
    """The standard errors of independent pairs are honest: the deviations of 40 seeds spread by about one of them."""
    deviations = []
    for seed in range(40):
        config = ScalingConfig(seed=seed)
        inputs = next(chunks(config))
        for d_head in (1, 64, 2048):
            count, _, second, fourth = pair_moments(head(config, d_head, 1.0), inputs)
            error = torch.sqrt((fourth / count - (second / count) ** 2) / count)
            deviations.append(float((second / count - d_head) / error))
    assert 0.8 < float(np.std(deviations)) < 1.25
    assert max(map(abs, deviations)) < 5
