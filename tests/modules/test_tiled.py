"""Attention tile by tile: in any order of tiles of any size what a loop over keys in float64 gives."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core.measuring.bounds import is_half, tolerance
from attention_core.modules.dot_product import attention_scores
from attention_core.modules.tiled import merge_parts, part_of, tile_parts, tiled_attention
from tests.modules.draws import drawn_masks, tokens
from tests.modules.oracle import softmax_row
from tests.modules.refusals import refused

F64 = torch.float64
MASKS = ("none", "bool", "bool per head", "additive", "padding", "padding and additive", "blind row")


def by_hand(q: Tensor, k: Tensor, v: Tensor, seen: Tensor, scale: float) -> np.ndarray:
    """Row by row in float64; ``seen`` is added to the scores."""
    q, k, v, seen = (each.double().numpy() for each in (q, k, v, seen))
    rows = np.empty((*q.shape[:-1], v.shape[-1]))
    for at in np.ndindex(q.shape[:-1]):
        if not k.shape[-2]:
            return np.zeros_like(rows)
        scores = [math.fsum(q[at] * key) * scale + extra for key, extra in zip(k[at[:-1]], seen[at], strict=True)]
        weights = softmax_row(scores)
        rows[at] = [math.fsum(w * value for w, value in zip(weights, column, strict=True)) for column in v[at[:-1]].T]
    return rows


def added(masks: dict[str, Any], shape: tuple[int, ...], *, is_causal: bool) -> Tensor:
    """All masks of a call as numbers to add."""
    total = torch.zeros(shape, dtype=F64)
    mask = masks.get("attn_mask")
    if mask is not None:
        total += torch.where(mask, 0.0, -math.inf) if mask.dtype == torch.bool else mask.double()
    if "key_padding_mask" in masks:
        total = total.masked_fill(masks["key_padding_mask"][:, None, None], -math.inf)
    q_len, kv_len = shape[-2:]
    return total.masked_fill(torch.arange(kv_len) > torch.arange(q_len)[:, None], -math.inf) if is_causal else total


@given(
    st.integers(1, 9),
    st.integers(0, 7),
    st.integers(1, 12),
    st.sampled_from(MASKS),
    st.booleans(),
    st.sampled_from((None, 0.7, -0.3)),
    st.sampled_from((F64, torch.float32, torch.bfloat16, torch.float16)),
    st.randoms(use_true_random=False),
)
@settings(max_examples=100)
def test_tiles_of_any_size_in_any_order_are_a_loop_over_the_keys(
    q_len: int, kv_len: int, tile: int, kind: str, is_causal: bool, scale: float | None, dtype: Any, draw: Any
) -> None:
    q, k, v = (tokens(2, 3, n, 4, seed=seed, dtype=dtype) for seed, n in enumerate((q_len, kv_len, kv_len)))
    generator = torch.Generator().manual_seed(draw.randrange(2**32))
    masks = drawn_masks(kind, (2, 3, q_len, kv_len), generator, dtype)
    order = list(range(-(-kv_len // tile)))
    draw.shuffle(order)
    found = tiled_attention(q, k, v, tile=tile, order=order, is_causal=is_causal, scale=scale, **masks)
    seen = added(masks, (2, 3, q_len, kv_len), is_causal=is_causal)
    right = torch.from_numpy(by_hand(q, k, v, seen, 0.5 if scale is None else scale))
    size = 1.0 + float(v.double().abs().amax()) if kv_len else 1.0
    score = 1.0 + float(attention_scores(q.double(), k.double()).abs().max()) if kv_len else 1.0
    bound = tolerance(torch.float32 if is_half(dtype) else dtype, scale=size * score, terms=8 + 4 * (kv_len + tile))
    bound += size * torch.finfo(dtype).eps if is_half(dtype) else 0.0
    assert found.dtype == dtype
    assert float((found.double() - right).abs().amax()) <= bound if found.numel() else found.shape == right.shape


@pytest.mark.parametrize("dtype", [F64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("is_causal", [False, True])
def test_torchs_fused_kernel_gives_the_same(dtype: torch.dtype, is_causal: bool) -> None:
    q, k, v = (tokens(2, 3, 33, 16, seed=seed, dtype=dtype) for seed in range(3))
    fused = F.scaled_dot_product_attention(q, k, v, is_causal=is_causal).double()
    off = [(tiled_attention(q, k, v, tile=tile, is_causal=is_causal).double() - fused).abs().max() for tile in (1, 8)]
    largest = float(v.double().abs().max())
    # Half precision: torch rounds its weights too.
    rounded = 2 * largest * torch.finfo(dtype).eps if is_half(dtype) else 0.0
    assert max(off) <= rounded + tolerance(
        torch.float32 if is_half(dtype) else dtype, scale=4 * largest, terms=16 + 4 * 33
    )


def test_scores_beyond_what_exp_can_hold_are_no_trouble() -> None:
    q, k, v = (tokens(5, 8, seed=seed, dtype=torch.float32) * size for seed, size in enumerate((300.0, 300.0, 1.0)))
    assert float((q @ k.T).max()) > 10_000
    off = tiled_attention(q, k, v, tile=2) - F.scaled_dot_product_attention(q.double(), k.double(), v.double())
    assert float(off.abs().max()) <= 1e-4


def test_merging_is_the_same_in_any_order_and_grouping() -> None:
    scores, v = tokens(4, 9, seed=3), tokens(9, 2, seed=4)
    parts = [part_of(scores[:, at : at + 3], v[at : at + 3]) for at in (0, 3, 6)]
    whole = scores.softmax(-1) @ v
    for one, two, three in itertools.permutations(parts):
        for merged in (merge_parts(merge_parts(one, two), three), merge_parts(one, merge_parts(two, three))):
            assert torch.allclose(merged.context, whole, rtol=0, atol=1e-14)


def test_gradients_are_those_of_the_whole_and_finite_where_a_row_sees_nothing() -> None:
    q, k, v = (tokens(2, 7, 4, seed=seed).requires_grad_() for seed in range(3))
    seen = torch.rand(7, 7, generator=torch.Generator().manual_seed(5)) < 0.6
    seen[2] = False
    upstream = tokens(2, 7, 4, seed=9)
    found = torch.autograd.grad((tiled_attention(q, k, v, tile=2, attn_mask=seen) * upstream).sum(), (q, k, v))
    scores = (q @ k.mT * 0.5).masked_fill(~seen, -1e30)
    weights = scores.softmax(-1) * seen.any(-1, keepdim=True)
    right = torch.autograd.grad((weights @ v * upstream).sum(), (q, k, v))
    for one, other in zip(found, right, strict=True):
        assert torch.isfinite(one).all()
        assert torch.allclose(one, other, rtol=0, atol=1e-13)


def test_no_tensor_has_a_number_for_each_pair_of_words() -> None:
    largest = 0

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal largest
            out = func(*args, **(kwargs or {}))
            largest = max(largest, out.numel() if isinstance(out, Tensor) else 0)
            return out

    q, k, v = (tokens(256, 4, seed=seed) for seed in range(3))
    with Watch():
        tiled_attention(q, k, v, tile=8, is_causal=True)
    assert 256 * 8 <= largest < 256 * 256 / 8


def test_what_is_not_possible_is_said() -> None:
    x = tokens(5, 4)
    with refused("tile = 0 is not possible: a positive number is needed."):
        tiled_attention(x, x, x, tile=0)
    sentence = "is not possible: 5 keys in tiles of 2 are the tiles 0 to 2, each once."
    for order in ([0, 1], [0, 1, 1], [1, 2, 3]):
        with refused(f"order = {order} {sentence}"):
            tiled_attention(x, x, x, tile=2, order=order)
    with refused("attn_mask of shape (4, 4) does not broadcast to the scores' (5, 5)."):
        tiled_attention(x, x, x, tile=2, attn_mask=torch.ones(4, 4, dtype=torch.bool))


def test_a_tile_longer_than_the_text_is_the_whole_text() -> None:
    x = tokens(5, 4)
    assert len(list(tile_parts(x, x, x, tile=99))) == 1
    assert torch.allclose(tiled_attention(x, x, x, tile=99), F.scaled_dot_product_attention(x, x, x), atol=1e-14)
