"""Each choice alone and each pair of faults is named as what it is, on drawn seeds and sizes; right ones are
right."""

import random
from itertools import combinations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.identify import CHOICES, IdentifyError, identify
from tests.identify.plain import Plain

Pair = tuple[tuple[str, str], tuple[str, str]]
SINGLES = [
    (choice.key, value)
    for choice in CHOICES
    for option in choice.options
    for value in option.values
    if choice.key not in ("layout", "stored") and not (choice.key == "scale" and option.key == "own")
    if value != choice.options[0].key
]
KINDS = {
    (choice.key, value): option.kind for choice in CHOICES for option in choice.options for value in option.values
}
FAULTS = [one for one in SINGLES if KINDS[one] == "fault"]
# Where keys are shared, what comes from W_Q has more heads than what comes from W_K: these do not fit each other.
UNSHARED = {("values", "q"), ("output", "before"), *(one for one in FAULTS if one[0] == "scores" and one[1] != "qv")}
PAIRS = [
    pair
    for pair in combinations(FAULTS, 2)
    if pair[0][0] != pair[1][0] and not (("groups", "tiled") in pair and UNSHARED & {*pair})
]
RIGHT = [
    {},
    {"mask": "causal"},
    {"mask": "causal", "rotary": "halves:10000"},
    {"mask": "causal", "rotary": "neighbours:500000", "qk_norm": "rms"},
    {"mask": "window:3", "softmax": "sink"},
    {"added": "sinusoidal", "around": "post_residual"},
    {"added": "learned", "mask": "causal", "around": "pre_residual"},
]
SIZES = ((16, 2), (24, 3), (32, 4), (64, 4), (16, 4))


def put_in(choices: dict[str, str], seed: int) -> tuple[Plain, int, int]:
    draw = random.Random(seed)
    d_model, heads = draw.choice(SIZES)
    torch.manual_seed(seed)
    grouped = "groups" in choices
    if grouped or "distance" in choices:  # heads that share; slopes that the plain code has for powers of two alone
        d_model, heads = 32, 4
    return Plain(d_model, heads, kv_heads=2 if grouped else None, **choices), d_model, heads


def same_function(one: Plain, other: Plain) -> bool:
    """Whether two compute one thing, by the plain code alone, on weights and tokens of its own."""
    other.load_state_dict(one.state_dict(), strict=False)
    one, other = one.double(), other.double()
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    generator = torch.Generator().manual_seed(99)
    with torch.no_grad():
        for parameter, twin in zip(one.parameters(), other.parameters(), strict=True):
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.3)
            twin.copy_(parameter)
        x = torch.randn(2, 7, one.q_proj.in_features, generator=generator)
        a, b = one(x), other(x)
    torch.set_default_dtype(default)
    return torch.allclose(a, b, rtol=0, atol=1e-9, equal_nan=True)


def check(choices: dict[str, str], seed: int) -> None:
    module, d_model, heads = put_in(choices, seed)
    if not module(torch.randn(2, 9, d_model)).isfinite().any():  # there is nothing to compare
        with pytest.raises(IdentifyError, match="all that it gives is NaN"):
            identify(module, d_model, heads)
        return
    found = identify(module, d_model, heads, max_seconds=600)
    assert found.design is not None, (choices, seed, found.sentence())
    named = {(fault.choice, getattr(found.design, fault.choice)) for fault in found.faults}
    wanted = {one for one in choices.items() if KINDS[one] == "fault"}
    if named != wanted:
        others = {key: value for key, value in found.design.values_of_choices() if key not in ("layout", "stored")}
        twin = Plain(d_model, heads, kv_heads=module.kv, **others)
        assert same_function(module, twin), (choices, seed, found.sentence())
        assert len(named) <= len(wanted), (choices, seed, found.sentence())


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(value=st.sampled_from(SINGLES), seed=st.integers(0, 10**6))
def test_single_choices_that_are_drawn_are_named(value: tuple[str, str], seed: int) -> None:
    check(dict([value]), seed)


@pytest.mark.slow
@settings(max_examples=2, deadline=None)
@given(pair=st.sampled_from(PAIRS), seed=st.integers(0, 10**6))
def test_pairs_of_faults_that_are_drawn_are_named(pair: Pair, seed: int) -> None:
    check(dict(pair), seed)


@settings(max_examples=4, deadline=None)
@given(sizes=st.sampled_from(SIZES), right=st.sampled_from(RIGHT), seed=st.integers(0, 10**6))
def test_what_is_right_is_never_called_faulty(sizes: tuple[int, int], right: dict[str, str], seed: int) -> None:
    torch.manual_seed(seed)
    found = identify(Plain(*sizes, **right), *sizes, max_seconds=600)
    assert found.faults == ()
    assert found.design is not None
    assert {key: getattr(found.design, key) for key in right} == right


@pytest.mark.parametrize("fault", [{}, {"scale": "times"}])
def test_a_number_in_place_of_minus_infinity_is_seen_beside_large_scores(fault: dict[str, str]) -> None:
    module, d_model, heads = put_in({"mask": "filled:-100", **fault}, 12)
    found = identify(module, d_model, heads)
    assert {one.choice for one in found.faults} == {"mask", *fault}
    assert found.design is not None
    assert found.design.mask == "filled:-100"
    usual = identify(put_in({"mask": "causal", **fault}, 12)[0], d_model, heads)
    assert {one.mask for one in usual.alike} == {"causal"}, "and it is none"


def test_two_faults_that_hide_each_other_with_one_token_are_named() -> None:
    check({"mask": "added_ones", "softmax": "nothing"}, 12)


def test_nothing_but_nan_is_refused() -> None:
    check({"mask": "strict_nan", "softmax": "heads"}, 12)


def test_rows_of_nan_that_fill_a_short_text_leave_a_longer_one_to_look_at() -> None:
    check({"merge": "view", "mask": "strict_nan"}, 12)


@pytest.mark.nightly  # by day some are drawn
@pytest.mark.parametrize("value", SINGLES, ids=":".join)
def test_every_single_choice_is_named(value: tuple[str, str]) -> None:
    check(dict([value]), 11)


@pytest.mark.nightly  # more than a thousand
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(map(":".join, pair)))
def test_every_pair_of_faults_is_named(pair: Pair) -> None:
    check(dict(pair), 12)
