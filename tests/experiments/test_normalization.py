"""Every claim about norms, where theory says it holds and where a switch breaks it."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.normalization import (
    EPS,
    NORMS,
    STDS,
    TOPICS,
    NormalizationConfig,
    normalization_snippet,
    read_cell,
    run_normalization,
)
from tests.experiments.snippets import numbers, run_snippets

DEPENDENCE, LENGTH, BIAS, BLOCK = TOPICS
SETTINGS = st.fixed_dictionaries(
    {
        "topic": st.sampled_from(sorted(TOPICS)),
        "num_tokens": st.integers(3, 8),
        "d_model": st.integers(3, 16),
        "gamma": st.sampled_from([1.0, -2.0, 0.0, 0.3]),
        "beta": st.sampled_from([0.0, 2.0, -1.0]),
        "eps": st.sampled_from(EPS) | st.floats(0.0, 1.0),
        "input_std": st.sampled_from(STDS) | st.floats(0.001, 10.0),
        "norm": st.sampled_from(sorted(NORMS)),
        "evaluation": st.booleans(),
        "constant": st.booleans(),
        "own_gammas": st.booleans(),
        "positions": st.booleans(),
        "causal": st.booleans(),
        "slot_weights": st.booleans(),
        "seed": st.integers(0, 999_999),
    }
)


@cache
def run(topic: str, **settings: object) -> object:
    return run_normalization(NormalizationConfig(topic=topic, **settings))


@pytest.mark.slow
@settings(max_examples=20)
@given(SETTINGS, st.sampled_from(["float64", "float32"]))
def test_every_verdict_is_what_theory_expects(values: dict, dtype: str) -> None:
    for verdict in run_normalization(NormalizationConfig(dtype=dtype, **values)).verdicts:
        assert not verdict.surprises, verdict.sentence()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize(
    ("topic", "switches"),
    [(topic, {}) for topic in TOPICS]
    + [(DEPENDENCE, {"evaluation": True}), (BIAS, {"evaluation": True})]
    + [(LENGTH, {"constant": True}), (BLOCK, {"causal": True})],
)
def test_half_precision_agrees_as_far_as_it_can_tell(topic: str, switches: dict, dtype: str) -> None:
    assert all(not verdict.surprises for verdict in run(topic, dtype=dtype, **switches).verdicts)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("topic", "key", "switches"),
    [
        (LENGTH, "ln-norm.sphere", {"eps": 0.01, "input_std": 0.1}),
        (LENGTH, "ln-norm.sphere", {"eps": 0.01, "constant": True}),
        (BIAS, "bias-norm.batch", {"evaluation": True}),
        *(
            (BLOCK, f"perm-block.{which}", {name: True})
            for which in ("pre", "post", "residual")
            for name in ("positions", "causal", "slot_weights")
        ),
    ],
)
def test_a_broken_equality_is_far_above_its_bound(topic: str, key: str, switches: dict, dtype: str) -> None:
    verdict = run(topic, dtype=dtype, **switches).verdict(key)
    assert not verdict.holds
    assert verdict.expected is False
    assert verdict.because
    assert verdict.measured >= 1000 * verdict.bound


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_everything_holds_by_default(topic: str, dtype: str) -> None:
    assert all(verdict.holds and not verdict.because for verdict in run(topic, dtype=dtype).verdicts)


def test_derivatives_of_layer_norm_are_those_of_its_formula() -> None:
    result = run(DEPENDENCE)
    epsilon, n, d = 1e-5, 5, 6
    # y = (x − mean)/s with s² = var + ε: ∂y_j/∂x_l = (δ_jl − 1/d − y_j y_l/d) / s, where y comes from the map itself.
    layer = result.jacobians[0]
    for i in range(n):
        block = layer[i, :, i]
        s_inverse = np.linalg.eigvalsh((block + block.T) / 2).max()
        np.testing.assert_allclose(block, block.T, atol=1e-13)
        np.testing.assert_allclose(block.sum(0), 0, atol=1e-13)
        remainder = np.eye(d) - 1 / d - block / s_inverse
        assert np.linalg.matrix_rank(remainder, tol=1e-8) == 1
        assert 0 < np.trace(remainder) <= 1 + epsilon
        assert not layer[i, :, np.arange(n) != i].any()


def test_who_depends_on_whom() -> None:
    training, evaluation = run(DEPENDENCE), run(DEPENDENCE, evaluation=True)
    assert training.names == ("LayerNorm", "RMSNorm", "BatchNorm")
    assert training.across == (5, 5, 25)
    assert evaluation.across == (5, 5, 5)
    assert np.count_nonzero(training.jacobians[2, 1, 2]) == 5
    assert np.count_nonzero(evaluation.jacobians[2, 1, 2]) == 1
    assert np.count_nonzero(training.jacobians[0, 1, 2]) == 6
    assert [verdict.holds for verdict in evaluation.verdicts] == [True, True, False]


@pytest.mark.parametrize(("gamma", "beta", "eps", "std"), [(1.0, 0.0, 0.0, 1.0), (-2.0, 1.5, 1.0, 0.1)])
def test_lengths_are_those_of_the_formula(gamma: float, beta: float, eps: float, std: float) -> None:
    result = run(LENGTH, gamma=gamma, beta=beta, eps=eps, input_std=std, d_model=4)
    x = result.before
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    np.testing.assert_allclose(result.after, gamma * (x - mean) / np.sqrt(variance + eps) + beta, atol=1e-12)
    np.testing.assert_allclose(result.lengths, np.linalg.norm(result.after - beta, axis=1), atol=1e-12)
    np.testing.assert_allclose(result.centred.sum(1), 0, atol=1e-12)
    assert result.radius == pytest.approx(abs(gamma) * 2)


def test_a_constant_token_becomes_beta_or_is_undefined() -> None:
    result = run(LENGTH, constant=True, eps=0.01, beta=2.0)
    np.testing.assert_array_equal(result.after, 2.0)
    undefined = run(LENGTH, constant=True, eps=0.0)
    assert np.isnan(undefined.after).all()
    for verdict in undefined.verdicts:
        assert not verdict.holds
        assert verdict.because == "0 / 0: a constant token and ε = 0"


def test_with_a_gain_for_each_feature_the_tokens_leave_the_sphere_and_stay_in_the_span() -> None:
    result = run(LENGTH, own_gammas=True, gamma=-2.0, d_model=5)
    assert result.verdict("ln-norm.sphere").outcome == "fails"
    assert "each feature has a gain of its own" in result.verdict("ln-norm.sphere").because
    assert result.verdict("ln-norm.formula").outcome == result.verdict("ln-norm.between").outcome == "holds"
    assert result.lengths.std() > 0.1
    assert result.verdict("ln-norm.formula").because == "with the gain of each feature in the formula"
    one = run(LENGTH, gamma=-2.0, d_model=5)
    assert not one.verdict("ln-norm.formula").because
    assert run(LENGTH, eps=0.01).verdict("ln-norm.formula").because == "with ε in the formula"
    assert one.lengths.std() < 1e-12
    assert abs(one.verdict("ln-norm.between").measured) < 1e-12, "one gain leaves the span no width"


def test_what_each_norm_leaves_of_a_bias() -> None:
    result = run(BIAS, num_tokens=6, d_model=5)
    assert [size < 1e-14 for size in result.largest] == [True, True, False, False]
    assert all(size > 0.1 for size in result.largest[2:])
    np.testing.assert_allclose(np.abs(result.moved).max((1, 2)), result.largest)
    assert run(BIAS, evaluation=True).largest[0] > 0.1


@pytest.mark.parametrize("norm", sorted(NORMS))
@pytest.mark.parametrize("num_tokens", [3, 5, 7])
def test_a_block_is_equivariant_wherever_its_norms_stand(norm: str, num_tokens: int) -> None:
    result = run(BLOCK, norm=norm, num_tokens=num_tokens)
    assert result.residuals.shape == (3, math.factorial(num_tokens) if num_tokens <= 5 else 120)
    assert all(verdict.holds for verdict in result.about("perm-block").verdicts)
    assert result.residuals.max() < 1e-13
    assert sorted(result.order) == list(range(num_tokens))


def test_the_order_that_changes_nothing_leaves_nothing() -> None:
    broken = run(BLOCK, causal=True)
    assert (broken.residuals[:, 0] == 0).all()
    assert (broken.residuals[:, -1] > 0.1).all()


@pytest.mark.parametrize("topic", TOPICS)
def test_the_same_config_gives_the_same_numbers_that_nobody_can_change(topic: str) -> None:
    torch.manual_seed(0)
    first = run(topic, seed=3)
    torch.manual_seed(1)
    second = run.__wrapped__(topic, seed=3)
    arrays = [field.name for field in dataclasses.fields(first) if isinstance(getattr(first, field.name), np.ndarray)]
    for name in arrays:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    with pytest.raises(ValueError, match="read-only"):
        getattr(first, arrays[0])[...] = 0


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"topic": "?"}, "topic"),
        ({"num_tokens": 2}, "num_tokens"),
        ({"d_model": 17}, "d_model"),
        ({"gamma": math.nan}, "gamma"),
        ({"beta": 4.0}, "beta"),
        ({"eps": 1.5}, "eps"),
        ({"input_std": 0.0}, "input_std"),
        ({"norm": "GroupNorm"}, "norm"),
        ({"causal": "yes"}, "causal"),
    ],
)
def test_impossible_settings_are_refused_by_name(settings: dict, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        NormalizationConfig(**settings)
    assert caught.value.field == field


def test_a_link_asks_for_a_cell_that_may_exist() -> None:
    assert read_cell("2.15") == (2, 15)
    for raw in ("1", "1.2.3", "8.0", "0.16", "-1.0", "a.b", ""):
        with pytest.raises(ValueError, match=r"."):
            read_cell(raw)


SNIPPETS = [
    {},
    {"evaluation": True, "constant": True, "positions": True, "seed": 3, "eps": 0.01, "d_model": 7, "num_tokens": 6},
    {
        "causal": True,
        "norm": "BatchNorm",
        "activation": "relu",
        "slot_weights": True,
        "gamma": -2.0,
        "beta": 1.0,
        "eps": 0.01,
    },
    {"norm": "RMSNorm", "d_model": 16, "dtype": "float32", "own_gammas": True, "eps": 0.01},
]


def headline(result: object) -> list[float]:
    measured = [verdict.measured for verdict in result.verdicts if verdict.claim != "norm-place"]
    if hasattr(result, "jacobians"):
        return [measured[0], measured[2], abs(result.jacobians[0, 0, 0, 0, 0])]
    return measured[:2] if hasattr(result, "lengths") else measured


def test_the_snippets_compute_the_same_numbers_outside_the_project() -> None:
    configs = [NormalizationConfig(topic=topic, **settings) for topic in TOPICS for settings in SNIPPETS]
    for config, printed in zip(configs, run_snippets([normalization_snippet(c) for c in configs]), strict=True):
        rounding = 1e-4 if config.dtype == "float32" else 1e-12
        for said, measured in zip(numbers(printed), headline(run_normalization(config)), strict=True):
            assert float(said) == pytest.approx(measured, rel=5e-3, abs=rounding), (config, printed)


def test_a_new_seed_changes_what_a_snippet_prints() -> None:
    switches = {topic: {"causal": True} if topic == BLOCK else {"eps": 0.01} for topic in TOPICS}
    configs = [NormalizationConfig(topic=topic, seed=seed, **switches[topic]) for topic in TOPICS for seed in (1, 2)]
    printed = run_snippets([normalization_snippet(config) for config in configs])
    for topic, first, second in zip(TOPICS, printed[::2], printed[1::2], strict=True):
        assert first != second, topic


def test_the_snippets_are_short() -> None:
    configs = [NormalizationConfig(topic=topic, **settings) for topic in TOPICS for settings in SNIPPETS]
    assert all(normalization_snippet(config).count("\n") <= 46 for config in configs)


@pytest.mark.parametrize(("norm", "activation"), [("LayerNorm", "gelu"), ("RMSNorm", "relu")])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_each_placement_keeps_what_theory_says(norm: str, activation: str, dtype: str) -> None:
    result = run(BLOCK, norm=norm, activation=activation, dtype=dtype, seed=4, d_model=15)
    kept = result.about("norm-place").verdicts
    assert [verdict.key for verdict in kept] == ["norm-place.pre", "norm-place.post", "norm-place.residual"]
    assert {verdict.outcome for verdict in kept} == {"holds"}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("switch", [{"norm": "BatchNorm"}, {"slot_weights": True}])
def test_a_norm_that_looks_past_its_token_gives_no_common_length(switch: dict[str, object], dtype: str) -> None:
    result = run(BLOCK, dtype=dtype, **switch)
    verdict = result.verdict("norm-place.post")
    assert verdict.outcome == "fails"
    assert verdict.measured > 1000 * verdict.bound
    assert all(result.verdict(f"norm-place.{name}").holds for name in ("pre", "residual"))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("switch", [{"norm": "BatchNorm"}, {"slot_weights": True}])
def test_half_precision_tells_lengths_apart(switch: dict[str, object], dtype: str) -> None:
    assert run(BLOCK, dtype=dtype, seed=1, **switch).verdict("norm-place.post").outcome == "fails"


def test_lengths_through_depth_are_those_of_plain_blocks() -> None:
    result = run(BLOCK, activation="relu")
    assert result.stretched.shape == result.alike.shape == (3, 13)
    np.testing.assert_allclose(result.alike[:, 0], 1)
    np.testing.assert_allclose(result.stretched[:, 0], result.stretched[0, 0])
    step = np.diff(result.stretched[2])
    assert (step <= 2 * (1 + 0.5 * 4)).all(), "two parts of length √d, and their shifts"
