"""Masks by hand: what each one hides, in numbers and in words."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core.device import available_devices
from attention_core.modules.masks import (
    causal_mask,
    combine_masks,
    describe_mask,
    key_padding_mask,
    sliding_window_mask,
    to_additive,
    to_bool,
    visible_rows,
)


def bits(*rows: str) -> torch.Tensor:
    return torch.tensor([[digit == "1" for digit in row] for row in rows])


def same(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Equal in numbers and in dtype, which ``torch.equal`` does not look at."""
    return found.dtype == expected.dtype and torch.equal(found, expected)


def test_causal() -> None:
    assert same(causal_mask(3), bits("100", "110", "111"))
    assert same(causal_mask(2, 5), bits("10000", "11000"))
    assert same(causal_mask(3, 2), bits("10", "11", "11"))


def test_sliding_window() -> None:
    assert same(sliding_window_mask(4, 1), bits("1100", "1110", "0111", "0011"))
    assert same(sliding_window_mask(4, 1, causal=True), bits("1000", "1100", "0110", "0011"))
    assert same(sliding_window_mask(3, 0), bits("100", "010", "001"))
    assert same(sliding_window_mask(2, 1, 4), bits("1100", "1110"))
    assert same(sliding_window_mask(2, 1, 4, start=2), bits("0111", "0011"))
    assert same(sliding_window_mask(2, 1, 4, start=2, causal=True), bits("0110", "0011"))


def test_key_padding_from_lengths() -> None:
    assert same(key_padding_mask([3, 1]), bits("000", "011"))
    assert same(key_padding_mask(torch.tensor([3, 1]), 4), bits("0001", "0111"))
    assert same(key_padding_mask([3, 0], 4, left=True), bits("1000", "1111"))


@pytest.mark.parametrize("device", available_devices())
def test_key_padding_lies_where_the_lengths_do(device: str) -> None:
    lengths = torch.tensor([3, 1], device=device)
    assert key_padding_mask(lengths).device == lengths.device


@given(st.lists(st.integers(0, 13), min_size=1, max_size=5), st.booleans())
def test_padding_hides_as_many_keys_as_are_missing(lengths: list[int], left: bool) -> None:
    mask = key_padding_mask(lengths, 13, left=left)
    assert mask.sum(1).tolist() == [13 - length for length in lengths]
    order = mask.flip(1) if left else mask
    assert (order.int().diff(dim=1) >= 0).all()


def test_combining_hides_what_any_mask_hides() -> None:
    added = torch.tensor([[0.5, -1.0, 2.0]])
    assert combine_masks() is None
    assert combine_masks(None, None) is None
    assert same(combine_masks(causal_mask(3), None, bits("011")), bits("000", "010", "011"))
    assert combine_masks(bits("101"), added).tolist() == [[0.5, -math.inf, 2.0]]
    assert combine_masks(added, added).tolist() == [[1.0, -2.0, 4.0]]
    assert combine_masks(added) is added


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("value", [-math.inf, -10000.0])
def test_additive_and_back(dtype: torch.dtype, value: float) -> None:
    mask = bits("101", "011")
    added = to_additive(mask, dtype, value=value)
    assert added.dtype == dtype
    assert (added[mask] == 0).all()
    assert (added[~mask] == torch.tensor(value).to(dtype)).all()
    assert same(to_bool(added, value=value), mask)
    assert same(to_bool(added), mask if value == -math.inf else torch.ones_like(mask))


def test_visible_rows_are_those_with_a_key() -> None:
    assert visible_rows(bits("010", "000")).tolist() == [[True], [False]]
    assert visible_rows(torch.tensor([[-math.inf, 0.0], [-math.inf, -math.inf]])).tolist() == [[True], [False]]
    assert visible_rows(torch.tensor([[-10000.0, -10000.0]])).tolist() == [[True]]


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (bits("11", "11"), "every query sees every key"),
        (bits("00", "00"), "no query sees any key"),
        (causal_mask(4), "causal: each query sees itself and earlier keys"),
        (bits("1100", "1100", "1100"), "keys 3–4 are hidden from every query"),
        (bits("1011", "1011"), "key 2 is hidden from every query"),
        (bits("10110101"), "keys 2, 5, 7 are hidden from every query"),
        (bits("100011"), "keys 2–4 are hidden from every query"),
        (bits("100010010"), "keys 2–4, 6–7, 9 are hidden from every query"),
        (bits("111", "000", "111"), "6 of 9 pairs of query and key may attend, query 2 sees no key"),
        (bits("00", "00", "11"), "2 of 6 pairs of query and key may attend, queries 1–2 see no key"),
        (sliding_window_mask(5, 1), "window: each query sees itself, 1 before it and 1 after it"),
        (sliding_window_mask(3, 0), "window: each query sees itself, 0 before it and 0 after it"),
        (
            bits("011", "001", "000"),
            "3 of 9 pairs of query and key may attend, key 1 is hidden from every query, query 3 sees no key",
        ),
        (
            bits("000", "100", "110"),
            "3 of 9 pairs of query and key may attend, key 3 is hidden from every query, query 1 sees no key",
        ),
        (sliding_window_mask(5, 2, causal=True), "window: each query sees itself, 2 before it and 0 after it"),
        (
            causal_mask(3) & bits("011"),
            "causal: each query sees itself and earlier keys, key 1 is hidden from every query, query 1 sees no key",
        ),
        (to_additive(causal_mask(3)), "causal: each query sees itself and earlier keys"),
        (to_additive(bits("10", "10"), value=-10000.0), "the scores are shifted by -10000 to 0"),
        (~key_padding_mask([2, 2], 3)[:, None, None], "key 3 is hidden from every query"),
        (
            ~key_padding_mask([2, 3], 3)[:, None],
            "sentence 1: key 3 is hidden from every query; sentence 2: every query sees every key",
        ),
    ],
)
def test_words(mask: torch.Tensor, words: str) -> None:
    assert describe_mask(mask) == words


CAUSAL = "causal: each query sees itself and earlier keys"


def window(before: int, after: int) -> str:
    return f"window: each query sees itself, {before} before it and {after} after it"


@pytest.mark.parametrize(
    ("mask", "start", "words"),
    [
        (bits("111110", "111111"), None, [CAUSAL, "with query 1 at key 5"]),
        (bits("111110", "111111"), 4, [CAUSAL, "with query 1 at key 5"]),
        (bits("111110", "111111"), 0, [window(1, 4), "with query 1 at key 1"]),
        (bits("111000", "111100"), 2, [CAUSAL, "with query 1 at key 3", "keys 5–6 are hidden from every query"]),
        (
            bits("001110", "000111"),
            None,
            [window(2, 0), "with query 1 at key 5", "keys 1–2 are hidden from every query"],
        ),
        (bits("0110", "0011"), 1, [window(0, 1), "with query 1 at key 2", "key 1 is hidden from every query"]),
        (bits("100000", "110000"), None, [CAUSAL, "with query 1 at key 1", "keys 3–6 are hidden from every query"]),
        (bits("10", "11", "11"), None, [CAUSAL, "with query 1 at key 1"]),
        (bits("00", "10", "11"), -1, [CAUSAL, "with key 1 at query 2", "query 1 sees no key"]),
        (bits("100", "110", "111"), 1, ["6 of 9 pairs of query and key may attend"]),
        (to_additive(bits("110", "111")), None, [CAUSAL, "with query 1 at key 2"]),
    ],
)
def test_words_say_where_the_queries_stand(mask: torch.Tensor, start: int | None, words: list[str]) -> None:
    assert describe_mask(mask, start=start) == ", ".join(words)


def test_a_causal_mask_for_queries_that_stand_further_back() -> None:
    assert torch.equal(causal_mask(2, 6, start=4), bits("111110", "111111"))
    assert torch.equal(causal_mask(3, 2, start=-1), bits("00", "10", "11"))
    assert torch.equal(causal_mask(2, 5, start=2), sliding_window_mask(2, 9, 5, causal=True, start=2))
