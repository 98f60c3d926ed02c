"""Every claim about the biases, where theory says it holds and where a switch breaks it."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from attention_core.measuring.inputs import generator
from attention_core.measuring.run import run
from attention_core.measuring.step import Step
from attention_core.studies.biases import (
    KEY_SIZES,
    SIZES,
    AfterNormConfig,
    AppendixConfig,
    BiasesConfig,
    BiasModuleConfig,
    MeanConfig,
    TrainingConfig,
    run_after_norm,
    run_appendix,
    run_bias_sizes,
    run_biases,
    run_mean,
    run_shift,
    steps_size_sweep,
)
from attention_core.studies.biases.appendix import _published_draws
from attention_core.studies.biases.module import BiasedAttention
from attention_core.studies.biases.sweep import _exactly, _verdict

HALVES = ("bfloat16", "float16")


def test_odd_settings_do_not_surprise() -> None:
    for settings in (
        {"tokens": ("a",), "tied_query_key": True, "qk_norm": True, "zero_sink": True},
        {"tokens": ("a",), "masked_row": True, "zero_sink": True, "o_bias": False},
        {"tokens": ("a", "a"), "rotary": True, "masked_row": True},
        # q = k, and b_Q moves their one score only to second order: too little for single precision.
        {"tokens": ("a", "a"), "tied_query_key": True, "zero_sink": True, "size": 0.1, "dtype": "float32"},
    ):
        for verdict in run_biases(BiasesConfig(**settings)).verdicts:
            assert not verdict.surprises, f"{verdict.sentence()} ({verdict.because})"


@pytest.mark.parametrize(
    ("settings", "felt"),
    [
        ({}, (True, False, False)), ({"rotary": True}, (True, True, True)),
        ({"zero_sink": True, "tokens": ("a", "a")}, (True, True, True)),
        ({"rotary": True, "tokens": ("a", "a")}, (True, True, False)), ({"k_bias": False}, (False, False, False)),
        ({"tied_query_key": True, "qk_norm": True, "tokens": ("a", "a")}, (False, False, False)),
        ({"dtype": "float32"}, (True, False, False)),
        ({"dtype": "bfloat16", "rotary": True, "size": 5.0}, (True, True, True)),
        ({"dtype": "bfloat16", "rotary": True, "size": 0.1}, (None, None, None)),
    ],
)  # fmt: skip
def test_how_far_the_key_bias_is_felt(settings: dict[str, object], felt: tuple[bool | None, ...]) -> None:
    for seed in range(3):
        assert run_biases(BiasesConfig(**settings, seed=seed)).key_bias_felt == felt


def test_gradients_are_those_of_finite_differences() -> None:
    config = BiasesConfig(rotary=True, device="cpu")
    effect = run_biases(config).effect("k")
    attention = BiasedAttention(config)
    upstream = torch.randn(1, 6, 32, generator=generator(0, "biases", "upstream"), dtype=torch.float64)
    slopes = []
    with torch.no_grad():
        for i in range(32):
            losses = []
            for step in (1e-5, -1e-5):
                module = attention.at(config.size)
                assert module.k_bias is not None
                module.k_bias[i] += step
                losses.append(float((module(attention.x) * upstream).sum()))
            slopes.append((losses[0] - losses[1]) / 2e-5)
    assert effect is not None
    assert effect.gradient == pytest.approx(float(np.linalg.norm(slopes)), rel=1e-6)


@pytest.mark.parametrize(
    "switches", [{}, {"rotary": True}, {"qk_norm": True}, {"tied_query_key": True, "rotary": True}]
)
def test_the_parts_of_the_scores_add_up_and_are_constant_where_said(switches: dict[str, bool]) -> None:
    setting = BiasModuleConfig(**switches, device="cpu")
    result = run_bias_sizes(setting)
    attention = BiasedAttention(setting)
    for step in (0, 5):
        scores = attention.trace(attention.at(SIZES[step])).scores[0].detach().numpy()
        assert np.allclose(result.terms[step].sum(0), scores, atol=1e-12)
    for term, constant in enumerate(result.constant):
        assert (result.spreads[:, term].max() < 1e-12) == constant
    assert result.terms.shape == (len(SIZES), 4, 4, 6, 6)


# ---- norms, averages, training and a published experiment ----


def test_batch_norm_of_one_token_is_refused_in_words() -> None:
    result = run_after_norm(AfterNormConfig(tokens=("alone",)))
    assert [one.norm for one in result.survivals] == ["none", "LayerNorm", "RMSNorm"]
    assert "more than one token" in result.refusal
    assert run_after_norm(AfterNormConfig(tokens=("alone",), batch_norm_eval=True)).refusal == ""


def test_the_mean_of_a_linear_layer_is_its_bias() -> None:
    for seed in range(5):
        result = run_mean(MeanConfig(seed=seed))
        assert result.verdicts[0].holds
        ratio = result.errors / result.expected_errors
        assert 0.3 < ratio.min() < ratio.max() < 3
        # The error falls with the root of the number of samples.
        slope = np.polyfit(np.log(result.samples), np.log(result.errors), 1)[0]
        assert slope == pytest.approx(-0.5, abs=0.12)
    assert run_mean(MeanConfig(input_mean=0.5)).verdicts[0].measured > 50


def test_the_mean_does_not_depend_on_how_samples_are_cut() -> None:
    short, long = run_mean(MeanConfig(doublings=10)), run_mean(MeanConfig(doublings=15))
    steps = len(short.samples)
    assert np.array_equal(short.means, long.means[:steps])


def test_the_published_draws_are_what_torch_draws_for_layers_made_in_that_order() -> None:
    torch.manual_seed(3)
    x = torch.randn(1, 16, 1024)
    weights = [torch.nn.Linear(1024, 1024, bias=False).weight for _ in range(3)]
    torch.nn.Linear(1024, 1024, bias=False)
    key_bias = torch.nn.Linear(1024, 1024).bias
    drawn_x, drawn_weights, drawn_bias = _published_draws(3)
    assert torch.equal(drawn_x, x)
    assert all(map(torch.equal, drawn_weights, weights))
    assert torch.equal(drawn_bias, key_bias)


def test_the_published_numbers_come_out_again() -> None:
    result = run_appendix(AppendixConfig())
    assert len(result.verdicts) == 5
    assert all(verdict.holds and verdict.expected for verdict in result.verdicts)
    for row in result.rows:
        assert 0.5 <= row.float32 / row.published <= 2
        assert row.float64 < 1e-7 * row.float32  # float64 shows that the rest is rounding
    other = run_appendix(AppendixConfig(seed=1))
    assert [verdict.dtype for verdict in other.verdicts] == ["float64", "float64"]
    assert other.rows[0].float32 != result.rows[0].float32


def test_training_leaves_the_key_bias_without_a_signal() -> None:
    result = run(TrainingConfig(dtype="float32", steps=200))
    assert result.verdicts[0].holds
    assert result.norms.shape == (2, 201, 4)
    assert result.key_bias("SGD") < 1e-7
    # Adam makes steps of what is nothing but rounding.
    assert result.key_bias("Adam") > 100 * result.key_bias("SGD")
    assert (result.norms[:, -1, [0, 2, 3]] > 0.01).all()
    assert run(TrainingConfig(dtype="float64", steps=50)).key_bias("SGD") < 1e-16


# ---- where exact cancellation ends, by size and precision ----


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


def test_a_key_past_the_end_of_float16_that_only_moves_weights_shows_nothing_that_rounding_could_not() -> None:
    """Every score of a word is −∞, and the sink gets all: finite weights, and a bound that explains any."""
    words = ("Donaudampfschifffahrtsgesellschaft",) * 4
    config = BiasesConfig(tokens=words, k_bias=False, direction="coordinate", size=1.0, zero_sink=True, seed=98867)
    result = run(config.key_sweep(), experiment=steps_size_sweep)
    last = result.verdict("bias-k.float16")
    assert 0.5 < last.measured < 1 < last.bound
    assert last.outcome == "undecided"


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
    result = run_shift(BiasModuleConfig())
    at = result.shifts.index(1000.0)
    assert result.residuals[0, at] < 1e-13
    assert 1e-6 < result.residuals[1, at] < 5e-5
    assert result.residuals[2, at] > 0.1
    assert np.isnan(result.residuals[3, result.shifts.index(1e5) :]).all()
    assert np.isnan(result.naive[:, at]).all()
    within = np.isfinite(result.residuals)
    assert (result.residuals[within] <= result.bounds[within]).all()
