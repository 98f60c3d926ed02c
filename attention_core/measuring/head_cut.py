"""Heads by reshape against a loop over heads (``mha-reshape``), and the mistake of a reshape without transposing."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Theory
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.dot_product import attention_scores, softmax_over_keys
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Rotary, rotate_heads
from attention_core.modules.projections import merge_heads, split_heads


def reshape_test(theory: Callable[[Any], Theory]) -> ClaimTest:
    """The test of ``mha-reshape``, with a theory."""
    return ClaimTest(
        "mha-reshape", "≤", _("all heads at once and one after another differ by at most"),
        _("max |f(X) − loop over heads|"), theory=theory,
    )  # fmt: skip


def reshaped(
    module: MultiHeadAttention, trace: AttentionTrace, *inputs: Tensor, shown: Tensor, cases: str, **masks: Any
) -> Measurement:
    """Largest difference between the outputs of all heads at once and those of a loop over the heads.

    Args:
        module: The module.
        trace: Its trace, rightly cut.
        inputs: What it was given, one batch of queries, and of keys where they are others.
        shown: The outputs that are compared.
        cases: What was tried, in words.
        masks: Further arguments of the module.
    """
    residual = largest(shown - loop_over_heads(module, *inputs, **masks))
    return Measurement(residual, output_tolerance(module, trace), cases, size=largest(on_cpu(trace.output)))


def without_transpose(
    module: MultiHeadAttention, trace: AttentionTrace, x: Tensor, y: Tensor | None = None
) -> AttentionTrace:
    """The trace if rows are cut by ``view(heads, tokens, d_head)`` instead of ``view`` and ``transpose``.

    Args:
        module: The module.
        trace: Its trace, rightly cut.
        x: Its queries' input (1, n, d_model).
        y: Its keys' input, if it is another one.
    """
    place = module.added_position
    x = x if place is None else place(x)
    y = x if y is None else y
    q, k, v = (merge_heads(z).reshape(z.shape) for z in module.into_heads(x, y, y))
    if isinstance(module.position, Rotary):
        q, k = (rotate_heads(z, None, module.position) for z in (q, k))
    scores = attention_scores(q, k, scale=module.scale)
    masked_scores = scores + (trace.masked_scores - trace.scores)
    weights = softmax_over_keys(masked_scores, dropout=module.dropout if module.training else 0.0)
    context = weights @ v
    output = module.out_of_heads(split_heads(context.flatten(1).view(*x.shape[:2], -1), module.num_heads))
    return AttentionTrace(q, k, v, scores, masked_scores, weights, context, output)
