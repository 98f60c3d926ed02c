"""A learned vector for each distance, which queries meet as they meet keys."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.modules.dot_product import precise_scores
from attention_core.modules.masks import require_positive
from attention_core.modules.positions import RelativeKey, slots


class RelativeKeys(nn.Module):
    """What distances add to the scores: ``q_i · r_{i−j} · scale``, one table of vectors r for all heads.

    Shaw et al. (2018), "Self-Attention with Relative Position Representations", section 3.2 without its values;
    with ``both`` also ``k_j · r_{i−j} · scale``: Huang et al. (2020), "Improve Transformer Models with Better
    Relative Position Embeddings", method 4. The first row of the table is of a query the farthest before its key, the
    order of BERT's files; Shaw et al. count the other way.

    Args:
        position: How many vectors, and what meets them.
        d_head: Size of a head.
        device: Where the table lives.
        dtype: Its precision.

    Attributes:
        table: The vectors ``(2 · max_len − 1, d_head)``, drawn from N(0, 1) as in ``nn.Embedding``.

    Raises:
        ValueError: If ``max_len`` is not positive.
    """

    def __init__(
        self,
        position: RelativeKey,
        d_head: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(max_len=position.max_len)
        self.position = position
        self.table = nn.Parameter(torch.empty(2 * position.max_len - 1, d_head, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the vectors anew from N(0, 1)."""
        if not self.table.is_meta:  # to draw shapes alone torch would import its compiler
            nn.init.normal_(self.table)

    def extra_repr(self) -> str:
        """The kind of positions."""
        return repr(self.position)

    def forward(
        self,
        q: Float[Tensor, "batch heads q_len d_head"],
        k: Float[Tensor, "batch kv_heads kv_len d_head"],
        query_positions: Int[Tensor, "..."] | None,
        key_positions: Int[Tensor, "..."] | None,
        *,
        scale: float,
    ) -> Float[Tensor, "batch heads q_len kv_len"]:
        """What is added to the scores of these queries and keys.

        Args:
            q: Queries.
            k: Keys, of as many heads or fewer.
            query_positions: Positions of the queries; the slots when None.
            key_positions: Positions of the keys; the slots when None.
            scale: Factor of the scores.

        Raises:
            ValueError: If positions are not whole numbers.
        """
        rows = slots(q.shape[2], query_positions, device=q.device)
        columns = slots(k.shape[2], key_positions, device=k.device)
        if rows.is_floating_point() or columns.is_floating_point():
            raise ValueError("positions have a fraction's dtype: RelativeKey positions are whole numbers.")
        last = self.position.max_len - 1
        distance = (rows[..., :, None] - columns[..., None, :]).clamp(-last, last) + last
        distance = distance if distance.dim() == 3 else distance[None]  # (batch or 1, q_len, kv_len)
        found = self._met(q, distance, scale)
        if self.position.both:
            of_keys = self._met(k, distance.mT, scale).mT
            found = found + of_keys.repeat_interleave(q.shape[1] // k.shape[1], dim=1)
        return found

    def _met(self, x: Tensor, distance: Tensor, scale: float) -> Tensor:
        """``x_i · r`` of each distance (batch, heads, rows, columns)."""
        products = precise_scores(x.flatten(0, 2), self.table, scale=scale).to(x.dtype)
        products = products.view(*x.shape[:3], len(self.table))  # (batch, heads, rows, distances)
        return products.gather(-1, distance[:, None].expand(*products.shape[:3], -1))
