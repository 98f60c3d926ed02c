"""Multi-head attention: the module that everything in this package is about."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.attention_trace import AttentionScores, AttentionTrace
from attention_core.modules.cache import KeyValueCache
from attention_core.modules.convert import read_torch
from attention_core.modules.dot_product import (
    mask_scores,
    mask_with_sink,
    merge_masks,
    precise_scores,
    product,
    scaled_dot_product_attention,
    softmax_over_keys,
)
from attention_core.modules.masks import (
    combine_masks,
    require_choice,
    require_lengths,
    sliding_window_mask,
    visible_rows,
)
from attention_core.modules.positions import (
    POSITIONS,
    Alibi,
    Learned,
    NoPosition,
    Position,
    Rotary,
    Sinusoidal,
    alibi_heads,
    require_positions,
    rotate_heads,
)
from attention_core.modules.projections import (
    FULL,
    HeadProjections,
    Projections,
)
from attention_core.modules.shape_checks import require_fit, require_same_slots

__all__ = ["AttentionScores", "AttentionTrace", "MultiHeadAttention"]

NO_POSITION = NoPosition()


class MultiHeadAttention(HeadProjections):
    """Several attentions side by side, each on its own projection of the tokens.

    ::

        q = x W_Qᵀ + b_Q,  k = y W_Kᵀ + b_K,  v = y W_Vᵀ + b_V      each cut into heads of d_head numbers
        context = softmax(q kᵀ · scale + masks) v                    in every head
        output  = concat(context) W_Oᵀ + b_O

    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2, where ``num_heads`` is h, ``d_head`` is
    d_k = d_v and ``scale`` is 1/√d_k. Matrices are stored as ``nn.Linear`` stores them, (out, in), and drawn as it
    draws them. ``torch.compile`` and ``torch.export`` take the module whole.

    Args:
        d_model: Size of a token's vector.
        num_heads: Number of heads.
        num_kv_heads: Number of heads of keys and values, each shared by ``num_heads / num_kv_heads`` successive heads
            of queries: fewer is grouped-query attention (Ainslie et al. 2023, "GQA"), one multi-query attention
            (Shazeer 2019, "Fast Transformer Decoding"); ``num_heads`` when None.
        d_head: Size of a head; ``d_model / num_heads`` when None.
        q_bias: Whether there is b_Q.
        k_bias: Whether there is b_K.
        v_bias: Whether there is b_V.
        o_bias: Whether there is b_O.
        scale: Factor of the scores; ``1/√d_head`` when None.
        projections: Which matrices there are: ``Full``, ``TiedKeyValue``, ``TiedQueryKey`` or ``Identity``.
        output_projection: Whether there is W_O. Without it (and with ``Identity``) there is no b_O either: the output
            is the heads' context side by side.
        position: How order comes in. ``Sinusoidal`` and ``Learned`` are added to the inputs, so queries, keys *and*
            values see them; ``Rotary`` turns queries and keys; ``Alibi`` is added to the scores.
        qk_norm: Whether queries and keys are RMS-normalised over ``d_head``, with a learned gain, before they meet:
            after Henry et al. (2020), "Query-Key Normalization for Transformers".
        zero_sink: Whether a key and value of zeros that no mask hides is appended, as torch's ``add_zero_attn``.
        window: How many slots to either side a query sees, as in :func:`sliding_window_mask`; all when None.
        dropout: Probability of dropping a weight in training.
        device: Where the parameters live.
        dtype: Their precision.

    Raises:
        TypeError: If ``position`` or ``projections`` is no such choice: a class, say, or a word.
        ValueError: If a size is not positive, ``d_model`` is not a multiple of ``num_heads`` and no ``d_head`` is
            given, ``num_heads`` is not a multiple of ``num_kv_heads``, ``Identity`` or ``TiedQueryKey`` meets fewer
            heads of keys than of queries, ``Identity`` meets ``num_heads · d_head ≠ d_model``, ``Rotary`` meets an
            odd ``d_head``, ``window`` is negative, or ``dropout`` is not in [0, 1).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        d_head: int | None = None,
        q_bias: bool = True,
        k_bias: bool = True,
        v_bias: bool = True,
        o_bias: bool = True,
        scale: float | None = None,
        projections: Projections = FULL,
        output_projection: bool = True,
        position: Position = NO_POSITION,
        qk_norm: bool = False,
        zero_sink: bool = False,
        window: int | None = None,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        require_choice("position", position, POSITIONS)
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout = {dropout} is not possible: give a probability from 0 up to but not 1.")
        require_lengths(window=window or 0)
        biases = {"q_bias": q_bias, "k_bias": k_bias, "v_bias": v_bias, "o_bias": o_bias}
        made = {"device": device, "dtype": dtype}
        sizes = (d_model, num_heads, num_kv_heads, d_head)
        super().__init__(*sizes, projections, output_projection=output_projection, **biases, **made)
        d_head = self.d_head
        if isinstance(position, Rotary) and d_head % 2:
            raise ValueError(f"d_head = {d_head} is odd: Rotary() turns coordinates in pairs; choose an even d_head.")
        self.scale = 1 / math.sqrt(d_head) if scale is None else scale
        self.position, self.zero_sink, self.window, self.dropout = position, zero_sink, window, dropout
        self.q_norm = nn.RMSNorm(d_head, **made) if qk_norm else None
        self.k_norm = nn.RMSNorm(d_head, **made) if qk_norm else None
        self.added_position = None
        if isinstance(position, Sinusoidal | Learned):
            self.added_position = AddedPosition(position, d_model, **made)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """The same attention with a copy of the weights of torch's module; see :func:`.convert.read_torch`."""
        return cls._loaded(*read_torch(module)).train(module.training)

    @classmethod
    def _loaded(cls, options: dict[str, Any], state: dict[str, Tensor]) -> "MultiHeadAttention":
        module = cls(**options)
        module.load_state_dict(state)
        return module

    def extra_repr(self) -> str:
        """The sizes, and what differs from the defaults."""
        return self.describe(
            {
                "scale": (self.scale, 1 / math.sqrt(self.d_head)),
                "position": (self.position, NO_POSITION),
                "qk_norm": (self.q_norm is not None, False),
                "zero_sink": (self.zero_sink, False),
                "window": (self.window, None),
                "dropout": (self.dropout, 0.0),
            }
        )

    def forward(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch kv_len d_model"] | None = None,
        value: Float[Tensor, "batch kv_len d_model"] | None = None,
        *,
        attn_mask: Shaped[Tensor, "..."] | None = None,
        key_padding_mask: Shaped[Tensor, "..."] | None = None,
        is_causal: bool = False,
        query_positions: Int[Tensor, "..."] | None = None,
        key_positions: Int[Tensor, "..."] | None = None,
        cache: KeyValueCache | None = None,
    ) -> Float[Tensor, "batch q_len d_output"]:
        """Attend, on torch's fused kernel.

        Mind the two conventions, which are torch's: in ``attn_mask`` True = may attend, in ``key_padding_mask``
        True = padding. A sentence of three tokens, the last one padding, each token looking back::

            module(x, attn_mask=torch.ones(3, 3, dtype=torch.bool).tril(),
                   key_padding_mask=torch.tensor([[False, False, True]]))

        Args:
            query: Tokens that ask.
            key: Tokens that are looked at; the queries themselves (self-attention) when None.
            value: Tokens whose content is fetched; the keys when None.
            attn_mask: Bool or additive, ``(q_len, kv_len)``, ``(batch, q_len, kv_len)``, or with heads
                ``(batch or 1, heads or 1, q_len, kv_len)``. A query that sees no key gets context 0: output b_O.
            key_padding_mask: Bool ``(batch, kv_len)``. Padding has weight 0, but must hold finite numbers: 0 · NaN is
                NaN.
            is_causal: Whether a query sees only the keys up to its own slot; for as many queries as keys.
            query_positions: Position of each query ``(q_len,)`` or ``(batch, q_len)``; 0, 1, 2, … when None.
            key_positions: Position of each key; in self-attention ``query_positions``, else 0, 1, 2, … when None.
            cache: What is kept of earlier tokens. ``query`` are then the next tokens of causal self-attention, one or
                several; what is given of them (``key_padding_mask``, ``query_positions``) is kept too. Positions go
                on from those before, and ``attn_mask`` is of these queries and all keys so far.

        Raises:
            ValueError: If a shape or a mask's dtype does not fit, there is not one position for each token,
                ``is_causal`` meets fewer or more queries than keys (which slots are theirs is then not said), or the
                cache is full, of other sizes, precision or device, or given beside other keys.
        """
        given = (attn_mask, key_padding_mask, is_causal, query_positions, key_positions, cache)
        q, k, v, mask, is_causal = self._prepare(query, key, value, *given)
        options = {"is_causal": is_causal, "scale": self.scale, "dropout": self.dropout if self.training else 0.0}
        grouped = self.num_kv_heads != self.num_heads
        return self.out_of_heads(scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=grouped, **options))

    def trace(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch kv_len d_model"] | None = None,
        value: Float[Tensor, "batch kv_len d_model"] | None = None,
        *,
        attn_mask: Shaped[Tensor, "..."] | None = None,
        key_padding_mask: Shaped[Tensor, "..."] | None = None,
        is_causal: bool = False,
        query_positions: Int[Tensor, "..."] | None = None,
        key_positions: Int[Tensor, "..."] | None = None,
        cache: KeyValueCache | None = None,
    ) -> AttentionTrace:
        """Attend step by step and keep every intermediate; arguments and errors are those of ``forward``."""
        given = (attn_mask, key_padding_mask, is_causal, query_positions, key_positions, cache)
        q, k, v, scores, masked_scores, weights = self._trace_weights(query, key, value, *given)
        context = self.shared(product, weights, v)  # (batch, heads, q_len, d_head)
        return AttentionTrace(q, k, v, scores, masked_scores, weights, context, self.out_of_heads(context))

    def trace_weights(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch kv_len d_model"] | None = None,
        value: Float[Tensor, "batch kv_len d_model"] | None = None,
        *,
        attn_mask: Shaped[Tensor, "..."] | None = None,
        key_padding_mask: Shaped[Tensor, "..."] | None = None,
        is_causal: bool = False,
        query_positions: Int[Tensor, "..."] | None = None,
        key_positions: Int[Tensor, "..."] | None = None,
        cache: KeyValueCache | None = None,
    ) -> AttentionScores:
        """The first half of ``trace``, up to the weights; arguments and errors are those of ``forward``."""
        given = (attn_mask, key_padding_mask, is_causal, query_positions, key_positions, cache)
        return AttentionScores(*self._trace_weights(query, key, value, *given))

    def _trace_weights(self, *given: Any) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The fields of :class:`AttentionScores`, of the arguments that ``_prepare`` takes."""
        q, k, v, mask, is_causal = self._prepare(*given, contiguous=True)
        scores = self.shared(precise_scores, q, k, scale=self.scale)  # (batch, heads, q_len, kv_len)
        masked_scores, visible = scores, None
        if is_causal:
            mask = merge_masks(tuple(scores.shape), is_causal=True, like=q)
        if mask is not None:
            masked_scores, visible = mask_scores(scores, mask), visible_rows(mask)
        dropout = self.dropout if self.training else 0.0
        weights = softmax_over_keys(masked_scores, visible, dropout=dropout, dtype=q.dtype)
        if scores.dtype != q.dtype:
            scores, masked_scores = scores.to(q.dtype), masked_scores.to(q.dtype)
        return q, k, v, scores, masked_scores, weights

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
        return KeyValueCache(batch, self.num_kv_heads, max_len, self.d_head, device=device, dtype=dtype)

    def _prepare(
        self,
        query: Tensor,
        key: Tensor | None,
        value: Tensor | None,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool,
        query_positions: Tensor | None,
        key_positions: Tensor | None,
        cache: KeyValueCache | None,
        *,
        contiguous: bool = False,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None, bool]:
        """Queries, keys and values of all heads, and one mask (or causality alone, which needs no mask)."""
        key = query if key is None else key
        value = key if value is None else value
        if key is query and key_positions is None:
            key_positions = query_positions
        require_fit(self.d_model, query, key, value)
        if cache is not None and (key is not query or value is not key or key_positions is not query_positions):
            raise ValueError(
                "a cache is for self-attention: give the next tokens alone, and their positions as query_positions."
            )
        if query_positions is not None:
            require_positions("query_positions", query_positions, *query.shape[:2])
        if key_positions is not None:
            require_positions("key_positions", key_positions, *key.shape[:2])
        if is_causal:
            require_same_slots(query, key)
        if self.added_position is not None:
            if cache is not None and query_positions is None:
                query_positions = key_positions = cache.slots(query.shape[1])
            query, key, value = self.added_position.add_to_each(query, key, value, query_positions, key_positions)
        q, k, v = self.into_heads(query, key, value, contiguous=contiguous)  # (batch, heads, tokens, d_head) each
        if self.q_norm is not None and self.k_norm is not None:
            q, k = self.q_norm(q), self.k_norm(k)
        room, tokens, further = {}, 0, None
        if cache is not None:
            cache.require_room(k)
            room, tokens = {"start": cache.length, "max_len": cache.max_len}, query.shape[1]
        if isinstance(self.position, Rotary):
            turn = {"base": self.position.base, "halves": self.position.halves, **room}
            q, k = rotate_heads(q, query_positions, **turn), rotate_heads(k, key_positions, **turn)
        if cache is not None:
            k, v = cache.with_tokens(k, v)  # (batch, kv_heads, kv_len, d_head)
            key_padding_mask = cache.with_padding(key_padding_mask, tokens)
            further, is_causal = cache.causal(tokens), not cache.length
        if isinstance(self.position, Alibi):
            if cache is not None:
                key_positions = cache.with_positions(query_positions, tokens)
                query_positions = cache.slots(tokens) if query_positions is None else query_positions
            penalty = alibi_heads(q, k, query_positions, key_positions, num_heads=self.num_heads)
            further = combine_masks(further, penalty)
        if self.window is not None:
            start, kv_len = room.get("start", 0), k.shape[2]
            near = sliding_window_mask(q.shape[2], self.window, kv_len, start=start, device=q.device)
            further = combine_masks(further, near)
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask[:, None]  # (batch, 1, q_len, kv_len)
        mask = None
        if attn_mask is not None or key_padding_mask is not None or further is not None or self.zero_sink:
            shape = (*q.shape[:3], k.shape[2])
            mask = merge_masks(shape, attn_mask, key_padding_mask, is_causal, further=further, like=q)
            is_causal = False
        if self.zero_sink:
            mask = None if mask is None else mask_with_sink(mask, k.shape[2])
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))  # (batch, kv_heads, kv_len + 1, d_head)
        if cache is not None:
            cache.length += tokens
        return q, k, v, mask, is_causal
