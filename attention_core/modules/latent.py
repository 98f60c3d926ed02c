"""Keys and values of low rank: one short vector of each token, of which every head makes its own."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.modules.cache import KeyValueCache
from attention_core.modules.dot_product import product
from attention_core.modules.masks import require_lengths, require_positive
from attention_core.modules.positions import Position, RelativeKey, Rotary, rotate_heads


@dataclass(frozen=True, slots=True)
class LatentKeyValue:
    """Keys and values are made of one latent of each token, which is all that is kept of it.

    ::

        c = y W_Cᵀ                        rank numbers of each token, for all heads
        k = c W_UKᵀ,  v = c W_UVᵀ         in every head

    DeepSeek-AI (2024), "DeepSeek-V2", section 2.1. Since ``q · W_UK c = (W_UKᵀ q) · c``, queries can meet the latents
    themselves (``folded``): then all heads share one head of keys, and W_UV makes the context of what is fetched.
    A rotation by the distance would stand between W_UKᵀ and q, so rotary positions turn a part of their own, of
    ``d_rotary`` numbers, that each head's queries have more and that all heads share among keys. Scores are divided
    by ``√(d_head + d_rotary)``.

    Attributes:
        rank: Numbers of a latent.
        d_rotary: Numbers beside it that ``Rotary`` turns; 0 without rotary positions.
        folded: Whether queries meet latents. Parameters are the same, and so is the function.
    """

    rank: int
    d_rotary: int = 0
    folded: bool = False

    blocks: ClassVar[tuple[int, ...]] = (0, 1, 1)

    def d_query(self, d_head: int) -> int:
        """Numbers of a head of queries."""
        return d_head + self.d_rotary

    @property
    def d_kept(self) -> int:
        """Numbers that are kept of each token."""
        return self.rank + self.d_rotary

    def require(self, *, num_heads: int, num_kv_heads: int | None, k_bias: bool, v_bias: bool) -> None:
        """Refuse sizes and switches that mean nothing here.

        Raises:
            ValueError: If a size is not possible, heads share keys otherwise, or only one of the two biases is on.
        """
        require_positive(rank=self.rank)
        require_lengths(d_rotary=self.d_rotary)
        if num_kv_heads not in (None, num_heads):
            raise ValueError(
                f"num_kv_heads = {num_kv_heads} is not num_heads = {num_heads}: with LatentKeyValue() every head "
                "makes keys and values of its own from what all share."
            )
        if k_bias != v_bias:
            raise ValueError(
                f"k_bias = {k_bias} and v_bias = {v_bias} differ: with LatentKeyValue() keys and values are made of "
                "one latent, which has one bias or none."
            )

    def turned(self, x: Float[Tensor, "batch heads tokens width"], *given: Any, **turn: Any) -> Tensor:
        """Queries or latents with the part beside them turned, as :func:`.rotate_heads` turns a whole head."""
        still, apart = x.split([x.shape[-1] - self.d_rotary, self.d_rotary], dim=-1)
        return torch.cat((still, rotate_heads(apart, *given, **turn)), dim=-1)

    def meeting(
        self,
        q: Float[Tensor, "batch heads q_len d_query"],
        latent: Float[Tensor, "batch 1 kv_len d_latent"],
        c: Float[Tensor, "batch 1 kv_len rank"],
        k_up: Float[Tensor, "rows rank"],
        v_up: Float[Tensor, "rows rank"],
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values as they meet.

        Args:
            q: Queries, with the part for positions behind.
            latent: Latents of the keys, with what all heads share for positions behind.
            c: Latents of the values.
            k_up: W_UK ``(heads · d_head, rank)``.
            v_up: W_UV, likewise.

        Returns:
            Folded: queries of ``rank + d_rotary`` numbers, and one head of keys and values, the latents. Otherwise
            heads of keys with ``d_head + d_rotary`` numbers, and of values with ``d_head``.
        """
        heads, d_head = q.shape[1], q.shape[-1] - self.d_rotary
        k_up, v_up = (each.unflatten(0, (heads, d_head)) for each in (k_up, v_up))  # (heads, d_head, rank)
        if self.folded:
            asked, apart = q.split([d_head, self.d_rotary], dim=-1)
            return torch.cat((product(asked, k_up), apart), dim=-1), latent, c
        kept, shared = latent.split([self.rank, self.d_rotary], dim=-1)
        k = torch.cat((product(kept, k_up.mT), shared.expand(-1, heads, -1, -1)), dim=-1)
        return q, k, product(c, v_up.mT)

    def fetched(
        self, context: Float[Tensor, "batch heads q_len _"], v_up: Float[Tensor, "rows rank"]
    ) -> Float[Tensor, "batch heads q_len d_head"]:
        """Each head's context: of latents, if folded, W_UV makes it here."""
        return product(context, v_up.unflatten(0, (context.shape[1], -1)).mT) if self.folded else context


def require_options(
    projections: Any, d_head: int, *, position: Position, qk_norm: bool, score: str, gate: bool
) -> None:
    """Refuse choices of an attention that do not go with each other.

    Raises:
        ValueError: If rotary positions meet an odd ``d_head``, or with latents no part of its own of even size; or if
            with latents queries and keys are normalised, or added up instead of multiplied, positions are
            ``RelativeKey``, or there is a gate.
    """
    latent = projections if isinstance(projections, LatentKeyValue) else None
    if isinstance(position, Rotary):
        if latent is not None and (not latent.d_rotary or latent.d_rotary % 2):
            raise ValueError(
                f"d_rotary = {latent.d_rotary} is not possible with Rotary(): a part of each head, of an even number "
                "of coordinates, must be kept apart for it."
            )
        position.size(d_head if latent is None else latent.d_rotary)
    if latent is None:
        return
    if isinstance(position, RelativeKey):
        raise ValueError(f"{position} is not possible with LatentKeyValue(): its queries are those of latents.")
    if qk_norm or score != "product":
        raise ValueError(
            f"qk_norm = {qk_norm} and score = {score!r} are not possible with LatentKeyValue(): latents stand in the "
            "place of keys only where these are multiplied as they are."
        )
    if gate:
        raise ValueError(
            "gate = True is not possible with LatentKeyValue(): what is fetched are latents, not values."
        )


class LatentCache(KeyValueCache):
    """What is kept with :class:`LatentKeyValue`: one latent of each token, and what rotary positions have turned.

    Attributes:
        keys: ``(batch, 1, max_len, rank + d_rotary)``.
        rank: How many of these numbers values are made of.
    """

    def __init__(self, batch: int, max_len: int, latent: LatentKeyValue, **made: Any) -> None:
        super().__init__(batch, 1, max_len, latent.d_kept, **made)
        self.rank = latent.rank
        self.values = self.keys[..., :0]

    def with_tokens(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Latents so far and these, and the same without what was turned."""
        kept, _ = super().with_tokens(key, value[..., :0])
        return kept, kept[..., : self.rank]
