"""What an attention module computed on its way: the names this package uses for every intermediate."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor


class AttentionScores(NamedTuple):
    """What an attention computes before it mixes values; with a zero sink, ``kv_len`` counts it as the last key.

    In half precision the weights come from scores in float32; ``scores`` and ``masked_scores`` are their roundings.

    Attributes:
        q: Queries as they meet the keys, after QK-norm and rotation ``(batch, heads, q_len, d_head)``.
        k: Keys, likewise ``(batch, kv_heads, kv_len, d_head)``; head i of the queries meets that of its group.
        v: Values ``(batch, kv_heads, kv_len, d_head)``.
        scores: ``q · kᵀ · scale`` ``(batch, heads, q_len, kv_len)``.
        masked_scores: The scores as softmax sees them: −∞ where a key is hidden, ALiBi's penalty added.
        weights: Softmax of the masked scores; in training, after dropout: the weights that were applied.
    """

    q: Float[Tensor, "batch heads q_len d_head"]
    k: Float[Tensor, "batch kv_heads kv_len d_head"]
    v: Float[Tensor, "batch kv_heads kv_len d_head"]
    scores: Float[Tensor, "batch heads q_len kv_len"]
    masked_scores: Float[Tensor, "batch heads q_len kv_len"]
    weights: Float[Tensor, "batch heads q_len kv_len"]


class AttentionTrace(NamedTuple):
    """Every intermediate of one forward pass; the first six are those of :class:`AttentionScores`.

    Attributes:
        q: Queries as they meet the keys ``(batch, heads, q_len, d_head)``.
        k: Keys ``(batch, kv_heads, kv_len, d_head)``.
        v: Values ``(batch, kv_heads, kv_len, d_head)``.
        scores: ``q · kᵀ · scale`` ``(batch, heads, q_len, kv_len)``.
        masked_scores: The scores as softmax sees them.
        weights: Softmax of the masked scores.
        context: ``weights · v`` ``(batch, heads, q_len, d_head)``.
        output: What ``forward`` returns ``(batch, q_len, d_model)``.
    """

    q: Float[Tensor, "batch heads q_len d_head"]
    k: Float[Tensor, "batch kv_heads kv_len d_head"]
    v: Float[Tensor, "batch kv_heads kv_len d_head"]
    scores: Float[Tensor, "batch heads q_len kv_len"]
    masked_scores: Float[Tensor, "batch heads q_len kv_len"]
    weights: Float[Tensor, "batch heads q_len kv_len"]
    context: Float[Tensor, "batch heads q_len d_head"]
    output: Float[Tensor, "batch q_len d_output"]
