"""The claims of the receptive field, true and broken, and what is counted held against counting by hand."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.measuring.bounds import tolerance
from attention_core.measuring.run import run
from attention_core.studies.receptive_field import ReceptiveFieldConfig, run_table
from attention_core.studies.receptive_field.settings import (
    constructed_targets,
    intended_targets,
    random_targets,
)
from attention_core.studies.receptive_field.stack import looked_at, path_weights, reach, stack_of
from attention_core.studies.receptive_field.verdicts import (
    SeenInputs,
    bound_verdicts,
    final_targets,
    soft_paths,
    tight_verdicts,
)
from tests.experiments.receptive_field_runs import outcomes, seen_by_walking
from tests.strategies import config


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_construction_is_exact_for_every_size_up_to_some_hundreds(mask: str, wrap: bool) -> None:
    config = ReceptiveFieldConfig(mask=mask, dtype="float32")
    sizes = [(k, n) for k, n in itertools.product(range(1, 9), range(1, 9)) if (k + 1) ** n <= 343]
    for heads, layers in sizes:
        tokens = (heads + 1) ** layers
        targets = constructed_targets(heads, layers, tokens, mask=mask, wrap=wrap)
        edges, smallest = looked_at(stack_of(config, targets, channels=1))
        assert smallest == 1.0
        sees = reach(edges)[-1].sum(-1)
        around = wrap and mask == "none"
        expected = np.full(tokens, tokens) if around else np.arange(1, tokens + 1)
        np.testing.assert_array_equal(sees, np.minimum(expected, (heads + 1) ** layers))


def test_by_hand_two_heads_look_back_one_two_and_three_six() -> None:
    targets = constructed_targets(2, 2, 9)
    np.testing.assert_array_equal(targets[:, :, 8], [[7, 6], [5, 2]])
    np.testing.assert_array_equal(targets[:, :, 1], [[0, 1], [1, 1]])  # nothing that far back: its own token
    np.testing.assert_array_equal(constructed_targets(2, 2, 9, wrap=True)[:, :, 1], [[0, 8], [7, 4]])
    np.testing.assert_array_equal(constructed_targets(2, 2, 9, mask="window", window=2)[1, :, 8], [6, 6])
    assert seen_by_walking(targets, True, 2, 8) == set(range(9))


# By hand for the window of 5: 0–2, and 0, 3, 5, and twice 0, 5 back make 0 … 17.
@pytest.mark.parametrize(
    ("switch", "reached", "because"),
    [
        ({"residual": False}, 2**4, "without the residual"), ({"mask": "window", "window": 5}, 18, "window"),
        ({"write_positions": True}, 4, "overwritten"),
    ],
)  # fmt: skip
def test_what_breaks_the_construction(switch: dict, reached: int, because: str) -> None:
    last = run(ReceptiveFieldConfig(heads=2, layers=4, tokens=81, **switch)).verdict("rf-tight.last")
    assert (last.measured, last.bound) == (reached, 81)
    assert because in last.because


def test_without_the_residual_each_layer_multiplies_by_the_heads() -> None:
    result = run(ReceptiveFieldConfig(heads=3, layers=4, tokens=256, residual=False, wrap=True))
    np.testing.assert_array_equal(result.reach_graph, np.repeat([[3], [9], [27], [81]], 256, axis=1))
    np.testing.assert_array_equal(result.paths.sum(-1), np.repeat([[3], [9], [27], [81]], 64, axis=1))


def test_a_stack_that_looks_elsewhere_is_found_out() -> None:
    targets = constructed_targets(2, 3, 27)
    stack = stack_of(ReceptiveFieldConfig(), targets, channels=27)
    weight = stack.layers[1].o_weight
    assert weight is not None
    weight[:27] = torch.randn(27, weight.shape[1], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert not (looked_at(stack)[0] == targets).all()


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_autograd_counts_the_paths_that_walking_finds(mask: str, residual: bool) -> None:
    sizes = {"heads": 2, "layers": 3, "tokens": 11, "weights": "random"}
    config = ReceptiveFieldConfig(**sizes, mask=mask, window=2, residual=residual)
    targets = intended_targets(config)
    stack = stack_of(config, targets, channels=11)
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
    near = random_targets(3, 2, 50, seed=1, mask="window", window=4) - np.arange(50)
    assert set(near[..., 10:40].ravel()) == set(range(-4, 5))
    counts = np.bincount(random_targets(8, 8, 64, seed=1).ravel(), minlength=64)  # 4,096 throws into 64
    assert ((counts - 64) ** 2 / 64).sum() < 63 + 5 * np.sqrt(2 * 63)


@pytest.mark.parametrize(("mask", "reached"), [("none", 24), ("causal", 24), ("window", 10)])
def test_soft_heads_see_everything_that_is_visible(mask: str, reached: int) -> None:
    result = run(ReceptiveFieldConfig(heads=1, layers=3, tokens=24, weights="soft", mask=mask, window=3))
    assert result.reach_autograd[-1, -1] == reached
    assert outcomes(result) == {"rf-bound.most": "fails", "rf-bound.agree": "fails"}
    assert "soft" in result.verdict("rf-bound.most").because
    assert result.smallest_weight < 1


def test_above_a_threshold_soft_heads_see_what_saturated_ones_see() -> None:
    settings = {"heads": 2, "layers": 3, "tokens": 32}
    soft = run(ReceptiveFieldConfig(weights="soft", temperature=0.1, threshold=0.02, **settings))
    hard = run(ReceptiveFieldConfig(**settings))
    np.testing.assert_array_equal(soft.reach_autograd, hard.reach_autograd)
    assert set(outcomes(soft).values()) == {"holds"}
    assert not (soft.reach_autograd < run(
        ReceptiveFieldConfig(weights="soft", temperature=0.1, threshold=0.05, **settings)
    ).reach_autograd).any()  # fmt: skip


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
@pytest.mark.parametrize("residual", [True, False])
def test_soft_paths_are_what_the_closed_form_says(mask: str, residual: bool) -> None:
    config = ReceptiveFieldConfig(
        heads=3, layers=3, tokens=13, weights="soft", temperature=0.5, mask=mask, residual=residual
    )
    result = run(config)
    bound = tolerance(config.torch_dtype, scale=float(config.paths(3)), terms=3 * (13 + 3))
    bound += 2.0**-23 * config.paths(3)  # the result keeps float32
    assert np.abs(result.paths - soft_paths(config)).max() <= bound
    config = dataclasses.replace(config, temperature=0.4)
    assert np.abs(result.paths - soft_paths(config)).max() > 1000 * bound


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        # One of 24 keys gets exp(−5)/(1 + 23·exp(−5)) of a head's weight: a threshold there is a matter of rounding.
        ({"temperature": 0.2, "threshold": math.exp(-5) / (1 + 23 * math.exp(-5)) / 2}, "undecided"),
        ({"temperature": 0.2, "threshold": 0.0}, "fails"), ({"temperature": 0.05, "threshold": 0.2}, "holds"),
        ({"temperature": 0.05, "dtype": "float16"}, "undecided"),  # exp(−20) is below float16's normal numbers
        ({"temperature": 0.05, "dtype": "float32"}, "fails"),
    ],
)  # fmt: skip
def test_within_rounding_of_the_threshold_nothing_is_expected(settings: dict, outcome: str) -> None:
    config = ReceptiveFieldConfig(heads=1, layers=1, tokens=24, weights="soft", **settings)
    found = run(config)
    assert outcomes(found)["rf-bound.most"] == outcome
    if outcome == "undecided":
        assert f"within {config.dtype}'s rounding" in found.verdict("rf-bound.most").because


def test_what_lies_between_all_that_is_certain_and_all_that_is_possible_may_agree() -> None:
    config = ReceptiveFieldConfig(
        heads=2, layers=3, tokens=26, weights="soft", temperature=0.4, threshold=0.04, residual=False, wrap=True,
        dtype="float16", seed=341666,
    )  # fmt: skip
    verdict = run(config).verdict("rf-bound.agree")
    assert verdict.measured == 0, "neither the least nor the most that rounding leaves open is the graph"
    assert (verdict.outcome, verdict.because) == (
        "undecided", "a share lies within float16's rounding of the threshold, or of 0"
    )  # fmt: skip
    exact = run(dataclasses.replace(config, dtype="float64", threshold=0.0))
    assert exact.verdict("rf-bound.agree").outcome == "fails"


@pytest.mark.parametrize("settings", [{}, {"residual": False}, {"weights": "soft"}], ids=str)
def test_what_is_expected_does_not_depend_on_what_was_measured(settings: dict) -> None:
    config = ReceptiveFieldConfig(**settings)
    result = run(config)
    nothing = SeenInputs(np.zeros_like(result.sees), result.paths < 0, result.chosen)
    everything = SeenInputs(np.ones_like(result.sees), result.paths >= 0, result.chosen)
    for made in (bound_verdicts, tight_verdicts):
        for sees in (nothing, everything):
            expected = {one.key: one.expected for one in made(config, sees)}
            assert expected.items() <= {one.key: one.expected for one in made(config, nothing)}.items()
            for one in result.verdicts:
                assert expected.get(one.key, one.expected) == one.expected


@settings(max_examples=25)
@given(config(ReceptiveFieldConfig, weights=st.sampled_from(("constructed", "soft")), tokens=st.integers(1, 40)))
def test_verdicts_do_what_the_switches_say(asked: ReceptiveFieldConfig) -> None:
    result = run(asked)
    assert [verdict.sentence() for verdict in result.verdicts if verdict.surprises] == []
    np.testing.assert_array_equal(result.edges, final_targets(asked))
    np.testing.assert_array_equal(result.paths.sum(-1) > 0, True)
    if asked.dtype in ("float64", "float32"):
        np.testing.assert_allclose(result.paths.sum(-1)[-1], asked.paths(asked.layers), rtol=1e-4)


def test_the_table_holds_every_size() -> None:
    table = run_table(ReceptiveFieldConfig(tokens=100))
    sizes = (np.arange(1, 9)[:, None] + 1) ** np.arange(1, 9)
    np.testing.assert_array_equal(table.counts, np.minimum(sizes, 100))
    fewer = run_table(ReceptiveFieldConfig(tokens=100, residual=False, wrap=True, layers=2))
    np.testing.assert_array_equal(fewer.counts[:3, :3], [[1, 1, 1], [2, 4, 8], [3, 9, 27]])
    other = ReceptiveFieldConfig(heads=5, layers=1, weights="soft", threshold=0.1, seed=3)
    assert other.for_table == ReceptiveFieldConfig().for_table
    switched = {"mask": "causal", "wrap": True, "residual": False, "write_positions": True, "tokens": 40}
    for name, chosen in switched.items():
        assert getattr(ReceptiveFieldConfig(**{name: chosen}).for_table, name) == chosen
