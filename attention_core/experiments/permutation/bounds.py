"""How far rounding alone may move the output of transformer blocks whose tokens come in another order."""

import math
from typing import Any

import torch
from torch import Tensor

from attention_core.experiments.bounds import output_tolerance
from attention_core.experiments.verdict import LAMBDA, tolerance
from attention_core.modules.block import PostNorm, PreNorm
from attention_core.modules.feed_forward import FeedForward
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import TokenBatchNorm
from attention_core.modules.stack import Stack

# Largest slope of x·Φ(x), at x = √2.
_GELU_SLOPE = 1.13


def stack_tolerance(stack: Stack, x: Tensor, *, attn_mask: Tensor | None, positions: Tensor) -> float:
    """Largest difference of two outputs of blocks that rounding explains, for orders of the tokens ``x``.

    The error is followed through the blocks. Every part passes on the error of its input, times how much it can
    enlarge it, and adds its own. Errors have random signs (see ``bounds.output_tolerance``), so a matrix enlarges
    them by the root sum of squares of a row, and a norm by 1/σ.

    Args:
        stack: Blocks with LayerNorm or BatchNorm.
        x: One batch of tokens (1, tokens, d_model).
        attn_mask: Mask of every attention.
        positions: Positions of the tokens.
    """
    dtype = x.dtype
    if stack.added_position is not None:
        x = stack.added_position(x, positions)
        positions = torch.arange(x.shape[1], device=x.device)
    error = 0.0
    for layer in stack.layers:
        block: Any = layer
        for norm, part in (
            (block.self_attention_norm, block.self_attention),
            (block.feed_forward_norm, block.feed_forward),
        ):
            masked = {"attn_mask": attn_mask, "positions": positions}
            match block.placement:
                case PreNorm():
                    inner, inner_error = _normed(norm, x, error)
                    branch, branch_error = _through(part, inner, inner_error, **masked)
                    x, error = x + branch, error + branch_error
                case PostNorm():
                    branch, branch_error = _through(part, x, error, **masked)
                    x, error = _normed(norm, x + branch, error + branch_error + _one(x + branch))
                case _:
                    branch, branch_error = _through(part, x, error, **masked)
                    branch, branch_error = _normed(norm, branch, branch_error)
                    x, error = x + branch, error + branch_error
            error += _one(x)
    return error if math.isfinite(error) else float(torch.finfo(dtype).max)


def _one(x: Tensor) -> float:
    """One rounding of each number, which moves it by u at most, in two ways of computing it."""
    return float(torch.finfo(x.dtype).eps) * float(x.abs().max())


def _sums(x: Tensor, scale: float, terms: int) -> float:
    """Sums of ``terms`` terms; in half precision they accumulate in float32 and are rounded at the end."""
    return (
        3 * float(torch.finfo(x.dtype).eps) * scale if _is_half(x) else tolerance(x.dtype, scale=scale, terms=terms)
    )


def _is_half(x: Tensor) -> bool:
    return x.dtype not in (torch.float64, torch.float32)


def _row(weight: Tensor | None) -> float:
    """Largest root sum of squares of a row of a weight matrix."""
    return 1.0 if weight is None else float(weight.to(torch.float64).norm(dim=-1).max())


def _normed(norm: torch.nn.Module, x: Tensor, error: float) -> tuple[Tensor, float]:
    made: Any = norm
    over = (0, 1) if isinstance(norm, TokenBatchNorm) else (-1,)  # over all tokens, or over the features of each
    variance = x.to(torch.float64).var(over, correction=0)
    gain = float((variance + made.eps).rsqrt().max()) * float(made.weight.abs().max())
    terms = x.shape[1] if isinstance(norm, TokenBatchNorm) else x.shape[2]
    normed = norm(x)
    if error == 0 and not isinstance(norm, TokenBatchNorm):
        return normed, 0.0  # LayerNorm sees one token at a time: the same numbers give the same numbers anywhere
    return normed, gain * (error + _sums(x, float(x.abs().max()), terms)) + _one(normed)


def _through(
    part: FeedForward | MultiHeadAttention, x: Tensor, error: float, *, attn_mask: Tensor | None, positions: Tensor
) -> tuple[Tensor, float]:
    if isinstance(part, FeedForward):
        wide, narrow = part.widen, part.narrow
        hidden = wide(x)
        sizes = (x.to(torch.float64).square() @ wide.weight.to(torch.float64).square().mT).sqrt()
        gain = _GELU_SLOPE * _row(narrow.weight)
        own = gain * _sums(x, float(sizes.max()) + float(wide.bias.abs().max()), part.widen.in_features)
        active = part.activation(hidden).to(torch.float64).square()
        out = float((active @ narrow.weight.to(torch.float64).square().mT).sqrt().max())
        own += _sums(x, out + float(narrow.bias.abs().max()), part.narrow.in_features)
        return part(x), gain * _row(wide.weight) * error + own
    trace = part.trace(x, attn_mask=attn_mask, query_positions=positions)
    q, k, weights = (float(y.to(torch.float64).norm(dim=-1).max()) for y in (trace.q, trace.k, trace.weights))
    # The values' errors, and those of the scores: Σ a_j (v_j − context) Δs_j, with |v_j − context| ≤ 2 max |v|.
    each = 1 + abs(part.scale) * math.hypot(q, k) * 2 * float(trace.v.abs().max()) * weights
    own = output_tolerance(part, trace)
    if _is_half(x):
        own *= math.sqrt(3) / LAMBDA  # its three roundings cannot do more than move each number by u each
    return trace.output, _row(part.o_weight) * _row(part.in_weight) * each * error + own
