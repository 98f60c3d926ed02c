"""Pooling, biases, whole blocks and depth: every claim where theory says it holds, and where a switch breaks it."""

import dataclasses

import numpy as np
import pytest
import torch

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.inputs import draw_parameters, token_embeddings
from attention_core.experiments.permutation import (
    MODELS,
    BlockResult,
    OrderResult,
    PermutationConfig,
    ShuffleConfig,
    permutation_snippet,
    run_depth,
    run_shuffle,
    steps_blocks,
    steps_order,
)
from attention_core.experiments.permutation.config import BIAS_STD, D_MODEL, NUM_HEADS
from attention_core.experiments.permutation.module import Attention
from attention_core.experiments.run import run
from attention_core.experiments.verdict import Step, Verdict
from attention_core.modules.block import PreNorm
from attention_core.modules.normalization import BatchNorm
from attention_core.modules.stack import Encoder
from tests.experiments.snippets import numbers, own_lines, run_snippets

ORDER = (2, 0, 5, 1, 4, 3)


def order_of_tokens(config: PermutationConfig) -> OrderResult:
    return run(config, experiment=steps_order)


def blocks_of(config: PermutationConfig) -> BlockResult:
    return run(config, experiment=steps_blocks)


def verdicts(**values: object) -> dict[str, list[Verdict]]:
    config, found = PermutationConfig(**values), {}
    for result in (blocks_of(config), order_of_tokens(config), run_depth(config)):
        for verdict in result.verdicts:
            found.setdefault(verdict.claim, []).append(verdict)
    return found


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("switches", "broken"),
    [
        ({"positions": "sinusoidal"}, {"perm-pool", "perm-bias", "perm-block", "nope-depth", "count-blind"}),
        ({"positions": "learned"}, {"perm-pool", "perm-bias", "perm-block", "nope-depth", "count-blind"}),
        ({"positions": "rotary"}, {"perm-pool", "perm-bias", "perm-block", "nope-depth"}),
        ({"positions": "alibi"}, {"perm-pool", "perm-bias", "perm-block", "nope-depth"}),
        ({"mask": "causal"}, {"perm-pool", "perm-bias", "perm-block"}),
        ({"mask": "window"}, {"perm-pool", "perm-bias", "perm-block"}),
        ({"keys_alone": True}, {"perm-pool", "perm-bias"}),
        ({}, set()),
        ({"biases": False}, set()),
        ({"positions": "rotary", "carried": True}, set()),
        ({"positions": "learned", "carried": True}, {"count-blind"}),
    ],
)
def test_each_switch_breaks_its_claims_a_thousandfold(switches: dict, broken: set, dtype: str) -> None:
    for claim, found in verdicts(dtype=dtype, **switches).items():
        for verdict in (one for one in found if one.relation == "≤"):
            if claim in broken:
                assert verdict.measured > 1000 * verdict.bound, verdict.sentence()
            else:
                assert verdict.measured <= verdict.bound, verdict.sentence()


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_sees_the_order_in_two_layers_and_with_positions(dtype: str) -> None:
    for seed in range(2):
        result = run_depth(PermutationConfig(dtype=dtype, seed=seed))
        assert result.verdict("nope-depth.two").outcome == "holds"
        order = order_of_tokens(PermutationConfig(dtype=dtype, seed=seed))
        assert order.verdict("pe-order.with").outcome == "holds"
        assert result.two_layers > 2 * result.verdict("nope-depth.two").bound
        block = blocks_of(PermutationConfig(dtype=dtype, seed=seed, positions="sinusoidal")).verdict("perm-block")
        assert block.outcome == "fails"


def test_two_layers_see_the_order_that_one_does_not() -> None:
    result = run_depth(PermutationConfig())
    one, two = (result.verdict(f"nope-depth.{depth}") for depth in ("one", "two"))
    assert one.holds
    assert two.holds
    assert result.two_layers > 1000 * two.bound
    assert result.two_layers > 0.1 > result.one_layer
    alike = run_depth(PermutationConfig(tokens=("a", "a", "b")))
    assert alike.verdict("nope-depth.one").outcome == "holds"
    assert alike.verdict("nope-depth.two").outcome == "fails"
    assert alike.verdict("nope-depth.two").because == "too few tokens that differ"


def test_order_comes_in_by_each_of_the_positions_and_masks() -> None:
    result = order_of_tokens(PermutationConfig())
    assert {name for name, _ in result.brought_in} == {
        "sinusoidal", "learned", "rotary", "ALiBi", "causal mask", "sliding window mask",
    }  # fmt: skip
    assert min(change for _, change in result.brought_in) > 0.1 > result.without


def test_a_block_is_measured_on_the_real_module() -> None:
    """One order of one pre-norm block, by hand."""
    config = PermutationConfig(tokens=("a", "b", "c"), mask="causal", seed=5)
    encoder = Encoder(D_MODEL, NUM_HEADS, 1, placement=PreNorm(), dtype=torch.float64)
    draw_parameters(encoder, 5, bias_std=BIAS_STD)
    x, mask = token_embeddings(config.tokens, D_MODEL, 5)[None], torch.ones(3, 3, dtype=torch.bool).tril()
    order = [2, 1, 0]
    with torch.no_grad():
        moved = (encoder(x[:, order], attn_mask=mask) - encoder(x, attn_mask=mask)[:, order]).abs().max()
    shuffle = ShuffleConfig(
        **{field.name: getattr(config, field.name) for field in dataclasses.fields(config)},
        query_order=(2, 1, 0),
        key_order=(2, 1, 0),
        model="pre",
    )
    assert run_shuffle(shuffle).moved == pytest.approx(float(moved), rel=1e-9)


def test_batch_norm_takes_each_order_for_a_batch_of_its_own() -> None:
    config = PermutationConfig(tokens=("a", "b", "c"), mask="causal")
    encoder = Encoder(D_MODEL, NUM_HEADS, 1, placement=PreNorm(), norm=BatchNorm(), dtype=torch.float64).train()
    draw_parameters(encoder, 0, bias_std=BIAS_STD)
    x, mask = token_embeddings(config.tokens, D_MODEL, 0)[None], torch.ones(3, 3, dtype=torch.bool).tril()
    with torch.no_grad():
        here = encoder(x, attn_mask=mask)
        orders = ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0])
        moved = max(float((encoder(x[:, o], attn_mask=mask) - here[:, o]).abs().max()) for o in orders)
    case = next(c for c in blocks_of(config).blocks if (c.placement, c.norm) == ("pre-norm", "BatchNorm over tokens"))
    assert case.residual == pytest.approx(moved, rel=1e-9)


def test_edges_one_token_sixty_four_and_a_second_sentence() -> None:
    alone = blocks_of(PermutationConfig(tokens=("a",)))
    assert {case.norm for case in alone.blocks} == {"LayerNorm"}
    many = blocks_of(PermutationConfig(tokens=tuple(f"w{i}" for i in range(64)), positions="learned"))
    assert not any(verdict.surprises for verdict in many.verdicts)
    long = run_depth(PermutationConfig(tokens=("x" * 500,)))
    assert long.verdicts[-1].cases == "1 to 1 times the same token"
    cross = blocks_of(PermutationConfig(context=("a", "b")))
    assert [verdict.claim for verdict in cross.verdicts] == ["perm-bias"]
    assert cross.blocks == ()


def test_steps_tell_how_far_it_is_and_end_with_the_same_result() -> None:
    *steps, result = steps_blocks(PermutationConfig())
    assert all(isinstance(step, Step) for step in steps)
    assert [step.done for step in steps] == list(range(12))
    assert {step.total for step in steps} == {12}
    assert isinstance(result, BlockResult)
    assert result == blocks_of(PermutationConfig())
    assert run_depth(PermutationConfig()) == run_depth(PermutationConfig())
    *steps, result = steps_order(PermutationConfig())
    assert [(step.done, step.total) for step in steps] == [(done, 7) for done in range(7)]
    assert result == order_of_tokens(PermutationConfig())


def test_what_brings_order_in_is_the_same_whatever_the_picture_has() -> None:
    config = PermutationConfig(positions="rotary", carried=True, mask="causal", context=("a", "b"))
    assert config.plain == PermutationConfig()
    assert order_of_tokens(config) == order_of_tokens(PermutationConfig())


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_a_word_said_several_times_is_a_sentence_of_that_length(mask: str) -> None:
    """The first of sixteen equal tokens are, with their part of the mask, the sentence that is as long as they."""
    many, three = (Attention(PermutationConfig(tokens=("a",) * n, mask=mask, positions="alibi")) for n in (16, 3))
    here = torch.arange(3)[None]
    assert torch.equal(many.outputs(here, here), three.outputs(here, here))
    assert many.bound(3) == three.bound()


@pytest.mark.parametrize(
    "values",
    [{"key_order": ORDER}, {"context": ("a", "b")}, {"keys_alone": True, "query_order": ORDER, "key_order": ORDER}],
)
def test_a_block_shuffles_all_of_one_sentence_or_says_why_not(values: dict) -> None:
    with pytest.raises(ConfigError, match="in a block the same tokens ask and answer"):
        ShuffleConfig(model="pre", **values)
    with pytest.raises(ConfigError, match="model"):
        ShuffleConfig(model="block")


def test_a_shuffled_block_undone_is_what_it_was_in_weights_and_output() -> None:
    for model in MODELS:
        result = run_shuffle(ShuffleConfig(model=model, query_order=ORDER, key_order=ORDER))
        assert result.moved <= result.bound
        np.testing.assert_allclose(result.weights_undone, result.weights_before, atol=1e-6)
        np.testing.assert_allclose(result.weights_before.sum(-1), 1, atol=1e-6)
        assert np.abs(result.weights_after - result.weights_before).max() > 0.1


def test_the_snippet_covers_every_model() -> None:
    switches = [
        {},
        {"positions": "sinusoidal"},
        {"positions": "learned", "carried": True, "mask": "window"},
        {"positions": "rotary", "biases": False},
        {"positions": "alibi", "mask": "causal", "dtype": "float32"},
    ]
    configs = [
        ShuffleConfig(model=model, query_order=ORDER, key_order=ORDER, seed=seed, **values)
        for model in MODELS
        for seed, values in enumerate(switches)
    ]
    for config, printed in zip(configs, run_snippets([permutation_snippet(c) for c in configs]), strict=True):
        result = run_shuffle(config)
        if result.moved <= result.bound:
            assert float(*numbers(printed)) <= result.bound
        else:
            assert float(*numbers(printed)) == pytest.approx(result.moved, rel=5e-3)
        assert len(own_lines(permutation_snippet(config))) <= 58


@pytest.mark.parametrize("character", ["\0", "\t", "\u2028", "\u202e"], ids=ascii)
def test_no_config_takes_what_no_board_shows(character: str) -> None:
    with pytest.raises(ConfigError, match="control characters are not allowed in a token"):
        PermutationConfig(tokens=("a", f"b{character}"))
