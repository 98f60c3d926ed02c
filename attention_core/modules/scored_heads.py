"""What lies between projections and values: norms, turning, scores, softmax and sinks of all heads."""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.additive import Score, additive_scores
from attention_core.modules.attention_trace import NOTHING, Replacements, replaced
from attention_core.modules.cache import KeyValueCache
from attention_core.modules.dot_product import (
    mask_scores,
    merge_masks,
    precise_scores,
    product,
    soft_capped,
    softmax_over_keys,
)
from attention_core.modules.latent import LatentCache, LatentKeyValue
from attention_core.modules.masks import visible_rows
from attention_core.modules.positions import Position, Rotary, alibi_heads, length_of_both
from attention_core.modules.projections import HeadProjections, merge_heads, split_heads
from attention_core.modules.relative_keys import RelativeKeys


class ScoredHeads(HeadProjections):
    """The parts of :class:`MultiHeadAttention` from queries and keys to weights; it sets what they read.

    Attributes:
        position: How order comes in; likewise the next seven, as in :class:`MultiHeadAttention`.
        scale: Factor of the scores.
        score: What a score is.
        soft_cap: What scores stay within.
        dropout: Probability of dropping a weight in training.
        qk_norm_together: Whether queries and keys are normalised over all heads together.
        zero_sink: Whether there is a key of zeros.
        sink: The learned score of each head that fetches nothing ``(heads,)``, or None.
        score_weight: The w of additive scores ``(heads, d_head)``, or None.
        relative_keys: What distances add to the scores with ``RelativeKey``, or None.
        gate_weight: W_G ``(heads · d_head, d_model)``, or None.
        added_position: What adds positions to tokens, or None.
    """

    position: Position
    scale: float
    score: Score
    soft_cap: float | None
    dropout: float
    qk_norm_together: bool
    zero_sink: bool
    sink: nn.Parameter | None
    score_weight: nn.Parameter | None
    relative_keys: RelativeKeys | None
    gate_weight: nn.Parameter | None
    added_position: AddedPosition | None

    def _reset_own(self) -> None:
        if (weight := getattr(self, "score_weight", None)) is not None:  # there is none while projections are made
            nn.init.uniform_(weight, -(self.d_head**-0.5), self.d_head**-0.5)
        if (sink := getattr(self, "sink", None)) is not None:
            nn.init.zeros_(sink)
        if (gate := getattr(self, "gate_weight", None)) is not None:
            nn.init.uniform_(gate, -(self.d_model**-0.5), self.d_model**-0.5)

    def turned(
        self,
        q: Tensor,
        k: Tensor,
        query_positions: Tensor | None,
        key_positions: Tensor | None,
        room: Mapping[str, int],
    ) -> tuple[Tensor, Tensor]:
        """Queries and keys, turned by their positions where these are rotary.

        Args:
            q: Queries.
            k: Keys.
            query_positions: Positions of the queries; the slots when None.
            key_positions: Positions of the keys.
            room: Where a cache has the first of them, and how many it will have.
        """
        if not isinstance(self.position, Rotary):
            return q, k
        length = None
        if self.position.scaling is not None and self.position.scaling.depends_on_length:
            of_slots = [each.shape[2] + room.get("start", 0) for each in (q, k)]
            length = length_of_both(of_slots, (query_positions, key_positions))
        q = self.turned_alone(q, query_positions, self.position, length=length, **room)
        return q, self.turned_alone(k, key_positions, self.position, length=length, **room)

    def of_distances(
        self, q: Tensor, k: Tensor, query_positions: Tensor | None, key_positions: Tensor | None
    ) -> Float[Tensor, "one_or_batch heads q_len kv_len"]:
        """What ``Alibi`` or ``RelativeKey`` adds to the scores of queries and keys as they meet."""
        if self.relative_keys is not None:
            return self.relative_keys(q, k, query_positions, key_positions, scale=self.scale)
        return alibi_heads(q, k, query_positions, key_positions, num_heads=self.num_heads)

    def weights_of(
        self, q: Tensor, k: Tensor, mask: Tensor | None, is_causal: bool, replace: Replacements = NOTHING
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores, masked scores and weights of queries and keys as they meet."""
        scores = self.scores(q, k)
        if self.sink is not None:  # its key has the score 0, also where that is no product
            scores = torch.cat((scores[..., :-1], scores.new_zeros((*scores.shape[:-1], 1))), dim=-1)
        scores = replaced(replace, "scores", scores)
        masked_scores, visible = scores, None
        if is_causal:
            mask = merge_masks(tuple(scores.shape), is_causal=True, like=q)
        if mask is not None:
            masked_scores, visible = mask_scores(scores, mask), visible_rows(mask)
        masked_scores = replaced(replace, "masked_scores", masked_scores)
        dropout = self.dropout if self.training else 0.0
        weights = softmax_over_keys(masked_scores, visible, dropout=dropout, dtype=q.dtype)
        weights = replaced(replace, "weights", weights)
        if scores.dtype != q.dtype:
            scores, masked_scores = scores.to(q.dtype), masked_scores.to(q.dtype)
        return scores, masked_scores, weights

    def scores(
        self, q: Float[Tensor, "batch heads q_len d_head"], k: Float[Tensor, "batch kv_heads kv_len d_head"]
    ) -> Float[Tensor, "batch heads q_len kv_len"]:
        """The score of every query and key as they meet, before masks; in float32 for half precision."""
        weight, groups = self.score_weight, (self.num_kv_heads, -1)
        if weight is None:
            return soft_capped(self.shared(precise_scores, q, k, scale=self.scale), self.soft_cap)
        parts = (q.unflatten(1, groups), k.unsqueeze(2), weight.unflatten(0, groups))
        return soft_capped(additive_scores(*parts, scale=self.scale).flatten(1, 2), self.soft_cap)

    def normalised(self, norm: nn.Module, x: Float[Tensor, "batch heads tokens d_head"]) -> Tensor:
        """Queries or keys through their norm: each head by itself, or all heads of a token together."""
        if not self.qk_norm_together:
            return norm(x)
        return split_heads(norm(merge_heads(x)), x.shape[1])

    def gated(
        self,
        context: Float[Tensor, "batch heads q_len d_head"],
        query: Float[Tensor, "batch q_len d_model"],
        query_positions: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """The context times σ(W_G x) of the tokens that ask, which see their positions; itself without a gate.

        Args:
            context: What the heads have fetched.
            query: The tokens that ask.
            query_positions: Their positions; the slots when None.
            cache: The cache, which has these tokens already.
        """
        if self.gate_weight is None:
            return context
        if self.added_position is not None:
            if cache is not None and query_positions is None:
                query_positions = cache.slots(query.shape[1]) - query.shape[1]
            query = self.added_position(query, query_positions)
        return context * split_heads(F.linear(query, self.gate_weight), self.num_heads).sigmoid()

    @property
    def _has_sink(self) -> bool:
        return self.zero_sink or self.sink is not None

    def _mix(self, weights: Tensor, v: Tensor) -> Tensor:
        if self.score_weight is None:
            return self.shared(product, weights, v)
        # ``shared`` reshapes, of which ``torch.export`` makes a condition on the number of tokens.
        each = self.num_heads // self.num_kv_heads
        return product(weights.unflatten(1, (-1, each)), v[:, :, None].expand(-1, -1, each, -1, -1)).flatten(1, 2)

    def cache(
        self,
        batch: int,
        max_len: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> KeyValueCache:
        """An empty cache of this module's keys and values: ``attention(x, cache=cache)`` fills it.

        Token by token or by blocks, the outputs are those of ``attention(whole, is_causal=True)``, up to rounding::

            cache = attention.cache(batch=1, max_len=64)
            outputs = [attention(token, cache=cache) for token in x.split(1, dim=1)]

        Args:
            batch: Number of sentences.
            max_len: How many tokens of each there is room for.
            device: Where it lies; where the parameters do when None.
            dtype: Its precision; the parameters' when None. Under autocast give that of autocast.

        Raises:
            ValueError: If a size is not positive.
        """
        like = next(self.parameters(), None)
        device = like.device if device is None and like is not None else device
        dtype = like.dtype if dtype is None and like is not None else dtype
        if isinstance(self.projections, LatentKeyValue):
            return LatentCache(batch, max_len, self.projections, device=device, dtype=dtype)
        return KeyValueCache(batch, self.num_kv_heads, max_len, self.d_head, device=device, dtype=dtype)
