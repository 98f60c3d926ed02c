"""What an attention module computed on its way: the names this package uses for every intermediate."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from jaxtyping import Float
from torch import Tensor


class AttentionScores(NamedTuple):
    """What an attention computes before it mixes values; ``kv_len`` counts a sink as the last key.

    In half precision the weights come from scores in float32; ``scores`` and ``masked_scores`` are their roundings.

    Attributes:
        q: Queries as they meet the keys, after QK-norm and rotation ``(batch, heads, q_len, d_head)``.
        k: Keys, likewise ``(batch, kv_heads, kv_len, d_head)``; head i of the queries meets that of its group.
        v: Values ``(batch, kv_heads, kv_len, d_head)``.
        scores: ``q · kᵀ · scale`` ``(batch, heads, q_len, kv_len)``; ``w · tanh(q + k) · scale`` of additive ones.
            With a soft cap they are capped.
        masked_scores: The scores as softmax sees them: −∞ where a key is hidden, ALiBi's penalty or a sink's logit
            added.
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
        scores: ``q · kᵀ · scale`` ``(batch, heads, q_len, kv_len)``, or those of additive attention.
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


Replacements: TypeAlias = Mapping[str, Callable[[Tensor], Tensor]]
NOTHING: Final[Replacements] = {}


def require_fields(replace: Replacements) -> None:
    """Refuse names that are no fields of :class:`AttentionTrace`.

    Raises:
        ValueError: Naming the first of them, and what there is.
    """
    for name in replace:
        if name not in AttentionTrace._fields:
            raise ValueError(f"replace names {name!r}: one of {', '.join(AttentionTrace._fields)} is needed.")


def replaced(replace: Replacements, name: str, value: Tensor) -> Tensor:
    """What takes the place of ``value``: itself, or what the function of that name gives.

    Raises:
        ValueError: If that is no tensor of the same shape and precision.
    """
    if name not in replace:
        return value
    found = replace[name](value)
    if not isinstance(found, Tensor) or found.shape != value.shape or found.dtype != value.dtype:
        given = f"{tuple(found.shape)} of {found.dtype}" if isinstance(found, Tensor) else repr(found)
        raise ValueError(
            f"what replaces {name} is {given}: a tensor of shape {tuple(value.shape)} of {value.dtype} is needed."
        )
    return found
