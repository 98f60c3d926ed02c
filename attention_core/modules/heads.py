"""Vectors cut into heads, and heads as rows of a matrix."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from attention_core.modules.masks import require_positive


def split_heads(x: Float[Tensor, "batch tokens width"], num_heads: int) -> Float[Tensor, "batch heads tokens d_head"]:
    """Cut each token's vector into its heads and put them in front of the tokens."""
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "batch heads tokens d_head"]) -> Float[Tensor, "batch tokens width"]:
    """Put the heads of each token side by side again: the inverse of :func:`split_heads`."""
    return x.transpose(1, 2).flatten(2)


def resized_heads(x: Float[Tensor, "rows ..."], heads: int, wanted: int) -> Tensor:
    """Rows of ``heads`` heads as those of ``wanted``: means of neighbours, or each repeated."""
    if wanted < heads:
        return x.unflatten(0, (wanted, heads // wanted, -1)).mean(1).flatten(0, 1)
    return x.unflatten(0, (heads, -1)).repeat_interleave(wanted // heads, dim=0).flatten(0, 1)


def require_kv_heads(num_heads: int, num_kv_heads: int, projections: Any) -> None:
    """Refuse heads of keys and values that queries cannot share equally, or at all.

    Raises:
        ValueError: If ``num_heads`` is not a multiple of ``num_kv_heads``, or the two differ where queries are keys.
    """
    require_positive(num_kv_heads=num_kv_heads)
    if num_heads % num_kv_heads:
        raise ValueError(
            f"num_heads = {num_heads} is not a multiple of num_kv_heads = {num_kv_heads}: equally many heads of "
            "queries share each head of keys and values; choose a divisor."
        )
    if num_kv_heads != num_heads and (not projections.blocks or projections.blocks[0] == projections.blocks[1]):
        raise ValueError(
            f"num_kv_heads = {num_kv_heads} is not num_heads = {num_heads}: {projections!r} makes queries and keys "
            "alike, so there are as many heads of both."
        )
