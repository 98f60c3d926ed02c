"""Scaling: every claim true and broken, and the numbers that theory gives."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.inputs import generator
from attention_core.experiments.scaling import D_HEADS, ScalingConfig, ScalingResult
from attention_core.experiments.scaling.config import expected_scores
from attention_core.experiments.scaling.inputs import chunks, projections
from attention_core.experiments.scaling.sweep import head, moments, pair_scores
from attention_core.experiments.scaling.verdicts import own_keys, verdicts
from attention_core.modules.multi_head import MultiHeadAttention
from tests.experiments.scaling_runs import ARRAYS, run

OUTCOMES = (
    "scale-var.unscaled",
    "scale-var.scaled",
    "scale-sat",
    "scale-jac.keys",
    "scale-jac.two",
    "scale-grad.median",
    "scale-grad.mean",
)


def outcomes(result: ScalingResult) -> dict[str, str]:
    return {verdict.key: verdict.outcome for verdict in result.verdicts}


def test_without_a_factor_every_claim_holds_and_saturation_in_probability() -> None:
    result = run()
    assert outcomes(result) == dict.fromkeys(OUTCOMES, "holds")
    assert "in probability: 7.8% of the queries" in result.verdict("scale-sat").because


VAR = {"scale-var.unscaled": "fails", "scale-var.scaled": "fails"}


NIGHTLY = pytest.mark.nightly


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "differ"),
    [
        pytest.param({"scale": "root"}, {"scale-sat": "fails", "scale-grad.median": "fails"}, marks=NIGHTLY),
        ({"scale": "head"}, {"scale-sat": "fails", "scale-grad.median": "fails", "scale-grad.mean": "fails"}),
        pytest.param(
            {"scale": "power", "alpha": 0.4}, {"scale-sat": "fails", "scale-grad.median": "fails"}, marks=NIGHTLY
        ),
        pytest.param({"temperature": 10.0}, {"scale-sat": "fails", "scale-grad.median": "fails"}, marks=NIGHTLY),
        pytest.param({"std": 0.9}, VAR, marks=NIGHTLY),
        pytest.param({"mean": 0.1, "inputs": "uniform"}, VAR, marks=NIGHTLY),
        ({"correlation": 0.1, "inputs": "signs"}, VAR | {"scale-grad.mean": "fails"}),
        pytest.param({"through_module": True}, VAR, marks=NIGHTLY),
        ({"qk_norm": True, "std": 3.0, "dtype": "float32"}, {}),
        ({"naive_epsilon": True}, {"scale-jac.keys": "fails", "scale-jac.two": "fails"}),
        pytest.param({"inputs": "uniform", "dtype": "bfloat16", "seed": 8, "num_keys": 16}, {}, marks=NIGHTLY),
    ],
    ids=str,
)
def test_switches_break_exactly_what_theory_says(settings: dict[str, object], differ: dict[str, str]) -> None:
    result = run(**settings)
    found = outcomes(result)
    assert {key: found[key] for key in differ} == differ
    for verdict in result.verdicts:
        assert verdict.outcome == differ.get(verdict.key, "holds") or verdict.outcome == "undecided", (
            verdict.sentence()
        )
        assert verdict.holds or verdict.because
    for curves in result.curves:
        for name in ARRAYS:
            assert np.isfinite(getattr(curves, name)).all(), (curves.name, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "undecided"),
    [
        ({"temperature": 4.0}, ("scale-sat",)),  # the mean largest weight is foreseen at 0.899, and 0.9 is the bound
        pytest.param({"num_keys": 1}, ("scale-sat", "scale-grad.median", "scale-grad.mean"), marks=NIGHTLY),
        ({"num_keys": 1, "naive_epsilon": True}, ("scale-sat", "scale-grad.median", "scale-grad.mean")),
        (  # the best keys tie in about half of the rows
            {"mean": 2.0, "qk_norm": True, "inputs": "signs", "num_keys": 32, "dtype": "bfloat16", "seed": 326249},
            ("scale-grad.median",),
        ),
        pytest.param(
            {"mean": 2.0, "dtype": "bfloat16"}, (), marks=NIGHTLY
        ),  # scores of 16,384 are multiples of 128 here, and tie
        pytest.param(
            {"mean": 2.0, "std": 0.5, "num_keys": 16, "dtype": "float32", "seed": 727502}, (), marks=NIGHTLY
        ),
        pytest.param({"inputs": "signs", "correlation": 1.0, "scale": "root"}, (), marks=NIGHTLY),
        pytest.param({"std": 0.1, "through_module": True, "num_keys": 16}, (), marks=NIGHTLY),
    ],
    ids=str,
)
def test_near_a_threshold_nothing_is_expected_and_the_reason_is_said(
    settings: dict[str, object], undecided: tuple[str, ...]
) -> None:
    result = run(**settings)
    assert set(undecided) <= {verdict.key for verdict in result.verdicts if verdict.outcome == "undecided"}
    for verdict in result.verdicts:
        assert not verdict.surprises, verdict.sentence()
        assert verdict.measured < 1e8  # 0 for inputs a hundredth of what is claimed is many standard errors away


@pytest.mark.parametrize("settings", [{"temperature": 4.0}, {}, {"scale": "head"}, {"naive_epsilon": True}], ids=str)
def test_what_is_expected_does_not_depend_on_what_was_measured(settings: dict[str, object]) -> None:
    """Verdicts on curves of another run, whose numbers are far off, expect what they always did."""
    config, strange = ScalingConfig(**settings), run(scale="root", num_keys=2, std=4.0)
    expected = {verdict.key: verdict.expected for verdict in run(**settings).verdicts}
    curves = (strange.unscaled, strange.scaled, strange.scaled if config.scale == "none" else strange.unscaled)
    if config.naive_epsilon:
        curves = (run().unscaled, run().scaled, strange.scaled)
    assert {verdict.key: verdict.expected for verdict in verdicts(config, *curves)} == expected


def test_the_numbers_are_those_of_theory() -> None:
    result = run()
    sizes = (4, 16, 64, 256, 1024, 4096)
    largest = [result.at("max_weight", d_head) for d_head in sizes]
    np.testing.assert_allclose(largest, (0.276, 0.577, 0.790, 0.899, 0.947, 0.974), atol=0.04)
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
    assert [result.verdict(f"scale-jac.{part}").measured for part in ("keys", "two")] == [0, 0]
    assert result.verdict("scale-jac.keys").numbers == "rows with ‖J‖_F > nε = 0 of 53,248 rows = 0"
    assert 1.9 < result.unscaled.sharpest.max() <= 2 * (1 + 1e-12)


def test_default_initialised_projections_give_a_ninth_of_the_variance() -> None:
    result = run(through_module=True)
    np.testing.assert_allclose(result.unscaled.score_variance / D_HEADS, 1 / 9, rtol=0.2)
    assert "d_head/9" in result.verdict("scale-var.unscaled").because
    config = ScalingConfig(through_module=True)
    ours = projections(config).q_weight
    theirs = MultiHeadAttention(512, 1, d_head=4096).requires_grad_(False).q_weight
    assert ours.shape == theirs.shape
    assert float(ours.std()) == pytest.approx(float(theirs.std()), rel=0.01)
    assert float(ours.abs().max()) == pytest.approx(float(theirs.abs().max()), rel=0.01)


@pytest.mark.parametrize(
    ("std", "dtype", "outcome"),
    [
        (1.7, "float64", "undecided"),
        (1.8, "float64", "fails"),
        (1.7, "bfloat16", "undecided"),
        (2.5, "bfloat16", "fails"),
    ],
)
def test_a_spread_that_nearly_makes_up_for_the_layer_is_decided_where_theory_can_tell(
    std: float, dtype: str, outcome: str
) -> None:
    """σ⁴/9 is 0.93 at 1.7 and 1.17 at 1.8; rounding of sums of 4,096 products in bfloat16 may explain either."""
    spread = run(seed=538184, inputs="signs", std=std, through_module=True, num_keys=40, dtype=dtype)
    verdict = spread.verdict("scale-var.scaled")
    assert verdict.outcome == outcome
    assert f"about {std**4 / 9:.3g} d_head" in verdict.because


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
        count, first, second, _ = moments(pair_scores(head(config, d_head), inputs))
        expected = expected_scores(config, d_head)
        mean = first / count
        assert float(mean) == pytest.approx(expected.mean, abs=6 * expected.std / math.sqrt(count) + 0.02 * d_head)
        assert float((second / count - mean**2).sqrt()) == pytest.approx(expected.std, rel=0.15)


@pytest.mark.parametrize("settings", [{}, {"inputs": "uniform", "std": 0.5}, {"inputs": "signs"}, {"qk_norm": True}])
def test_a_query_s_own_key_is_ahead_by_what_is_expected(settings: dict[str, object]) -> None:
    config = ScalingConfig(correlation=0.9, **settings)
    inputs = next(chunks(config))
    for d_head in (64, 1024):
        count, first, second, _ = moments(pair_scores(head(config, d_head), inputs))
        along, *lengths = torch.randn(3, 100_000, generator=generator(0, "own keys")).double()
        own, _ = own_keys(config, d_head, along, torch.stack(lengths))
        mean = float(first / count)
        assert mean == pytest.approx(float(own.mean()), abs=6 * float(own.std()) / math.sqrt(count) + 0.001 * mean)
        assert math.sqrt(second / count - mean**2) == pytest.approx(float(own.std()), rel=0.05)


@pytest.mark.slow
def test_intervals_cover_the_truth_of_every_seed() -> None:
    """The standard errors of independent pairs are honest: the deviations of 40 seeds spread by about one of them."""
    deviations = []
    for seed in range(40):
        config = ScalingConfig(seed=seed)
        inputs = next(chunks(config))
        for d_head in (1, 64, 2048):
            count, _, second, fourth = moments(pair_scores(head(config, d_head), inputs))
            error = torch.sqrt((fourth / count - (second / count) ** 2) / count)
            deviations.append(float((second / count - d_head) / error))
    assert 0.8 < float(np.std(deviations)) < 1.25
    assert max(map(abs, deviations)) < 5
