"""How far rounding alone may move scores, weights, outputs and gradients when a bias is put in or taken out."""

import math

import torch
from torch import Tensor

from attention_core.experiments.verdict import LAMBDA, tolerance
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention


def rounding(dtype: torch.dtype, *, scale: float, terms: int) -> float:
    """``tolerance``, or the deterministic ``2 · terms · u · scale`` where that is smaller: below 64 roundings."""
    return tolerance(dtype, scale=scale, terms=terms) * min(1.0, math.sqrt(terms) / LAMBDA)


def is_half(dtype: torch.dtype) -> bool:
    """Whether matrix products of this precision accumulate in float32 and are rounded once, at the end."""
    return dtype in (torch.float16, torch.bfloat16)


def score_bound(module: MultiHeadAttention, *traces: AttentionTrace) -> float:
    """Largest difference of two scores ``q·k · scale`` that rounding explains.

    A score goes through the sums of length d_model that make q and k and the one of length d_head over their product,
    whose terms have random signs: the scale is their root sum of squares (Higham & Mary 2020, "Sharper Probabilistic
    Backward Error Analysis for Basic Linear Algebra Kernels with Random Data"). In half precision, where every sum is
    rounded once, four roundings (q, k, the product, the scale) act on the sum of absolute values.

    Args:
        module: The module.
        traces: What is compared; the larger one counts.
    """
    dtype = traces[0].scores.dtype
    scale = max(_product_size(trace.q, trace.k, dtype) for trace in traces) * abs(module.scale)
    return rounding(dtype, scale=scale, terms=4 if is_half(dtype) else 2 * module.d_model + module.d_head)


def weight_bound(module: MultiHeadAttention, *traces: AttentionTrace) -> float:
    """Largest difference of two weights that rounding explains.

    Scores that move by at most δ move a weight by at most ``tanh(δ/2)``: the odds a/(1 − a) change by a factor of at
    most e^(2δ). Softmax adds the rounding of a sum over the keys.
    """
    dtype = traces[0].weights.dtype
    own = rounding(dtype, scale=1.0, terms=1 if is_half(dtype) else traces[0].k.shape[-2] + 3)
    return math.tanh(score_bound(module, *traces) / 2) + own


def output_bound(module: MultiHeadAttention, *traces: AttentionTrace, scores_move: bool = True) -> float:
    """Largest difference of two outputs that rounding explains.

    An output entry is Σ context·W_O; scores that move by at most δ change each weight, and so each context, by a
    factor of at most e^(2δ).

    Args:
        module: The module.
        traces: What is compared; the larger one counts.
        scores_move: Whether the compared scores are rounded differently.
    """
    dtype = traces[0].output.dtype
    d_model, kv_len = module.d_model, traces[0].k.shape[-2]
    weight, bias = module.o_weight, module.o_bias
    size = 0.0
    for trace in traces:
        weights, v = trace.weights.to(torch.float64), trace.v.to(torch.float64)
        merged = (weights @ v.abs()).transpose(-3, -2).flatten(-2)  # (batch, q_len, heads · d_head)
        if weight is None:
            rows = merged
        elif is_half(dtype):
            rows = merged @ weight.to(torch.float64).abs().mT
        else:
            rows = (merged.square() @ weight.to(torch.float64).square().mT).sqrt()
        size = max(size, float(rows.max()))
    terms = 5 if is_half(dtype) else 2 * d_model + 2 * kv_len + 3
    own = rounding(dtype, scale=size + (0.0 if bias is None else float(bias.abs().max())), terms=terms)
    moved = min(math.expm1(min(2 * score_bound(module, *traces), 1.0)), 2.0) if scores_move else 0.0
    return own + moved * size


def key_gradient_bound(module: MultiHeadAttention, trace: AttentionTrace, upstream: Tensor) -> float:
    """Largest ‖∂L/∂b_K‖ that rounding explains, where L = Σ upstream·output.

    ``∂L/∂b_K = scale · Σ_i (Σ_j ∂L/∂scores_ij) q_i``, and ``∂L/∂scores_ij = a_ij (g_ij − Σ_l a_il g_il)`` with
    ``g_ij = ∂L/∂context_i · v_j``: what is added up has the size ``a_ij (|g_ij| + Σ_l a_il |g_il|) |q_i|``.

    Args:
        module: The module.
        trace: A trace of it.
        upstream: ∂L/∂output (batch, q_len, d_model).
    """
    assert module.o_weight is not None
    dtype = trace.output.dtype
    weights, v, q = (part.to(torch.float64) for part in (trace.weights, trace.v, trace.q))
    to_context = upstream.to(torch.float64) @ module.o_weight.to(torch.float64)
    to_context = to_context.unflatten(-1, (module.num_heads, -1)).transpose(-3, -2)
    to_weights = (to_context @ v.mT).abs()
    terms = weights * (to_weights + (weights * to_weights).sum(-1, keepdim=True))
    kv_len = weights.shape[-1]
    if is_half(dtype):
        size = (terms.sum(-1, keepdim=True) * q.abs()).sum(-2)
        return rounding(dtype, scale=float(size.norm()) * abs(module.scale), terms=5)
    size = (terms.square().sum(-1, keepdim=True) * q.square()).sum(-2).sqrt()
    return rounding(dtype, scale=float(size.norm()) * abs(module.scale), terms=4 * kv_len + module.d_head)


def _product_size(q: Tensor, k: Tensor, dtype: torch.dtype) -> float:
    """Root sum of squares of the terms of q·k, or in half precision the sum of their absolute values.

    What overflowed counts as the largest number of the precision.
    """
    q, k = q.to(torch.float64), k.to(torch.float64)
    size = q.abs() @ k.abs().mT if is_half(dtype) else (q.square() @ k.square().mT).sqrt()
    return float(size.nan_to_num(nan=math.inf).max().clamp(max=torch.finfo(dtype).max))
