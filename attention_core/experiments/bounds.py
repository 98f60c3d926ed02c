"""How far rounding alone may move an attention module's output: the bounds that residuals are held to."""

import torch

from attention_core.experiments.verdict import tolerance
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention


def output_tolerance(module: MultiHeadAttention, trace: AttentionTrace) -> float:
    """Largest difference of two outputs that rounding explains, for a module on inputs like those of ``trace``.

    An output entry is Σ context·W_O. Its terms have random signs, so its rounding error is that of their root sum of
    squares (Higham & Mary 2020, "Sharper Probabilistic Backward Error Analysis for Basic Linear Algebra Kernels with
    Random Data"). The weights inside ``context`` carry the scores' errors as relative ones, which adds the root sum
    of squares of q·k. The roundings are those of all sums on the way. In half precision sums accumulate in float32,
    so two ways of adding the same numbers differ only where the one rounding at the end of a sum falls to the other
    side: for the weights, the context and the output, by at most one unit in the last place each.

    Args:
        module: The module.
        trace: A trace of it on the unmoved input.
    """
    dtype = trace.output.dtype
    q, k, context = (x.to(torch.float64) for x in (trace.q, trace.k, trace.context))
    merged = context.transpose(-3, -2).flatten(-2)  # (batch, q_len, heads · d_head)
    squares, bias = merged.square(), 0.0
    if module.o_weight is not None:
        squares = squares @ module.o_weight.to(torch.float64).square().mT
        bias = 0.0 if module.o_bias is None else float(module.o_bias.abs().max())
    value = float(squares.sqrt().max())
    if dtype not in (torch.float64, torch.float32):
        return tolerance(dtype, scale=max(value, float(trace.output.abs().max())), terms=3)
    score = float((q.square() @ k.square().mT).sqrt().max()) * abs(module.scale)
    kv_len, d_head = trace.k.shape[-2:]
    terms = 2 * module.d_model + d_head + 2 * kv_len + merged.shape[-1]
    return tolerance(dtype, scale=value * (1 + score) + bias, terms=terms)
