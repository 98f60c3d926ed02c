"""Additive scores, ``w · tanh(q + k)``, beside products."""

import math
from typing import Final, Literal, get_args

from jaxtyping import Float
from torch import Tensor

from attention_core.modules.dot_product import HALF_PRECISION
from attention_core.modules.positions import Position, RelativeKey, Rotary

Score = Literal["product", "additive"]
SCORES: Final[tuple[Score, ...]] = get_args(Score)


def additive_scores(
    query: Float[Tensor, "*batch q_len d_head"],
    key: Float[Tensor, "*kv_batch kv_len d_head"],
    weight: Float[Tensor, "*heads d_head"],
    *,
    scale: float = 1.0,
) -> Float[Tensor, "*batch q_len kv_len"]:
    """How well every query and key fit by ``w · tanh(q + k)``, times ``scale``; in float32 for half precision.

    Bahdanau et al. (2015), "Neural Machine Translation by Jointly Learning to Align and Translate", appendix A.1.2.
    Every pair has ``d_head`` numbers on the way, where a product has one.

    Args:
        query: ``(..., q_len, d_head)``.
        key: ``(..., kv_len, d_head)``.
        weight: The w of each head ``(..., d_head)``.
        scale: Factor of the scores.
    """
    if query.dtype in HALF_PRECISION:
        query, key, weight = query.float(), key.float(), weight.float()
    pairs = (query.unsqueeze(-2) + key.unsqueeze(-3)).tanh()  # (..., q_len, kv_len, d_head)
    return (pairs * weight[..., None, None, :]).sum(-1) * scale


def usual_scale(score: Score, d_head: int) -> float:
    """What scores are multiplied by unless it is said; a tanh is below 1, and its sum needs no 1/√d_head."""
    return 1 / math.sqrt(d_head) if score == "product" else 1.0


def require_score(score: Score, position: Position) -> None:
    """Refuse what is no score, and positions that mean nothing to it.

    Raises:
        ValueError: If ``score`` is none of ``SCORES``, or additive beside ``Rotary`` or ``RelativeKey``.
    """
    if score not in SCORES:
        raise ValueError(f"score = {score!r} is not possible: give one of {', '.join(map(repr, SCORES))}.")
    if score == "additive" and isinstance(position, Rotary):
        raise ValueError(
            "score = 'additive' and Rotary() do not fit: turned queries and keys tell their distance in a product, "
            "not in a sum; choose Alibi(), or a position that is added to the inputs."
        )
    if score == "additive" and isinstance(position, RelativeKey):
        raise ValueError(
            f"score = 'additive' and {position} do not fit: queries meet the vectors of distances in a product; "
            "choose Alibi(), or a position that is added to the inputs."
        )
