"""Scaled dot-product attention as pure functions, shared by every module of this package.

Notation, with the paper's symbols (Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1)::

    scores        = query · keyᵀ · scale             S = Q Kᵀ / √d_k
    masked_scores = scores, −∞ where a mask hides a key
    weights       = softmax(masked_scores) over keys A = softmax(S)
    context       = weights · value                  A V

Sizes: ``q_len`` queries, ``kv_len`` keys and values, ``d_head`` numbers in each (d_k); ``...`` stands for any
leading dimensions, such as ``(batch, heads)``. Every size but ``d_head`` may be 0.

Half precision: weights come from scores in float32, as in the fused kernels, so that a score above float16's 65,504
is still a number on the way; scores that are handed out are rounded. An additive mask is rounded to the *queries'*
precision before anything is decided by it: −10⁹ is a large penalty in float32 and bfloat16, and hides like −∞ in
float16.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attention_core.modules.masks import causal_mask, combine_masks, require_key_padding, visible_rows

HALF_PRECISION = (torch.float16, torch.bfloat16)


def scaled_dot_product_attention(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*kv_batch kv_len d_head"],
    value: Float[Tensor, "*kv_batch kv_len d_value"],
    *,
    attn_mask: Shaped[Tensor, "..."] | None = None,
    key_padding_mask: Shaped[Tensor, "..."] | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    enable_gqa: bool = False,
) -> Float[Tensor, "*batch q_len d_value"]:
    """Mean of the values, weighted by how well their keys match the query: ``softmax(Q Kᵀ · scale + mask) V``.

    Runs on torch's fused kernel, which never stores the weights; where torch has none for the device and precision
    (float64 on CUDA), it computes them. A fully masked row gives zeros, and finite gradients. A masked key has weight
    0, but 0 · NaN is NaN: a masked value or key must still be finite.

    Args:
        query: ``(..., q_len, d_head)``.
        key: ``(..., kv_len, d_head)``.
        value: ``(..., kv_len, d_value)``.
        attn_mask: Bool (True = may attend) or additive, broadcastable to ``(..., q_len, kv_len)``; see the module's
            text for what rounding does to an additive one.
        key_padding_mask: Bool ``(batch, kv_len)``, True = padding; ``(kv_len,)`` for inputs without a batch.
        is_causal: Whether a query sees only the keys up to its own slot; where the lengths differ, slots are counted
            from the first token on both sides, as torch counts them.
        scale: Factor of the scores; ``1/√d_head`` when None.
        dropout: Probability of dropping each weight. Callers pass 0 outside training.
        enable_gqa: Whether keys and values may have fewer heads, ``(batch, kv_heads, …)``, each shared by
            ``heads / kv_heads`` successive heads of queries.

    Raises:
        ValueError: If a mask does not fit the scores or has another dtype than said above.

    Returns:
        Context ``(..., q_len, d_value)``, in the dtype of ``value``. Half precision keeps its softmax in float32.
    """
    if scale is not None and scale <= 0:
        # Kernels may scale after they have put −∞ above the diagonal, and −∞ times 0 or less hides nothing. Of 0
        # something is left for the gradients, which may be too large for half precision before they meet the 0.
        query, scale = query * (-1.0 if scale else 0.0), -scale or torch.finfo(torch.float32).tiny
    if attn_mask is None and key_padding_mask is None:
        return F.scaled_dot_product_attention(
            query, key, value, None, dropout, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    mask = merge_masks(_scores_shape(query, key), attn_mask, key_padding_mask, is_causal, like=query)
    assert mask is not None
    visible = visible_rows(mask)
    # A row without keys sees all of them and is zeroed afterwards: no kernel, forward or backward, divides 0 by 0.
    mask = mask | ~visible if mask.dtype == torch.bool else mask.masked_fill(~visible, 0.0)
    context = F.scaled_dot_product_attention(query, key, value, mask, dropout, scale=scale, enable_gqa=enable_gqa)
    return context.masked_fill(~visible, 0.0)


def attention_weights(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*batch kv_len d_head"],
    *,
    attn_mask: Shaped[Tensor, "..."] | None = None,
    key_padding_mask: Shaped[Tensor, "..."] | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
) -> Float[Tensor, "*batch q_len kv_len"]:
    """How much each query attends to each key: ``softmax(Q Kᵀ · scale + mask)``, rows summing to 1.

    Takes the arguments of :func:`scaled_dot_product_attention` and raises the same errors.

    Returns:
        Weights ``(..., q_len, kv_len)``; a fully masked row is zero, with finite gradients.
    """
    scores = precise_scores(query, key, scale=scale)
    mask = merge_masks(tuple(scores.shape), attn_mask, key_padding_mask, is_causal, like=query)
    masked_scores, visible = (scores, None) if mask is None else (mask_scores(scores, mask), visible_rows(mask))
    return softmax_over_keys(masked_scores, visible, dropout=dropout, dtype=query.dtype)


def attention_scores(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*batch kv_len d_head"],
    *,
    scale: float | None = None,
) -> Float[Tensor, "*batch q_len kv_len"]:
    """Dot product of every query with every key, times ``scale`` (``1/√d_head`` when None), in their precision."""
    return precise_scores(query, key, scale=scale).to(query.dtype)


def precise_scores(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*batch kv_len d_head"],
    *,
    scale: float | None = None,
) -> Float[Tensor, "*batch q_len kv_len"]:
    """:func:`attention_scores` before they are rounded: in float32 for half precision, whatever autocast says."""
    scale = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    if query.dtype in HALF_PRECISION:
        query, key = query.float(), key.float()
    products = query @ key.mT
    if products.dtype != query.dtype:  # autocast has rounded them before they are scaled
        with torch.autocast(query.device.type, enabled=False):
            products = query.float() @ key.float().mT
    return products.mul_(scale)


def product(a: Float[Tensor, "*#batch rows inner"], b: Float[Tensor, "*#batch inner columns"]) -> Tensor:
    """The matrix product ``a b``, ``(..., rows, columns)``.

    On the CPU that of float16 is made in float32 and rounded once, as accelerators make it: torch's own loop takes up
    to two hundred times as long, most of all backward.
    """
    if a.dtype is torch.float16 and a.device.type == "cpu":
        return (a.float() @ b.float()).to(a.dtype)
    return a @ b


def mask_scores(
    scores: Float[Tensor, "*batch q_len kv_len"], mask: Shaped[Tensor, "..."]
) -> Float[Tensor, "*batch q_len kv_len"]:
    """The scores as softmax sees them: −∞ where a bool mask hides a key, or with an additive mask added."""
    return scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask.to(scores.dtype)


def softmax_over_keys(
    masked_scores: Float[Tensor, "*batch q_len kv_len"],
    visible: Bool[Tensor, "..."] | None = None,
    *,
    dropout: float = 0.0,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "*batch q_len kv_len"]:
    """Softmax of each row, in float32 for half precision.

    Args:
        masked_scores: ``(..., q_len, kv_len)``.
        visible: Which rows see a key, ``(..., q_len, 1)``. The others are set aside *before* softmax and become zero
            after it: zeroing them only afterwards would leave the NaN of softmax(−∞, …) in the gradients.
        dropout: Probability of dropping each weight, the rest being divided by ``1 − dropout``.
        dtype: Precision of the weights; that of the scores when None.
    """
    precision = torch.float32 if masked_scores.dtype in HALF_PRECISION else None
    if visible is None:
        weights = masked_scores.softmax(-1, dtype=precision)
    else:
        weights = masked_scores.masked_fill(~visible, 0.0).softmax(-1, dtype=precision).masked_fill(~visible, 0.0)
    dtype = masked_scores.dtype if dtype is None else dtype
    weights = weights if weights.dtype == dtype else weights.to(dtype)
    return F.dropout(weights, dropout) if dropout else weights


def merge_masks(
    shape: tuple[int, ...],
    attn_mask: Shaped[Tensor, "..."] | None = None,
    key_padding_mask: Shaped[Tensor, "..."] | None = None,
    is_causal: bool = False,
    *,
    further: Shaped[Tensor, "..."] | None = None,
    like: Tensor,
) -> Tensor | None:
    """Everything that hides or penalises keys as one mask, broadcastable to the scores; None if nothing does.

    An additive one comes in the precision that the kernels will take it in: that of the queries, or autocast's. What
    turns to −∞ by that rounding hides, as it will for softmax.

    Args:
        shape: Shape of the scores ``(..., q_len, kv_len)``.
        attn_mask: As in :func:`scaled_dot_product_attention`; also the next two.
        key_padding_mask: True = padding.
        is_causal: Whether a query sees only the keys up to its own slot.
        further: A mask that follows from positions, such as ALiBi's penalties.
        like: The queries, for precision and device.

    Raises:
        ValueError: If a mask does not fit, or has a dtype that does not say what it means.
    """
    *lead, q_len, kv_len = shape
    if attn_mask is not None:
        if attn_mask.dtype != torch.bool and not attn_mask.is_floating_point():
            raise ValueError(
                f"attn_mask has dtype {attn_mask.dtype}: give bool (True = may attend) or additive floats."
            )
        if not _broadcasts(attn_mask.shape, shape):
            raise ValueError(
                f"attn_mask of shape {tuple(attn_mask.shape)} does not broadcast to the scores' {shape}."
            )
        attn_mask = attn_mask[(None,) * (2 - attn_mask.dim())]  # kernels want a row and a column
    if key_padding_mask is not None:
        require_key_padding(key_padding_mask, (*lead[:1], kv_len))
        key_padding_mask = key_padding_mask.view(*lead[:1], *(1 for _ in lead[1:]), 1, kv_len)
    mask = combine_masks(
        attn_mask,
        None if key_padding_mask is None else ~key_padding_mask,
        causal_mask(q_len, kv_len, device=like.device) if is_causal else None,
        further,
    )
    return mask if mask is None or mask.dtype == torch.bool else mask.to(_autocast_dtype(like) or like.dtype)


def mask_with_sink(mask: Shaped[Tensor, "..."], kv_len: int) -> Shaped[Tensor, "..."]:
    """A mask of ``kv_len`` keys, or one that broadcasts to them, with a further key that nobody is kept from."""
    return F.pad(mask.expand(*mask.shape[:-1], kv_len), (0, 1), value=float(mask.dtype == torch.bool))


def mask_with_logit(
    mask: Shaped[Tensor, "..."] | None,
    shape: tuple[int, ...],
    logit: Float[Tensor, " heads"],
    *,
    like: Tensor,
) -> Float[Tensor, "one_or_batch heads q_len keys_and_sink"]:
    """A mask with a further key of score 0 that adds to it a number of each head's own, and hides it from nobody.

    Args:
        mask: What hides or penalises the keys; None if nothing does.
        shape: Shape of the scores ``(batch, heads, q_len, kv_len)`` without that key.
        logit: The number of each head.
        like: The queries, for precision.
    """
    _, heads, q_len, kv_len = shape
    dtype = _autocast_dtype(like) or like.dtype
    if mask is None:
        seen = torch.zeros((1, heads, q_len, kv_len), dtype=dtype, device=like.device)
    elif mask.dtype == torch.bool:
        seen = torch.zeros(mask.shape, dtype=dtype, device=like.device).masked_fill(~mask, -math.inf)
    else:
        seen = mask
    rows = seen.shape[0] if seen.dim() == 4 else 1
    seen = seen.expand(rows, heads, q_len, kv_len)
    return torch.cat((seen, logit.to(dtype)[:, None, None].expand(rows, heads, q_len, 1)), dim=-1)


def soft_capped(scores: Float[Tensor, "*batch q_len kv_len"], cap: float | None) -> Tensor:
    """``cap · tanh(scores / cap)``, within ±cap: Gemma Team (2024), "Gemma 2", section 2; as they are where None."""
    return scores if cap is None else (scores / cap).tanh() * cap


def _autocast_dtype(x: Tensor) -> torch.dtype | None:
    """The precision to which autocast rounds this tensor, if it does."""
    kind = x.device.type
    if x.dtype == torch.float64 or x.is_meta or not torch.is_autocast_enabled(kind):
        return None
    return torch.get_autocast_dtype(kind)


def _broadcasts(shape: Sequence[int], target: Sequence[int]) -> bool:
    return len(shape) <= len(target) and all(
        size in (1, full) for size, full in zip(reversed(shape), reversed(target), strict=False)
    )


def _scores_shape(query: Tensor, key: Tensor) -> tuple[int, ...]:
    return (*query.shape[:-1], key.shape[-2])
