"""Every permutation claim, where theory says it holds and where a switch breaks it."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.inputs import draw_parameters, token_embeddings
from attention_core.experiments.permutation import (
    POSITIONS,
    PermutationConfig,
    ShuffleConfig,
    order_of,
    permutation_snippet,
    run_permutation,
    run_shuffle,
)
from attention_core.experiments.permutation.config import BIAS_STD, D_MODEL, NUM_HEADS
from attention_core.experiments.permutation.module import Attention
from attention_core.modules.multi_head import MultiHeadAttention
from tests.experiments.snippets import numbers, own_lines, run_snippets

HALVES = ("bfloat16", "float16")


def residuals(**settings: object) -> dict[str, float]:
    result = run_permutation(PermutationConfig(**settings))
    return {verdict.claim: verdict.measured for verdict in result.verdicts}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("switches", "broken"),
    [
        ({"positions": "sinusoidal"}, {"perm-kv", "perm-q", "perm-self"}),
        ({"positions": "learned"}, {"perm-kv", "perm-q", "perm-self"}),
        ({"positions": "rotary"}, {"perm-kv", "perm-q", "perm-self"}),
        ({"positions": "alibi"}, {"perm-kv", "perm-q", "perm-self"}),
        ({"mask": "causal"}, {"perm-kv", "perm-q", "perm-self"}),
        ({"mask": "window"}, {"perm-kv", "perm-q", "perm-self"}),
        ({"keys_alone": True}, {"perm-kv", "perm-self"}),
        ({}, set()),
        ({"biases": False}, set()),
        ({"positions": "sinusoidal", "carried": True}, set()),
        ({"positions": "rotary", "carried": True}, set()),
    ],
)
def test_each_switch_breaks_its_claims_a_thousandfold(switches: dict, broken: set, dtype: str) -> None:
    result = run_permutation(PermutationConfig(dtype=dtype, **switches))
    for verdict in result.verdicts:
        if verdict.claim in broken:
            assert verdict.measured > 1000 * result.bound
        else:
            assert verdict.measured <= result.bound


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("switches", [{"positions": "alibi"}, {"positions": "rotary"}, {"mask": "causal"}])
def test_half_precision_sees_what_breaks_a_claim(switches: dict, dtype: str) -> None:
    for seed in range(5):
        outcomes = {one.key: one.outcome for one in run_permutation(
            PermutationConfig(dtype=dtype, seed=seed, **switches)
        ).verdicts}  # fmt: skip
        assert outcomes == dict.fromkeys(("perm-kv", "perm-q", "perm-self"), "fails")


def test_what_a_precision_cannot_tell_is_left_open_with_the_reason() -> None:
    config = PermutationConfig(tokens=("a", "b"), positions="alibi", seed=2)
    found = {dtype: run_permutation(dataclasses.replace(config, dtype=dtype)).verdict("perm-kv") for dtype in HALVES}
    assert found["float16"].outcome == "fails"
    assert found["bfloat16"].outcome == "undecided"
    assert "bfloat16 can tell" in found["bfloat16"].because


@pytest.mark.parametrize("dtype", ["float64", "float32", *HALVES])
def test_the_bound_lies_within_a_small_multiple_of_the_errors_of_a_pass(dtype: str) -> None:
    """A pass is off from float64 on the same numbers by a tenth to four tenths of what two may be off."""
    shares = []
    for seed in range(8):
        one = Attention(PermutationConfig(dtype=dtype, seed=seed))
        exact = Attention(PermutationConfig(seed=seed))
        exact.module.load_state_dict({name: value.double() for name, value in one.module.state_dict().items()})
        exact.x, exact.y = one.x.double(), one.y.double()
        here = torch.arange(6)[None]
        with torch.inference_mode():
            shares.append(float((one.outputs(here, here) - exact.outputs(here, here)).abs().max()) / one.bound())
    assert max(shares) < 0.5
    assert dtype in ("float64", "float32") or min(shares) > 0.05


@pytest.mark.parametrize(
    ("settings", "same", "in_place"),
    [
        ({"key_order": (5, 4, 3, 2, 1, 0)}, True, True),
        ({"query_order": (5, 4, 3, 2, 1, 0)}, True, False),
        ({"query_order": (5, 4, 3, 2, 1, 0), "tokens": ("a",) * 6}, True, True),
        ({"key_order": (5, 4, 3, 2, 1, 0), "positions": "rotary"}, False, False),
        ({"key_order": (5, 4, 3, 2, 1, 0), "keys_alone": True}, False, False),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", *HALVES])
def test_whether_the_output_is_the_same_under_any_seed(
    settings: dict, same: bool, in_place: bool, dtype: str
) -> None:
    for seed in range(5):
        result = run_shuffle(ShuffleConfig(**settings, dtype=dtype, seed=seed))
        assert (result.same, result.same_in_place) == (same, in_place)


def test_a_precision_that_finds_no_difference_does_not_call_it_the_same() -> None:
    close = ShuffleConfig(dtype="bfloat16", seed=1, positions="alibi", key_order=(0, 1, 3, 2, 4, 5))
    assert run_shuffle(close).same is None
    assert run_shuffle(dataclasses.replace(close, dtype="float64")).same is False


def test_one_order_is_judged_by_what_theory_says_of_it() -> None:
    here, turned = (0, 1, 2), (2, 1, 0)

    def outcome(order: tuple[int, ...], **switches: object) -> str:
        config = ShuffleConfig(**{"tokens": ("a", "b", "c"), "query_order": order, "key_order": order} | switches)
        return run_shuffle(config).verdict("perm-self").outcome

    for switches in ({"positions": "sinusoidal"}, {"positions": "rotary"}, {"mask": "causal"}, {"keys_alone": True}):
        assert outcome(here, **switches) == "holds"
        assert outcome(turned, **switches) == "fails"
    for switches in ({"positions": "alibi"}, {"mask": "window"}):
        assert outcome(here, **switches) == "holds"
        assert outcome(turned, **switches) == "undecided"
    assert outcome(turned, positions="alibi", carried=True) == "holds"
    assert outcome((1, 0, 2), positions="learned", tokens=("a", "a", "b")) == "undecided"


def test_the_residuals_are_those_of_a_loop_over_the_orders() -> None:
    config = PermutationConfig(tokens=("a", "b", "c", "d"), positions="learned", mask="causal", seed=7)
    module = MultiHeadAttention(D_MODEL, NUM_HEADS, position=POSITIONS["learned"], dtype=torch.float64)
    draw_parameters(module, 7, bias_std=BIAS_STD)
    x = token_embeddings(config.tokens, D_MODEL, 7)
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    with torch.no_grad():
        before = module(x[None], attn_mask=mask)[0]
        expected = [
            float((module(x[list(order)][None], attn_mask=mask)[0] - before[list(order)]).abs().max())
            for order in itertools.permutations(range(4))
        ]
    result = run_permutation(config)
    measured = result.residuals[result.claims.index("perm-self")]
    assert len(measured) == 24
    np.testing.assert_allclose(measured, expected, atol=result.bound, rtol=0)


def test_alibi_and_windows_survive_the_reversal_of_two_tokens_only() -> None:
    for switch in ({"positions": "alibi"}, {"mask": "window"}):
        assert residuals(tokens=("a", "b"), **switch)["perm-self"] < 1e-12
        assert residuals(tokens=("a", "b", "c"), **switch)["perm-self"] > 1e-3


def test_more_than_seven_tokens_are_sampled_and_said_so() -> None:
    result = run_permutation(PermutationConfig(tokens=tuple("abcdefgh")))
    assert {verdict.cases for verdict in result.verdicts} == {"256 random orders"}
    assert run_permutation(PermutationConfig(tokens=tuple("abcdefg"))).verdicts[0].cases == "all 5,040 orders"


def test_on_the_cpu_the_same_config_gives_the_same_bits() -> None:
    config = ShuffleConfig(query_order=(5, 4, 3, 2, 1, 0), positions="rotary", device="cpu")
    first, second = run_shuffle(config), run_shuffle(config)
    for field in dataclasses.fields(first):
        np.testing.assert_array_equal(getattr(first, field.name), getattr(second, field.name))
    assert run_permutation(config.unshuffled()).verdicts == run_permutation(config.unshuffled()).verdicts


def test_one_seed_is_one_input_in_every_precision() -> None:
    fine = run_shuffle(ShuffleConfig(dtype="float64")).output_before
    for dtype, digits in (("float32", 1e-5), ("bfloat16", 0.15), ("float16", 2e-2)):
        np.testing.assert_allclose(run_shuffle(ShuffleConfig(dtype=dtype)).output_before, fine, atol=digits)


def test_undoing_puts_rows_and_columns_back() -> None:
    config = ShuffleConfig(query_order=(2, 0, 1), key_order=(1, 2, 0), tokens=("a", "b", "c"))
    result = run_shuffle(config)
    np.testing.assert_array_equal(result.weights_after[:, 0, 1], result.weights_undone[:, 2, 2])
    np.testing.assert_array_equal(result.output_after[0], result.output_undone[2])
    np.testing.assert_allclose(result.weights_undone, result.weights_before, atol=1e-6)
    assert result.moved_in_place > 0.1 > result.moved


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"tokens": ()}, "tokens = '0 tokens' is not possible: 1 to 64 tokens are allowed."),
        ({"tokens": ("w",) * 65}, "tokens = '65 tokens' is not possible: 1 to 64 tokens are allowed."),
        ({"tokens": ("w" * 513,)}, "tokens = '513 characters' is not possible: at most 512 characters are allowed."),
        ({"tokens": "abc"}, "tokens = 'abc' is not possible: a tuple of words is allowed."),
        ({"tokens": ("a", "")}, "every token needs at least one character."),
        ({"positions": "none?"}, "one of none, sinusoidal, learned, rotary, alibi is allowed."),
        ({"mask": None}, "mask = None is not possible"),
        ({"biases": 1}, "biases = 1 is not possible: True or False is allowed."),
        ({"seed": -1}, "seed = -1 is not possible: a whole number from 0 to 999,999 is allowed."),
        ({"seed": 1.0}, "seed = 1.0 is not possible"),
        ({"dtype": "float8"}, "dtype = 'float8' is not possible"),
        ({"device": "tpu9"}, "device = 'tpu9' is not possible"),
        ({"query_order": (0, 0, 1, 2, 3, 4)}, "an order of 0 … 5, each once, is allowed."),
        ({"keys_alone": True, "carried": True, "positions": "learned"}, "switch one of the two off."),
        ({"key_order": (0, 1)}, "an order of 0 … 5, each once, is allowed."),
        ({"key_order": (True, 0, 2, 3, 4, 5)}, "an order of 0 … 5, each once, is allowed."),
    ],
)
def test_what_is_not_possible_is_refused_with_a_sentence(values: dict, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ShuffleConfig(**values)
    assert sentence in str(caught.value)


def test_orders() -> None:
    assert order_of("reversed", 3, 0) == (2, 1, 0)
    assert order_of("rotated", 3, 0) == (1, 2, 0)
    assert all(sorted(order_of("random", n, s)) == list(range(n)) for n in (1, 2, 9) for s in range(20))
    assert all(order_of("random", 2, seed) == (1, 0) for seed in range(20))
    assert order_of("random", 6, 1) != order_of("random", 6, 2)
    with pytest.raises(ConfigError, match="order"):
        order_of("alphabetical", 3, 0)


FUZZED = [
    ShuffleConfig(query_order=order_of("random", 6, 3), key_order=order_of("random", 6, 3), seed=seed, **switches)
    for seed, switches in enumerate(
        [
            {},
            {"positions": "sinusoidal"},
            {"positions": "learned", "carried": True},
            {"positions": "rotary"},
            {"positions": "alibi", "mask": "causal"},
            {"mask": "window", "biases": False},
            {"keys_alone": True, "positions": "rotary", "carried": True},
            {"dtype": "float32", "positions": "rotary", "mask": "causal"},
        ]
    )
]
HOSTILE = ('"""', "<b>", "$x$", "🙂", "\\", "'; import os #")


def test_the_snippet_computes_the_same_number_outside_the_project() -> None:
    configs = [
        *FUZZED,
        ShuffleConfig(tokens=HOSTILE, query_order=(5, 4, 3, 2, 1, 0), mask="causal"),
        ShuffleConfig(context=("a", "b"), query_order=order_of("reversed", 6, 0), mask="window"),
    ]
    for config, printed in zip(configs, run_snippets([permutation_snippet(c) for c in configs]), strict=True):
        result = run_shuffle(config)
        if result.moved <= result.bound:
            assert float(*numbers(printed)) <= result.bound
        else:
            assert float(*numbers(printed)) == pytest.approx(result.moved, rel=5e-3)


def test_a_new_seed_changes_what_the_snippet_prints() -> None:
    configs = [ShuffleConfig(query_order=(1, 0, 2, 3, 4, 5), positions="rotary", seed=seed) for seed in (1, 2)]
    first, second = run_snippets([permutation_snippet(config) for config in configs])
    assert first != second


def test_the_snippet_is_short() -> None:
    assert all(len(own_lines(permutation_snippet(config))) <= 40 for config in FUZZED)
