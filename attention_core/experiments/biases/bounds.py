"""How far rounding alone may move the gradient of the key bias, and the weights of scores that are shifted."""

import math

import torch
from torch import Tensor

from attention_core.experiments.arrays import on_cpu
from attention_core.experiments.bounds import LAMBDA, softmax_tolerance, spacing, variance
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention


def key_gradient_tolerance(module: MultiHeadAttention, trace: AttentionTrace, upstream: Tensor) -> float:
    """Largest ‖∂L/∂b_K‖ that rounding explains, where L = Σ upstream·output.

    ``∂L/∂b_K = Σ_j ∂L/∂k_j`` with ``∂L/∂k_j = scale · Σ_i ∂L/∂scores_ij q_i``, and ``∂L/∂scores_ij = a_ij (g_ij −
    Σ_l a_il g_il)`` with ``g_ij = ∂L/∂context_i · v_j``: rows of it sum to 0, but for the rounding of its entries,
    of their product with the scale, and of each ∂L/∂k_j. A vector of errors is no longer than the root of the sum of
    their variances plus 8 times the largest standard deviation among them.

    Args:
        module: The module.
        trace: A trace of it.
        upstream: ∂L/∂output (batch, q_len, d_model).
    """
    assert module.o_weight is not None
    dtype, scale = trace.output.dtype, module.scale
    weights, v, q = (on_cpu(part) for part in (trace.weights, trace.v, trace.q))
    to_context = (on_cpu(upstream) @ on_cpu(module.o_weight)).unflatten(-1, (module.num_heads, -1)).transpose(-3, -2)
    to_weights = to_context @ v.mT
    to_scores = weights * (to_weights - (weights * to_weights).sum(-1, keepdim=True))
    size = weights * (to_weights.abs() + (weights * to_weights.abs()).sum(-1, keepdim=True))
    sums, kv_len = size.square(), weights.shape[-1]
    to_keys = scale * to_scores.mT @ q  # (batch, heads, kv_len, d_head)
    at_scores = variance(to_scores, dtype, terms=4 * kv_len, squares=sums) * scale**2
    at_scores += variance(scale * to_scores, dtype, terms=1)
    at_keys = at_scores.mT @ q.square()
    at_keys += variance(to_keys, dtype, terms=module.d_head, squares=scale**2 * sums.mT @ q.square())
    at_bias = at_keys.sum(-2).flatten(-2)  # (batch, heads · d_head)
    return math.sqrt(float(at_bias.sum())) + LAMBDA * math.sqrt(float(at_bias.max()))


def shift_tolerance(scores: Tensor, shift: float) -> float:
    """Largest change of a weight that rounding explains when ``shift`` is added to all scores.

    A score is rounded by at most half of the spacing of numbers as large as the sum, and a weight moves by at most
    ``tanh`` of half of that.
    """
    largest = on_cpu(scores).abs().max() + abs(shift)
    error = float(spacing(largest, scores.dtype)) / 2
    return math.tanh(error / 2) + softmax_tolerance(torch.empty(scores.shape[-1:], dtype=scores.dtype))
