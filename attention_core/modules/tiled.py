"""Exact attention tile by tile: softmax that never sees a whole row of scores."""

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from attention_core.modules.dot_product import mask_scores, merge_masks, precise_scores
from attention_core.modules.masks import causal_mask, require_positive


class SoftmaxPart(NamedTuple):
    """What softmax over some of the keys has come to; two of them merge into that of all of both's.

    Attributes:
        maximum: The largest score of each row so far ``(..., q_len, 1)``; −∞ where none was seen.
        total: ``Σ exp(score − maximum)`` over these keys ``(..., q_len, 1)``.
        mixture: ``Σ exp(score − maximum) value`` over them ``(..., q_len, d_value)``.
    """

    maximum: Float[Tensor, "*batch q_len 1"]
    total: Float[Tensor, "*batch q_len 1"]
    mixture: Float[Tensor, "*batch q_len d_value"]

    @property
    def context(self) -> Float[Tensor, "*batch q_len d_value"]:
        """``mixture / total``; zeros for a row that has seen no key."""
        return self.mixture / self.total.masked_fill(self.total == 0, 1.0)


def part_of(
    masked_scores: Float[Tensor, "*batch q_len tile"], value: Float[Tensor, "*batch tile d_value"]
) -> SoftmaxPart:
    """Softmax over the keys of one tile, not yet divided by its sum."""
    maximum = masked_scores.detach().amax(-1, keepdim=True)  # the result does not depend on it, nor its gradient
    shares = (masked_scores - _finite(maximum)).exp()
    return SoftmaxPart(maximum, shares.sum(-1, keepdim=True), shares @ value)


def merge_parts(one: SoftmaxPart, other: SoftmaxPart) -> SoftmaxPart:
    """Softmax over the keys of both, in either order: each part is brought to the larger maximum and added.

    Milakov & Gimelshein (2018), "Online normalizer calculation for softmax", section 3.1.
    """
    maximum = torch.maximum(one.maximum, other.maximum)
    mine, theirs = ((part.maximum - _finite(maximum)).exp() for part in (one, other))
    return SoftmaxPart(maximum, one.total * mine + other.total * theirs, one.mixture * mine + other.mixture * theirs)


def tile_parts(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*batch kv_len d_head"],
    value: Float[Tensor, "*batch kv_len d_value"],
    *,
    tile: int,
    order: Sequence[int] | None = None,
    attn_mask: Shaped[Tensor, "..."] | None = None,
    key_padding_mask: Shaped[Tensor, "..."] | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Iterator[SoftmaxPart]:
    """The part of each tile of :func:`tiled_attention`, made as it is asked for; arguments and errors are its own."""
    require_positive(tile=tile)
    q_len, kv_len = query.shape[-2], key.shape[-2]
    starts = range(0, kv_len, tile)
    order = range(len(starts)) if order is None else order
    if sorted(order) != list(range(len(starts))):
        raise ValueError(
            f"order = {list(order)} is not possible: {kv_len} keys in tiles of {tile} are the tiles 0 to "
            f"{len(starts) - 1}, each once."
        )
    mask = merge_masks((*query.shape[:-1], kv_len), attn_mask, key_padding_mask, like=query)
    for start in (starts[at] for at in order):
        keys = slice(start, min(start + tile, kv_len))
        scores = precise_scores(query, key[..., keys, :], scale=scale)
        if mask is not None:
            scores = mask_scores(scores, mask if mask.shape[-1] == 1 else mask[..., keys])
        if is_causal:  # of one tile: that of all keys would have as many numbers as all scores
            seen = causal_mask(q_len, keys.stop - start, start=-start, device=query.device)
            scores = scores.masked_fill(~seen, -math.inf)
        yield part_of(scores, value[..., keys, :].to(scores.dtype))


def tiled_attention(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*batch kv_len d_head"],
    value: Float[Tensor, "*batch kv_len d_value"],
    *,
    tile: int,
    order: Sequence[int] | None = None,
    attn_mask: Shaped[Tensor, "..."] | None = None,
    key_padding_mask: Shaped[Tensor, "..."] | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Float[Tensor, "*batch q_len d_value"]:
    """What :func:`.scaled_dot_product_attention` computes, from one tile of keys after the other.

    ::

        m ← max(m, m_t),   l ← e^(m_old − m) l + e^(m_t − m) l_t,   o ← e^(m_old − m) o + e^(m_t − m) o_t
        context = o / l

    with the maximum m_t, the sum l_t and the mixture o_t of tile t alone. Alive at once are the scores of one tile,
    ``q_len · tile`` numbers of each head, and never all ``q_len · kv_len``: Rabe & Staats (2021), "Self-attention
    Does Not Need O(n²) Memory"; Dao et al. (2022), "FlashAttention", section 3.1. Sums are those of float32 in half
    precision, rounded once at the end. A fully masked row gives zeros, and finite gradients.

    Args:
        query: ``(..., q_len, d_head)``.
        key: ``(..., kv_len, d_head)``.
        value: ``(..., kv_len, d_value)``.
        tile: Keys of a tile; the last one may have fewer. One that is longer than the text is the whole text.
        order: The tiles, counted from 0, in the order in which they are taken; from the first to the last when None.
        attn_mask: As in :func:`.scaled_dot_product_attention`; also the next three.
        key_padding_mask: True = padding.
        is_causal: Whether a query sees only the keys up to its own slot.
        scale: Factor of the scores; ``1/√d_head`` when None.

    Raises:
        ValueError: If ``tile`` is not positive, ``order`` is not one of all tiles, or a mask does not fit.

    Returns:
        Context ``(..., q_len, d_value)``, in the dtype of ``value``.
    """
    masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
    parts = tile_parts(query, key, value, tile=tile, order=order, scale=scale, **masks)
    if not key.shape[-2]:
        return value.new_zeros(*query.shape[:-1], value.shape[-1])
    return reduce(merge_parts, parts).context.to(value.dtype)


def _finite(maximum: Tensor) -> Tensor:
    """What scores are counted from: 0 where no key was seen, since −∞ − (−∞) is no number."""
    return maximum.masked_fill(maximum == -math.inf, 0.0)
