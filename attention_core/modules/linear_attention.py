"""Attention without softmax, whose cost grows with the number of tokens and not with its square."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.dot_product import HALF_PRECISION, precise_scores, product
from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.masks import causal_mask, require_choice, require_key_padding
from attention_core.modules.positions import Learned, NoPosition, Sinusoidal, require_positions
from attention_core.modules.projections import FULL, HeadProjections, Projections
from attention_core.modules.shape_checks import require_fit, require_same_slots

NO_POSITION = NoPosition()
FURTHER_MASK = (
    "attn_mask is not possible: linear attention never forms pairs of query and key, so there is nothing to mask; "
    "give key_padding_mask or is_causal, or use MultiHeadAttention."
)


def positive_features(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """φ(x) = elu(x) + 1, which is x + 1 above 0 and eˣ below: positive, as a weight must be."""
    return F.elu(x) + 1


class LinearAttention(HeadProjections):
    """Multi-head attention whose weights are ``φ(q)·φ(k)``, divided by their sum over the keys, instead of softmax's.

    ::

        context = φ(q) (φ(k)ᵀ v) / φ(q) (φ(k)ᵀ 1)          φ(x) = elu(x) + 1, in every head

    Katharopoulos et al. (2020), "Transformers are RNNs", section 3.2. The product φ(k)ᵀv is taken first: it has
    ``d_head²`` numbers whatever the number of tokens n, so the cost is Θ(n · d_head²) per head where softmax's is
    Θ(n² · d_head). Its parameters are those of :class:`MultiHeadAttention`, and load into it and from it. What acts
    on scores before softmax (a scale, rotary positions, ALiBi, a sink, attention dropout) means nothing here.

    Args:
        d_model: Size of a token's vector.
        num_heads: Number of heads.
        num_kv_heads: Number of heads of keys and values; ``num_heads`` when None.
        d_head: Size of a head; ``d_model / num_heads`` when None.
        q_bias: Whether there is b_Q.
        k_bias: Whether there is b_K.
        v_bias: Whether there is b_V.
        o_bias: Whether there is b_O.
        projections: Which matrices there are.
        output_projection: Whether there is W_O.
        position: ``Sinusoidal`` or ``Learned``, added to the inputs, or none.
        device: Where the parameters live.
        dtype: Their precision.

    Raises:
        TypeError: If ``position`` or ``projections`` is no such choice.
        ValueError: As :class:`MultiHeadAttention`; or if ``projections`` is ``LatentKeyValue``: latents meet
            queries under softmax alone.
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
        projections: Projections = FULL,
        output_projection: bool = True,
        position: NoPosition | Sinusoidal | Learned = NO_POSITION,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        require_choice("position", position, (NoPosition, Sinusoidal, Learned))
        if isinstance(projections, LatentKeyValue):
            raise ValueError(
                f"projections = {projections} is not possible: latents meet queries under softmax alone."
            )
        biases = {"q_bias": q_bias, "k_bias": k_bias, "v_bias": v_bias, "o_bias": o_bias}
        made = {"device": device, "dtype": dtype}
        sizes = (d_model, num_heads, num_kv_heads, d_head)
        super().__init__(*sizes, projections, output_projection=output_projection, **biases, **made)
        self.position = position
        self.added_position = None
        if isinstance(position, Sinusoidal | Learned):
            self.added_position = AddedPosition(position, d_model, **made)

    def extra_repr(self) -> str:
        """The sizes, and what differs from the defaults."""
        return self.describe({"position": (self.position, NO_POSITION)})

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
    ) -> Float[Tensor, "batch q_len d_output"]:
        """Attend, at a cost that is linear in the number of tokens.

        Causal attention goes by blocks of ``d_head`` tokens: within a block pair by pair, and all blocks before it as
        one sum of φ(k)ᵀv.

        Args:
            query: Tokens that ask.
            key: Tokens that are looked at; the queries themselves when None.
            value: Tokens whose content is fetched; the keys when None.
            attn_mask: Refused: there are no pairs of query and key to be masked. It is here to say so.
            key_padding_mask: Bool ``(batch, kv_len)``, True = padding.
            is_causal: Whether a query sees only the keys up to its own slot; for as many queries as keys.
            query_positions: As in :meth:`MultiHeadAttention.forward`; also ``key_positions``.
            key_positions: Position of each key.

        Raises:
            ValueError: If there is an ``attn_mask``, or as :meth:`MultiHeadAttention.forward`.
        """
        given = (attn_mask, key_padding_mask, is_causal, query_positions, key_positions)
        q, k, v = self._prepare(query, key, value, *given)
        dtype = v.dtype
        if dtype in HALF_PRECISION:
            q, k, v = q.float(), k.float(), v.float()
        # The last column of ones turns the sum of the weights into one more number of the context.
        v = F.pad(v, (0, 1), value=1.0)[:, :, None]  # (batch, kv_heads, 1, kv_len, d_head + 1)
        q, k = q.unflatten(1, (self.num_kv_heads, self.num_heads // self.num_kv_heads)), k[:, :, None]
        sums = _causal_sums(q, k, v, self.d_head) if is_causal else q @ (k.mT @ v)
        context = _divided(sums[..., :-1], sums[..., -1:]).flatten(1, 2)  # (batch, heads, q_len, d_head)
        return self.out_of_heads(context.to(dtype))

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
    ) -> AttentionTrace:
        """The same by its quadratic form, every pair of query and key at a time; arguments are those of ``forward``.

        ``q`` and ``k`` are φ(q) and φ(k), ``scores`` their dot products, ``masked_scores`` those with 0 where a key
        is hidden, and ``weights`` these divided by their sum: what ``forward`` never forms.
        """
        given = (attn_mask, key_padding_mask, is_causal, query_positions, key_positions)
        q, k, v = self._prepare(query, key, value, *given)
        scores = self.shared(precise_scores, q, k, scale=1.0)  # (batch, heads, q_len, kv_len)
        masked = scores * causal_mask(*scores.shape[2:], device=q.device) if is_causal else scores
        weights = _divided(masked, masked.sum(-1, keepdim=True))
        scores, masked, weights = (each.to(v.dtype) for each in (scores, masked, weights))
        context = self.shared(product, weights, v)
        return AttentionTrace(q, k, v, scores, masked, weights, context, self.out_of_heads(context))

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
    ) -> tuple[Tensor, Tensor, Tensor]:
        """φ(q), φ(k) and v of all heads; φ(k) of padding is 0, so that it adds nothing to any sum."""
        if attn_mask is not None:
            raise ValueError(FURTHER_MASK)
        key = query if key is None else key
        value = key if value is None else value
        if key is query and key_positions is None:
            key_positions = query_positions
        require_fit(self.d_model, query, key, value)
        if is_causal:
            require_same_slots(query, key)
        require_positions("query_positions", query_positions, *query.shape[:2])
        require_positions("key_positions", key_positions, *key.shape[:2])
        if self.added_position is not None:
            query, key, value = self.added_position.add_to_each(query, key, value, query_positions, key_positions)
        q, k, v = self.into_heads(query, key, value)
        q, k = positive_features(q), positive_features(k)
        if key_padding_mask is not None:
            require_key_padding(key_padding_mask, tuple(key.shape[:2]))
            k = k.masked_fill(key_padding_mask[:, None, :, None], 0.0)
        return q, k, v


def _causal_sums(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
    """``Σ_{j ≤ i} (q_i · k_j) v_j`` of every token i, by blocks of ``size`` tokens ``(..., tokens, d_head + 1)``."""
    tokens = q.shape[-2]
    q, k, v = (
        F.pad(x, (0, 0, 0, -tokens % size)).unflatten(-2, (-(-tokens // size), size)) for x in (q, k, v)
    )  # (..., blocks, size, d_head or d_head + 1)
    within = (q @ k.mT).tril() @ v
    up_to = (k.mT @ v).cumsum(-3)  # (..., blocks, d_head, d_head + 1)
    before = F.pad(up_to, (0, 0, 0, 0, 1, 0))[..., :-1, :, :]
    return (within + q @ before).flatten(-3, -2)[..., :tokens, :]


def _divided(sums: Tensor, total: Tensor) -> Tensor:
    """``sums / total``, 0 where the total is 0: a query that sees no key."""
    return sums / total.masked_fill(total == 0, 1.0)
