"""Multi-head attention: the module that everything in this package is about."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.additive import Score, require_score, usual_scale
from attention_core.modules.attention_trace import (
    NOTHING,
    AttentionScores,
    AttentionTrace,
    Replacements,
    replaced,
    require_fields,
)
from attention_core.modules.cache import KeyValueCache
from attention_core.modules.convert import read_torch
from attention_core.modules.dot_product import (
    mask_with_logit,
    mask_with_sink,
    merge_masks,
    scaled_dot_product_attention,
)
from attention_core.modules.latent import require_options
from attention_core.modules.masks import (
    combine_masks,
    require_choice,
    require_lengths,
    require_positive,
    sliding_window_mask,
)
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.positions import (
    POSITIONS,
    Alibi,
    Learned,
    NoPosition,
    Position,
    RelativeKey,
    Sinusoidal,
    require_positions,
)
from attention_core.modules.projections import FULL, Projections
from attention_core.modules.relative_keys import RelativeKeys
from attention_core.modules.scored_heads import ScoredHeads
from attention_core.modules.shape_checks import require_fit, require_same_slots

__all__ = ["AttentionScores", "AttentionTrace", "MultiHeadAttention"]

NO_POSITION = NoPosition()


class MultiHeadAttention(ScoredHeads):
    """Several attentions side by side, each on its own projection of the tokens.

    ::

        q = x W_Qᵀ + b_Q,  k = y W_Kᵀ + b_K,  v = y W_Vᵀ + b_V      each cut into heads of d_head numbers
        context = softmax(q kᵀ · scale + masks) v                    in every head
        output  = concat(context) W_Oᵀ + b_O

    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2, where ``num_heads`` is h, ``d_head`` is
    d_k = d_v and ``scale`` is 1/√d_k. Matrices are stored as ``nn.Linear`` stores them, (out, in), and drawn as it
    draws them. ``torch.compile`` and ``torch.export`` take the module whole; the latter one with grouped heads and a
    sink under ``torch.no_grad()``, since torch exports no grouped heads with a mask that has a gradient.

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
        scale: Factor of the scores; when None ``1/√d_head``, and 1 of additive ones.
        score: ``"product"``, q·k, or ``"additive"``, ``w · tanh(q + k)`` with a learned w in each head (Bahdanau et
            al. 2015; Luong et al. 2015 compare both): every pair then has ``d_head`` numbers in memory.
        projections: Which matrices there are: ``Full``, ``TiedKeyValue``, ``TiedQueryKey``, ``Identity``, or
            ``LatentKeyValue``, for which ``scale`` is 1/√(d_head + d_rotary).
        output_projection: Whether there is W_O. Without it (and with ``Identity``) there is no b_O either: the output
            is the heads' context side by side.
        position: How order comes in. ``Sinusoidal`` and ``Learned`` are added to the inputs, so queries, keys *and*
            values see them; ``Rotary`` turns queries and keys; ``Alibi`` and ``RelativeKey`` are added to the
            scores.
        qk_norm: Whether queries and keys are RMS-normalised over ``d_head``, with a learned gain, before they meet:
            after Henry et al. (2020), "Query-Key Normalization for Transformers". True, or an ``RMSNorm`` with an eps
            of its own: Qwen 3, Gemma 3.
        qk_norm_together: Whether they are so over all heads together: OLMo 2 (2025), section 3.2.
        soft_cap: Scores s become ``soft_cap · tanh(s / soft_cap)`` before masks: Gemma 2 (2024), section 2.
        zero_sink: Whether a key and value of zeros that no mask hides is appended, as torch's ``add_zero_attn``.
        sink: Whether softmax has a further score of each head's own that is learned and fetches nothing, so that the
            weights of the keys may sum to less than 1: gpt-oss (2025); Xiao et al. (2024), "Efficient Streaming
            Language Models with Attention Sinks", section 3.3, where it is 0.
        gate: Whether each number of the context is multiplied by σ(W_G x) of the token x that asks, before W_O: Qiu
            et al. (2025), "Gated Attention for Large Language Models"; Qwen 3 Next.
        window: How many slots to either side a query sees, as in :func:`sliding_window_mask`; all when None.
        dropout: Probability of dropping a weight in training.
        device: Where the parameters live.
        dtype: Their precision.

    Raises:
        TypeError: If ``position`` or ``projections`` is no such choice: a class, say, or a word.
        ValueError: If a size is not positive, ``d_model`` is not a multiple of ``num_heads`` and no ``d_head`` is
            given, ``num_heads`` is not a multiple of ``num_kv_heads``, ``Identity`` or ``TiedQueryKey`` meets fewer
            heads of keys than of queries, ``Identity`` meets ``num_heads · d_head ≠ d_model``, ``Rotary`` turns an
            odd number of coordinates or meets additive scores, ``score`` is another, ``window`` negative,
            ``soft_cap`` not positive, ``dropout`` not in [0, 1), or both kinds of sinks are asked for.
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
        score: Score = "product",
        projections: Projections = FULL,
        output_projection: bool = True,
        position: Position = NO_POSITION,
        qk_norm: bool | RMSNorm = False,
        qk_norm_together: bool = False,
        soft_cap: float | None = None,
        zero_sink: bool = False,
        sink: bool = False,
        gate: bool = False,
        window: int | None = None,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        require_choice("position", position, POSITIONS)
        require_score(score, position)
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout = {dropout} is not possible: give a probability from 0 up to but not 1.")
        require_lengths(window=window or 0)
        require_positive(soft_cap=1 if soft_cap is None else soft_cap)
        if sink and zero_sink:
            raise ValueError("sink and zero_sink are both True: choose one; a sink of 0 is a key of zeros.")
        biases = {"q_bias": q_bias, "k_bias": k_bias, "v_bias": v_bias, "o_bias": o_bias}
        made = {"device": device, "dtype": dtype}
        sizes = (d_model, num_heads, num_kv_heads, d_head)
        super().__init__(*sizes, projections, output_projection=output_projection, **biases, **made)
        d_head = self.d_head
        require_options(projections, d_head, position=position, qk_norm=bool(qk_norm), score=score, gate=gate)
        self.scale = usual_scale(score, self.d_query) if scale is None else scale
        self.score: Score = score
        self.score_weight = nn.Parameter(torch.empty(num_heads, d_head, **made)) if score == "additive" else None
        self.sink = nn.Parameter(torch.empty(num_heads, **made)) if sink else None
        self.gate_weight = nn.Parameter(torch.empty(num_heads * d_head, d_model, **made)) if gate else None
        self._reset_own()
        self.position, self.zero_sink, self.window, self.dropout = position, zero_sink, window, dropout
        self.soft_cap, self.qk_norm_together = soft_cap, qk_norm_together
        self.q_norm = self.k_norm = None
        if qk_norm:
            norm, together = (RMSNorm() if qk_norm is True else qk_norm), qk_norm_together
            self.q_norm = norm.build(d_head * (self.num_heads if together else 1), **made)
            self.k_norm = norm.build(d_head * (self.num_kv_heads if together else 1), **made)
        self.added_position = None
        if isinstance(position, Sinusoidal | Learned):
            self.added_position = AddedPosition(position, d_model, **made)
        self.relative_keys = RelativeKeys(position, d_head, **made) if isinstance(position, RelativeKey) else None

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """The same attention with a copy of the weights of torch's module; see :func:`.convert.read_torch`."""
        return cls._loaded(*read_torch(module)).train(module.training)

    @classmethod
    def _loaded(cls, options: dict[str, Any], state: dict[str, Tensor]) -> "MultiHeadAttention":
        module = cls(**options)
        module.load_state_dict(state)
        return module

    def reset_parameters(self) -> None:
        """Draw matrices and biases anew from U(±1/√fan_in), as ``nn.Linear`` does, W_G, and the w of additive scores.

        Sinks become 0.
        """
        super().reset_parameters()
        self._reset_own()

    def extra_repr(self) -> str:
        """The sizes, and what differs from the defaults."""
        return self.describe(
            {
                "score": (self.score, "product"),
                "scale": (self.scale, usual_scale(self.score, self.d_query)),
                "position": (self.position, NO_POSITION),
                "qk_norm": (self.q_norm is not None, False),
                "qk_norm_together": (self.qk_norm_together, False),
                "soft_cap": (self.soft_cap, None),
                "zero_sink": (self.zero_sink, False),
                "sink": (self.sink is not None, False),
                "gate": (self.gate_weight is not None, False),
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
        """Attend, on torch's fused kernel; with additive or capped scores, which have none, as ``trace`` does.

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
        if self.score == "additive" or self.soft_cap is not None:
            _q, _k, v, *_scores, weights = self._trace_weights(query, key, value, *given)
            return self.out_of_heads(self.gated(self._mix(weights, v), query, query_positions, cache))
        q, k, v, mask, is_causal = self._prepare(query, key, value, *given)
        options = {"is_causal": is_causal, "scale": self.scale, "dropout": self.dropout if self.training else 0.0}
        grouped = self.num_kv_heads != self.num_heads
        context = scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=grouped, **options)
        return self.out_of_heads(self.gated(context, query, query_positions, cache))

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
        replace: Replacements = NOTHING,
    ) -> AttentionTrace:
        """Attend step by step and keep every intermediate; other arguments and errors are those of ``forward``.

        Args:
            query: As in ``forward``; also the next seven.
            key: Tokens that are looked at.
            value: Tokens whose content is fetched.
            attn_mask: A mask.
            key_padding_mask: Padding.
            is_causal: Whether a query looks back only.
            query_positions: Positions of the queries.
            key_positions: Positions of the keys.
            cache: What is kept of earlier tokens.
            replace: By names of fields of :class:`AttentionTrace`, functions of what was computed; what one gives
                takes its place, and all that follows is computed from that.

        Raises:
            ValueError: If a name is no such field, or a function gives another shape or precision.
        """
        require_fields(replace)
        given = (attn_mask, key_padding_mask, is_causal, query_positions, key_positions, cache)
        q, k, v, scores, masked_scores, weights = self._trace_weights(query, key, value, *given, replace=replace)
        context = replaced(replace, "context", self._mix(weights, v))  # (batch, heads, q_len, d_head)
        output = replaced(replace, "output", self.out_of_heads(self.gated(context, query, query_positions, cache)))
        return AttentionTrace(q, k, v, scores, masked_scores, weights, context, output)

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

    def _trace_weights(
        self, *given: Any, replace: Replacements = NOTHING
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The fields of :class:`AttentionScores`, of the arguments that ``_prepare`` takes."""
        q, k, v, mask, is_causal = self._prepare(*given, contiguous=True)
        if replace:
            q, k, v = (replaced(replace, name, each) for name, each in (("q", q), ("k", k), ("v", v)))
        return q, k, v, *self.weights_of(q, k, mask, is_causal, replace)

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
            q, k = self.normalised(self.q_norm, q), self.normalised(self.k_norm, k)
        room, tokens, further = {}, 0, None
        if cache is not None:
            cache.require_room(k)
            room, tokens = {"start": cache.length, "max_len": cache.max_len}, query.shape[1]
        q, k = self.turned(q, k, query_positions, key_positions, room)
        if cache is not None:
            k, v = cache.with_tokens(k, v)  # (batch, kv_heads, kv_len, d_head)
            key_padding_mask = cache.with_padding(key_padding_mask, tokens)
            further, is_causal = cache.causal(tokens), not cache.length
        q, k, v = self.meeting(q, k, v)
        if isinstance(self.position, (Alibi, RelativeKey)):
            if cache is not None:
                key_positions = cache.with_positions(query_positions, tokens)
                query_positions = cache.slots(tokens) if query_positions is None else query_positions
            further = combine_masks(further, self.of_distances(q, k, query_positions, key_positions))
        if self.window is not None:
            start, kv_len = room.get("start", 0), k.shape[2]
            near = sliding_window_mask(q.shape[2], self.window, kv_len, start=start, device=q.device)
            further = combine_masks(further, near)
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask[:, None]  # (batch, 1, q_len, kv_len)
        mask = None
        if attn_mask is not None or key_padding_mask is not None or further is not None or self._has_sink:
            shape = (*q.shape[:3], k.shape[2])
            mask = merge_masks(shape, attn_mask, key_padding_mask, is_causal, further=further, like=q)
            is_causal = False
        if self.sink is not None:
            mask, is_causal = mask_with_logit(mask, (*q.shape[:3], k.shape[2]), self.sink, like=q), False
        elif self.zero_sink and mask is not None:
            mask = mask_with_sink(mask, k.shape[2])
        if self._has_sink:
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))  # (batch, kv_heads, kv_len + 1, d_head)
        if cache is not None:
            cache.length += tokens
        return q, k, v, mask, is_causal
