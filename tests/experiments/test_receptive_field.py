"""The claims of the receptive field, true and broken, and what is counted held against counting by hand."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from attention_core.experiments.receptive_field import (
    ReceptiveFieldConfig,
    run_receptive_field,
)
from attention_core.experiments.receptive_field.config import (
    constructed_targets,
    intended_targets,
    random_targets,
)
from attention_core.experiments.receptive_field.stack import build_stack, looked_at, path_weights, reach
from attention_core.experiments.receptive_field.verdicts import soft_paths
from attention_core.experiments.verdict import tolerance
from tests.experiments.receptive_field_runs import seen_by_walking, verdicts

DTYPES = ("float64", "float32", "bfloat16", "float16")


# ------------------------------------------------------------------------------------------------ rf-tight, rf-bound


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_construction_is_exact_for_every_size_up_to_some_hundreds(mask: str, wrap: bool) -> None:
    sizes = [(k, n) for k, n in itertools.product(range(1, 9), range(1, 9)) if (k + 1) ** n <= 343]
    for heads, layers in sizes:
        tokens = (heads + 1) ** layers
        targets = constructed_targets(heads, layers, tokens, mask=mask, wrap=wrap)
        hides = torch.ones(tokens, tokens, dtype=torch.bool).tril() if mask == "causal" else None
        edges, smallest = looked_at(build_stack(targets, channels=1, mask=hides, dtype=torch.float32))
        assert smallest == 1.0
        sees = reach(edges)[-1].sum(-1)
        around = wrap and mask == "none"
        expected = np.full(tokens, tokens) if around else np.arange(1, tokens + 1)
        np.testing.assert_array_equal(sees, np.minimum(expected, (heads + 1) ** layers))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("heads", "layers", "tokens", "wrap"),
    [
        (1, 8, 300, False),
        (2, 5, 256, True),
        (3, 4, 256, False),
        (5, 2, 97, True),
        (8, 8, 64, False),
        (8, 2, 91, False),
    ],
)
def test_both_claims_hold_in_every_precision(dtype: str, heads: int, layers: int, tokens: int, wrap: bool) -> None:
    result = run_receptive_field(
        ReceptiveFieldConfig(heads=heads, layers=layers, tokens=tokens, wrap=wrap, dtype=dtype)
    )
    assert result.smallest_weight == 1.0
    assert [verdict.holds for verdict in result.verdicts] == [True] * 4
    assert all(verdict.expected for verdict in result.verdicts)
    assert result.reach_graph[-1, -1] == min((heads + 1) ** layers, tokens)
    assert result.reach_autograd[-1, -1] == min((heads + 1) ** layers, tokens)


def test_by_hand_two_heads_look_back_one_two_and_three_six() -> None:
    targets = constructed_targets(2, 2, 9)
    np.testing.assert_array_equal(targets[:, :, 8], [[7, 6], [5, 2]])
    np.testing.assert_array_equal(targets[:, :, 1], [[0, 1], [1, 1]])  # nothing that far back: its own token
    np.testing.assert_array_equal(constructed_targets(2, 2, 9, wrap=True)[:, :, 1], [[0, 8], [7, 4]])
    np.testing.assert_array_equal(constructed_targets(2, 2, 9, mask="sliding window", window=2)[1, :, 8], [6, 6])
    assert seen_by_walking(targets, True, 2, 8) == set(range(9))


# By hand for the window of 5: 0–2, and 0, 3, 5, and twice 0, 5 back make 0 … 17.
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("switch", "reached", "because"),
    [
        ({"residual": False}, 2**4, "without the residual"),
        ({"mask": "sliding window", "window": 5}, 18, "sliding window"),
        ({"write_positions": True}, 4, "overwritten"),
    ],
)
def test_what_breaks_the_construction(switch: dict, reached: int, because: str, dtype: str) -> None:
    result = run_receptive_field(ReceptiveFieldConfig(heads=2, layers=4, tokens=81, dtype=dtype, **switch))
    last, everyone = verdicts(result, "rf-tight")
    assert last.measured == reached
    assert last.bound == 81
    assert because in last.because
    assert not last.holds
    assert not everyone.holds
    assert all(verdict.as_expected for verdict in result.verdicts)
    assert all(verdict.holds for verdict in verdicts(result, "rf-bound"))


def test_without_the_residual_each_layer_multiplies_by_the_heads() -> None:
    result = run_receptive_field(ReceptiveFieldConfig(heads=3, layers=4, tokens=256, residual=False, wrap=True))
    np.testing.assert_array_equal(result.reach_graph, np.repeat([[3], [9], [27], [81]], 256, axis=1))
    np.testing.assert_array_equal(result.paths.sum(-1), np.repeat([[3], [9], [27], [81]], 64, axis=1))


def test_writing_into_positions_does_no_harm_to_a_single_layer() -> None:
    result = run_receptive_field(ReceptiveFieldConfig(heads=4, layers=1, tokens=20, write_positions=True))
    assert all(verdict.holds and verdict.expected for verdict in result.verdicts)


def test_a_stack_that_looks_elsewhere_is_found_out() -> None:
    targets = constructed_targets(2, 3, 27)
    stack = build_stack(targets, channels=27)
    weight = stack.layers[1].o_weight
    assert weight is not None
    weight[:27] = torch.randn(27, weight.shape[1], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert not (looked_at(stack)[0] == targets).all()


# ------------------------------------------------------------------------------------------------ graph and autograd


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal", "sliding window"])
def test_autograd_counts_the_paths_that_walking_finds(mask: str, residual: bool) -> None:
    config = ReceptiveFieldConfig(
        heads=2, layers=3, tokens=11, weights="random", mask=mask, window=2, residual=residual
    )
    targets = intended_targets(config)
    hides = {
        "none": None,
        "causal": torch.ones(11, 11, dtype=torch.bool).tril(),
        "sliding window": torch.ones(11, 11, dtype=torch.bool).tril(2).triu(-2),
    }[mask]
    stack = build_stack(targets, channels=11, mask=hides, residual=residual)
    counted = path_weights(stack, np.arange(11))
    paths = np.eye(11)
    for layer in range(3):
        step = residual * np.eye(11)
        for i, keys in itertools.product(range(11), targets[layer]):
            step[i, keys[i]] += 1
        paths = step @ paths
        np.testing.assert_array_equal(counted[layer], paths)
        for i in range(11):
            assert set(np.flatnonzero(counted[layer, i])) == seen_by_walking(targets, residual, layer + 1, i)
    np.testing.assert_array_equal(reach(looked_at(stack)[0], residual=residual), counted > 0)


def test_random_keys_are_visible_and_evenly_spread() -> None:
    assert (random_targets(3, 2, 50, seed=1, mask="causal") <= np.arange(50)).all()
    near = random_targets(3, 2, 50, seed=1, mask="sliding window", window=4) - np.arange(50)
    assert set(near[..., 10:40].ravel()) == set(range(-4, 5))
    counts = np.bincount(random_targets(8, 8, 64, seed=1).ravel(), minlength=64)  # 4,096 throws into 64
    assert ((counts - 64) ** 2 / 64).sum() < 63 + 5 * np.sqrt(2 * 63)


# ------------------------------------------------------------------------------------------------ soft heads


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mask", ["none", "causal", "sliding window"])
def test_soft_heads_see_everything_that_is_visible(mask: str, dtype: str) -> None:
    config = ReceptiveFieldConfig(heads=1, layers=3, tokens=24, weights="soft", mask=mask, window=3, dtype=dtype)
    result = run_receptive_field(config)
    reached = {"none": 24, "causal": 24, "sliding window": 10}[mask]
    assert result.reach_autograd[-1, -1] == reached
    within, agree = result.verdicts
    assert (within.holds, agree.holds) == (False, False)
    assert (within.expected, agree.expected) == (False, False)
    assert "soft" in within.because
    assert result.smallest_weight < 1


def test_above_a_threshold_soft_heads_see_what_saturated_ones_see() -> None:
    settings = {"heads": 2, "layers": 3, "tokens": 32}
    soft = run_receptive_field(ReceptiveFieldConfig(weights="soft", temperature=0.1, threshold=0.02, **settings))
    hard = run_receptive_field(ReceptiveFieldConfig(**settings))
    np.testing.assert_array_equal(soft.reach_autograd, hard.reach_autograd)
    assert all(verdict.holds and verdict.expected for verdict in soft.verdicts)
    assert not (soft.reach_autograd < run_receptive_field(
        ReceptiveFieldConfig(weights="soft", temperature=0.1, threshold=0.05, **settings)
    ).reach_autograd).any()  # fmt: skip


@pytest.mark.parametrize("mask", ["none", "causal", "sliding window"])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_soft_paths_are_what_the_closed_form_says(mask: str, residual: bool, dtype: str) -> None:
    config = ReceptiveFieldConfig(
        heads=3, layers=3, tokens=13, weights="soft", temperature=0.5, mask=mask, residual=residual, dtype=dtype
    )
    result = run_receptive_field(config)
    bound = tolerance(config.torch_dtype, scale=float(config.paths(3)), terms=3 * (13 + 3))
    bound += 2.0**-23 * config.paths(3)  # the result keeps float32
    assert np.abs(result.paths - soft_paths(config)).max() <= bound
    config = dataclasses.replace(config, temperature=0.4)
    assert np.abs(result.paths - soft_paths(config)).max() > 1000 * bound
