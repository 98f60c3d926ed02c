"""Anatomy: every intermediate by independent loops, every claim true and broken, code that repeats it."""

import dataclasses
import itertools
import math
import threading

import numpy as np
import pytest
import torch

from attention_core.experiments.anatomy import (
    MAX_HEADS,
    POSITIONS,
    PROJECTIONS,
    WEIGHTS,
    AnatomyConfig,
    anatomy_snippet,
    run_anatomy,
    time_heads,
)
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.verdict import Verdict
from tests.experiments.snippets import numbers, own_lines, run_snippets

CLAIMS = ("mha-reshape", "mha-divisible", "drop-rows", "convex-hull", "soft-lookup", "cplx-core")
PRECISE = ("float64", "float32")


def verdict(key: str, **settings: object) -> Verdict:
    return run_anatomy(AnatomyConfig(**settings)).verdict(key)


def test_by_default_all_claims_hold() -> None:
    result = run_anatomy(AnatomyConfig())
    assert tuple(v.key for v in result.verdicts) == CLAIMS
    assert all(v.outcome == "holds" and not v.because for v in result.verdicts)
    assert [v.key for v in result.about("cplx-core", "drop-rows").verdicts] == ["drop-rows", "cplx-core"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize(
    ("claim", "switch"),
    [
        ("mha-reshape", {"miscut": True}),
        ("mha-divisible", {"d_head": 8}),
        ("drop-rows", {"dropout": 0.5}),
        ("convex-hull", {"dropout": 0.1}),
        ("soft-lookup", {"dropout": 0.1}),
        ("cplx-core", {"fused": True}),
    ],
)
def test_each_claim_breaks_by_its_switch_alone(claim: str, switch: dict, dtype: str) -> None:
    for found in run_anatomy(AnatomyConfig(dtype=dtype, **switch)).verdicts:
        assert found.outcome in ("fails", "holds"), found.sentence()
    broken = verdict(claim, dtype=dtype, **switch)
    assert broken.because
    if broken.relation == "≤" and dtype in PRECISE:
        assert broken.measured >= 1000 * broken.bound


@pytest.mark.slow
@pytest.mark.parametrize("heads", [2, *(pytest.param(heads, marks=pytest.mark.nightly) for heads in (1, 5))])
@pytest.mark.parametrize(("weights", "positions"), list(itertools.product(WEIGHTS, POSITIONS)))
def test_theory_foresees_every_verdict(weights: str, positions: str, heads: int) -> None:
    for projections, (causal, miscut, dropout) in itertools.product(
        PROJECTIONS, ((False, False, 0.3), (True, True, 0.0), (False, True, 0.9))
    ):
        config = AnatomyConfig(
            tokens=("a", "b", "a", "c"), weights=weights, positions=positions, projections=projections, heads=heads,
            d_head=4, causal=causal, miscut=miscut, dropout=dropout, seed=heads,
        )  # fmt: skip
        for found in run_anatomy(config).verdicts:
            assert not found.surprises, (found.sentence(), config)
            assert found.outcome != "undecided"


def test_every_intermediate_equals_loops_over_plain_numbers() -> None:
    r = run_anatomy(AnatomyConfig(weights="random", causal=True, heads=4, seed=7))
    n, d_model = r.embedded.shape
    heads, _, size = r.q.shape
    np.testing.assert_allclose(r.embedded, r.words + r.slots, atol=1e-15)
    for i, c in itertools.product(range(n), range(heads * size)):
        q = sum(r.embedded[i, m] * r.q_weight[c, m] for m in range(d_model)) + r.q_bias[c]
        assert q == pytest.approx(r.q_rows[i, c], abs=1e-12)
        assert r.q[c // size, i, c % size] == pytest.approx(q, abs=1e-12)
    for h, i in itertools.product(range(heads), range(n)):
        scores = [sum(r.q[h, i, c] * r.k[h, j, c] for c in range(size)) / math.sqrt(size) for j in range(n)]
        np.testing.assert_allclose(r.scores[h, i], scores, atol=1e-12)
        np.testing.assert_allclose(r.products[h, i] / math.sqrt(size), scores, atol=1e-12)
        powers = [math.exp(s) if j <= i else 0.0 for j, s in enumerate(scores)]
        weights = [power / sum(powers) for power in powers]
        np.testing.assert_allclose(r.weights[h, i], weights, atol=1e-12)
        context = [sum(weights[j] * r.v[h, j, c] for j in range(n)) for c in range(size)]
        np.testing.assert_allclose(r.context[h, i], context, atol=1e-12)
        np.testing.assert_allclose(r.merged[i, h * size : (h + 1) * size], context, atol=1e-12)
    np.testing.assert_allclose(r.output, r.merged @ r.o_weight.T + r.o_bias, atol=1e-12)


def test_the_built_heads_look_where_they_were_built_to_look() -> None:
    tokens = ("the", "cat", "saw", "the", "dog", "chase", "the", "cat")
    result = run_anatomy(AnatomyConfig(tokens=tokens))
    words = result.vocabulary
    assert words == ("the", "cat", "saw", "dog", "chase")
    for i, word in enumerate(tokens):
        alike = [j for j, other in enumerate(tokens) if other == word]
        assert result.weights[1, i, alike].sum() > 0.5
    np.testing.assert_allclose(result.one_hot.sum(axis=1), 1)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize(
    ("settings", "looks"),
    [
        ({}, {"back"}),
        ({"positions": "none"}, {"alike"}),
        ({"positions": "none", "causal": True}, {"alike"}),
        ({"positions": "alibi"}, {"itself"}),
        ({"projections": "tied-qk"}, {"itself"}),
        ({"weights": "random"}, {"elsewhere"}),
        ({"positions": "learned"}, {"itself", "elsewhere"}),
        ({"tokens": ("one",)}, {None}),
        ({"tokens": ("a", "a", "b"), "weights": "random", "positions": "none"}, {"elsewhere", None}),
    ],
)
def test_where_a_head_looks_is_told_from_rounding(settings: dict, looks: set, dtype: str) -> None:
    for seed in range(5):
        config = AnatomyConfig(dtype=dtype, seed=seed, **settings)
        allowed = looks if dtype in PRECISE or settings.get("positions") != "learned" else looks | {None}
        assert run_anatomy(config).looks(0) in allowed, config


def test_a_break_that_drowns_in_a_precision_is_not_decided() -> None:
    drowns = {"tokens": ("a", "b", "a"), "positions": "none", "projections": "full", "miscut": True, "seed": 4}
    assert verdict("mha-reshape", **drowns).outcome == "fails"
    found = verdict("mha-reshape", dtype="bfloat16", **drowns)
    assert found.outcome == "undecided"
    assert "less than bfloat16 can tell" in found.because


def test_a_wrong_cut_changes_nothing_where_there_is_nothing_to_mix() -> None:
    for settings in (
        {"heads": 1},
        {"tokens": ("one",)},
        {"tokens": ("same",) * 4, "positions": "none"},
        {"tokens": ("same",) * 4, "positions": "rotary"},
    ):
        assert verdict("mha-reshape", miscut=True, **settings).outcome == "holds", settings


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_keeps_rows_at_one_on_average_whatever_the_seed(p: float) -> None:
    for seed, tokens in itertools.product(range(6), (("a",), ("a", "b", "a"), tuple("abcdefghijklmnop"))):
        result = run_anatomy(AnatomyConfig(dropout=p, seed=seed, tokens=tokens, weights="random"))
        found = [one.outcome for one in result.about("drop-rows").verdicts]
        assert found == ["fails", "holds", "holds"], [one.sentence() for one in result.verdicts]


def test_dropped_passes_are_drawn_apart_from_torchs_generator() -> None:
    config = AnatomyConfig(dropout=0.5, miscut=True)
    first = run_anatomy(config)
    found = []

    def other_session() -> None:
        for _ in range(20):
            torch.rand(3)
        found.append(run_anatomy(config))

    threads = [threading.Thread(target=other_session) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.manual_seed(99)
    found.append(run_anatomy(config))
    for again in found:
        assert again.verdicts == first.verdicts
        for field in dataclasses.fields(first):
            one, other = getattr(first, field.name), getattr(again, field.name)
            assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, field.name
    assert set(np.unique(first.applied == 0)) == {True, False}
    assert not first.output.flags.writeable


@pytest.mark.parametrize(
    ("settings", "field", "says"),
    [
        ({"heads": 3}, "heads", "a divisor of d_model = 16"),
        ({"heads": 0}, "heads", "from 1 to 8"),
        ({"heads": -1}, "heads", "from 1 to 8"),
        ({"heads": MAX_HEADS + 1}, "heads", "from 1 to 8"),
        ({"d_head": 17}, "d_head", "from 0 to 16"),
        ({"d_head": 3, "positions": "rotary"}, "d_head", "even"),
        ({"dropout": 1.0}, "dropout", "from 0 to 0.9"),
        ({"dropout": math.nan}, "dropout", "from 0 to 0.9"),
        ({"tokens": ()}, "tokens", "1 to 64 tokens"),
        ({"tokens": ("w",) * 65}, "tokens", "1 to 64 tokens"),
        ({"weights": "trained"}, "weights", "built, random"),
        ({"positions": "somewhere"}, "positions", "sinusoidal"),
        ({"projections": "none"}, "projections", "tied"),
        ({"causal": 1}, "causal", "True or False"),
        ({"seed": -1}, "seed", "from 0"),
    ],
)
def test_impossible_settings_are_refused_in_words(settings: dict, field: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as refused:
        AnatomyConfig(**settings)
    assert refused.value.field == field


def test_the_largest_settings_stay_small() -> None:
    tokens = tuple(f"w{i % 40}" for i in range(64))
    result = run_anatomy(AnatomyConfig(tokens=tokens, heads=8, d_head=16, dropout=0.5))
    assert not any(v.surprises for v in result.verdicts)
    assert sum(getattr(result, f.name).nbytes for f in dataclasses.fields(result) if hasattr(f.type, "nbytes")) < 2e7


def test_both_ways_over_the_heads_are_timed() -> None:
    times = time_heads(AnatomyConfig())
    assert times.batched > 0
    assert times.loop > 0


def test_code_repeats_the_measurement_outside_the_project() -> None:
    fuzzed = [
        {}, {"seed": 5}, {"dtype": "float32"}, {"causal": True, "heads": 4}, {"d_head": 3, "heads": 5},
        {"weights": "random"}, {"weights": "random", "positions": "alibi", "heads": 6, "d_head": 2},
        {"weights": "random", "positions": "rotary", "projections": "tied-qk"},
        {"weights": "random", "positions": "learned", "projections": "tied-kv", "dtype": "float32"},
        {"positions": "none", "biases": False}, {"projections": "tied-kv", "miscut": True},
        {"projections": "tied-qk", "positions": "learned"}, {"weights": "random", "miscut": True},
        {"tokens": ('"""', "<b>", "$x$", "%{z}", "\\", "'", ":red[x]"), "positions": "rotary", "miscut": True},
    ]  # fmt: skip
    configs = [AnatomyConfig(**settings) for settings in fuzzed]
    printed = run_snippets([anatomy_snippet(config) for config in configs])
    for config, text in zip(configs, printed, strict=True):
        result = run_anatomy(config)
        largest, residual = numbers(text)
        assert largest == f"{result.mean_max_weight:.3g}", config
        held = result.verdict("mha-reshape")
        assert (float(residual) <= held.bound) == held.holds, config
    assert printed[0] != printed[1]
    assert all(len(own_lines(anatomy_snippet(config))) <= 36 for config in configs)


def test_precision_and_origin_are_named() -> None:
    result = run_anatomy(AnatomyConfig(dtype="float32", seed=3))
    assert {v.dtype for v in result.verdicts} == {"float32"}
    assert (result.provenance.seed, result.provenance.dtype) == (3, "float32")
    assert result.scale == pytest.approx(1 / math.sqrt(8))
    assert result.core_flops == 4 * 36 * 16


def test_a_soft_lookup_is_bounded_number_by_number() -> None:
    result = run_anatomy(AnatomyConfig(weights="random", heads=4, seed=3))
    for head, query in itertools.product(range(4), range(6)):
        weights, values = result.weights[head, query], result.v[head]
        best = int(np.argmax(weights))
        assert result.hard[head, query].tolist() == [float(key == best) for key in range(6)]
        np.testing.assert_array_equal(result.looked_up[head, query], values[best])
        for number in range(result.v.shape[-1]):
            moved = sum(weights[key] * (values[key, number] - values[best, number]) for key in range(6))
            assert result.context[head, query, number] - values[best, number] == pytest.approx(moved, abs=1e-14)
