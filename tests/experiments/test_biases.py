"""Every claim about the biases, where theory says it holds and where a switch breaks it."""

import numpy as np
import pytest
import torch

from attention_core.experiments.biases import (
    SIZES,
    BiasesConfig,
    BiasesSetting,
    run_bias_sizes,
    run_biases,
)
from attention_core.experiments.biases.module import BiasedAttention
from attention_core.experiments.inputs import generator

HALVES = ("bfloat16", "float16")


@pytest.mark.parametrize(
    "config",
    [
        BiasesConfig(tokens=("a",), tied_query_key=True, qk_norm=True, zero_sink=True),
        BiasesConfig(tokens=("a",), masked_row=True, zero_sink=True, o_bias=False),
        BiasesConfig(tokens=("a", "a"), rotary=True, masked_row=True),
        # q = k, and b_Q moves their one score only to second order: too little for single precision.
        BiasesConfig(tokens=("a", "a"), tied_query_key=True, zero_sink=True, size=0.1, dtype="float32"),
    ],
)
def test_odd_settings_do_not_surprise(config: BiasesConfig) -> None:
    for verdict in run_biases(config).verdicts:
        assert not verdict.surprises, f"{verdict.sentence()} ({verdict.because})"


def test_half_precision_sees_the_query_bias_and_what_brings_the_key_bias_back() -> None:
    for seed in range(5):
        plain, rotary = (run_biases(BiasesConfig(dtype="bfloat16", seed=seed, rotary=on)) for on in (False, True))
        for key in ("bias-k.weights", "bias-k.output", "bias-k-grad", "bias-v", "bias-q.output"):
            assert plain.verdict(key).outcome == "holds", plain.verdict(key).sentence()
        assert rotary.verdict("bias-k-grad").outcome == rotary.verdict("bias-k.output").outcome == "fails"
        assert plain.verdict("bias-q.output").measured > 2 * plain.verdict("bias-q.output").bound


def test_a_shift_too_coarse_for_a_precision_shows_nothing_there() -> None:
    verdicts = {dtype: run_biases(BiasesConfig(dtype=dtype)).verdict("softmax-shift") for dtype in HALVES}
    assert verdicts["float16"].outcome == "holds"
    assert verdicts["bfloat16"].outcome == "undecided"
    naive = run_biases(BiasesConfig(dtype="bfloat16", naive_softmax=True)).verdict("softmax-shift")
    assert naive.outcome == "fails"


@pytest.mark.parametrize(
    ("settings", "felt"),
    [
        ({}, (True, False, False)),
        ({"rotary": True}, (True, True, True)),
        ({"zero_sink": True, "tokens": ("a", "a")}, (True, True, True)),
        ({"rotary": True, "tokens": ("a", "a")}, (True, True, False)),
        ({"k_bias": False}, (False, False, False)),
        ({"tied_query_key": True, "qk_norm": True, "tokens": ("a", "a")}, (False, False, False)),
        ({"dtype": "bfloat16"}, (True, False, False)),
        ({"dtype": "bfloat16", "rotary": True}, (True, True, True)),
        ({"dtype": "bfloat16", "rotary": True, "size": 0.1}, (None, None, None)),
    ],
)
def test_how_far_the_key_bias_is_felt(settings: dict[str, object], felt: tuple[bool | None, ...]) -> None:
    for seed in range(3):
        assert run_biases(BiasesConfig(**settings, seed=seed)).key_bias_felt == felt


def test_dropout_leaves_the_process_global_stream_where_it_was() -> None:
    attention = BiasedAttention(BiasesSetting())
    module = attention.at(5.0)
    state = torch.random.get_rng_state()
    first, second = (attention.trace(module, dropout=True) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(first.weights, second.weights)
    assert (first.weights == 0).any()


def test_a_bias_that_is_off_has_no_effect_and_no_verdict() -> None:
    result = run_biases(BiasesConfig(q_bias=False, k_bias=False, v_bias=False, o_bias=False))
    assert result.effects == ()
    assert {verdict.claim for verdict in result.verdicts} == {"bias-terms", "softmax-shift"}
    assert result.effect("k") is None


def test_gradients_are_those_of_finite_differences() -> None:
    config = BiasesConfig(rotary=True)
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
    setting = BiasesSetting(**switches)
    result = run_bias_sizes(setting)
    attention = BiasedAttention(setting)
    for step in (0, 5):
        scores = attention.trace(attention.at(SIZES[step])).scores[0].detach().numpy()
        assert np.allclose(result.terms[step].sum(0), scores, atol=1e-12)
    for term, constant in enumerate(result.constant):
        assert (result.spreads[:, term].max() < 1e-12) == constant
    assert result.terms.shape == (len(SIZES), 4, 4, 6, 6)


def test_only_what_the_query_bias_adds_moves_the_weights() -> None:
    for on, moves in (("q", True), ("k", False), ("v", False), ("o", False)):
        off = {f"{role}_bias": role == on for role in "qkvo"}
        result = run_bias_sizes(BiasesSetting(**off))
        assert (np.abs(result.weights_change[-1]).max() > 0.05) == moves
        assert (np.abs(result.output_change[-1]).max() > 0.05) == (on != "k")
