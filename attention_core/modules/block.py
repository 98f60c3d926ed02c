"""A transformer block: attention, perhaps cross-attention, and a feed-forward network, with norms and residuals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypedDict, Unpack

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from attention_core.modules.additive import Score
from attention_core.modules.cache import KeyValueCache
from attention_core.modules.feed_forward import GELU_ACTIVATION, Activation, FeedForward
from attention_core.modules.masks import require_choice
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import NORMS, LayerNorm, Norm, RMSNorm
from attention_core.modules.positions import NoPosition, Position
from attention_core.modules.projections import Projections


@dataclass(frozen=True, slots=True)
class PreNorm:
    """``x + f(norm(x))``: Xiong et al. (2020), "On Layer Normalization in the Transformer Architecture"; GPT-2."""


@dataclass(frozen=True, slots=True)
class PostNorm:
    """``norm(x + f(x))``: Vaswani et al. (2017), section 3.1; BERT."""


@dataclass(frozen=True, slots=True)
class ResidualPostNorm:
    """``x + norm(f(x))``: Liu et al. (2022), "Swin Transformer V2", section 3.2."""


@dataclass(frozen=True, slots=True)
class SandwichNorm:
    """``x + norm(f(norm'(x)))``: Ding et al. (2021), "CogView", section 2.4; Gemma 2 and 3."""


Placement: TypeAlias = PreNorm | PostNorm | ResidualPostNorm | SandwichNorm
PLACEMENTS = (PreNorm, PostNorm, ResidualPostNorm, SandwichNorm)
PRE_NORM, LAYER_NORM = PreNorm(), LayerNorm()


class AttentionOptions(TypedDict, total=False):
    """The keyword arguments of :class:`MultiHeadAttention` that a block passes on."""

    num_kv_heads: int | None
    d_head: int | None
    q_bias: bool
    k_bias: bool
    v_bias: bool
    o_bias: bool
    scale: float | None
    score: Score
    projections: Projections
    position: Position
    qk_norm: bool | RMSNorm
    qk_norm_together: bool
    soft_cap: float | None
    zero_sink: bool
    sink: bool
    gate: bool
    window: int | None


class TransformerBlock(nn.Module):
    """One layer of a transformer: self-attention, cross-attention where wanted, feed-forward, each with its residual.

    Every part acts on each token alone or is attention, so a block without positions and masks keeps attention's
    equivariance: permuted tokens give permuted outputs, wherever the norms stand.

    Args:
        d_model: Size of a token's vector.
        num_heads: Heads of each attention.
        d_ff: Width of the feed-forward network; ``4 · d_model`` when None, and no network at all when 0.
        placement: Where the norm of a sublayer stands: ``PreNorm()``, ``PostNorm()``, ``ResidualPostNorm()``, or two
            of them with ``SandwichNorm()``.
        norm: Which norm: ``LayerNorm()``, ``RMSNorm()``, ``BatchNorm()`` or ``NoNorm()``.
        activation: ``ReLU()``, ``GELU()`` or ``SiLU()``.
        gated: Whether the feed-forward network has a gate, as in :class:`FeedForward`.
        feed_forward_bias: Whether its layers have biases.
        cross_attention: Whether there is an attention on a memory between the other two sublayers.
        residual: Whether the input of a sublayer is added to what it computes.
        dropout: Probability of dropping a number that a sublayer computed, in training.
        attention_dropout: Probability of dropping an attention weight, in training.
        device: Where the parameters live.
        dtype: Their precision.
        attention: Further options of both attentions, as in :class:`MultiHeadAttention`; ``position`` and ``window``
            go to self-attention only, since a query and a key of different sentences have no distance.

    Raises:
        TypeError: If ``placement`` or ``norm`` is no such choice: a class, say, or a word.
        TypeError, ValueError: As :class:`MultiHeadAttention` and :class:`FeedForward`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_ff: int | None = None,
        placement: Placement = PRE_NORM,
        norm: Norm = LAYER_NORM,
        activation: Activation = GELU_ACTIVATION,
        gated: bool = False,
        feed_forward_bias: bool = True,
        cross_attention: bool = False,
        residual: bool = True,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        **attention: Unpack[AttentionOptions],
    ) -> None:
        super().__init__()
        require_choice("placement", placement, PLACEMENTS)
        require_choice("norm", norm, NORMS)
        self.placement, self.residual = placement, residual

        attend = partial(
            MultiHeadAttention, d_model, num_heads, dropout=attention_dropout, device=device, dtype=dtype
        )
        self.self_attention = attend(**attention)
        build = partial(norm.build, d_model, device=device, dtype=dtype)
        self.self_attention_norm = build()
        across = {**attention, "position": NoPosition(), "window": None}
        self.cross_attention = attend(**across) if cross_attention else None
        self.cross_attention_norm = build() if cross_attention else None
        feeds = d_ff != 0
        feed = partial(FeedForward, d_model, d_ff, activation=activation, gated=gated, bias=feed_forward_bias)
        self.feed_forward = feed(device=device, dtype=dtype) if feeds else None
        self.feed_forward_norm = build() if feeds else None
        twice = isinstance(placement, SandwichNorm)
        self.self_attention_after = build() if twice else None
        self.cross_attention_after = build() if twice and cross_attention else None
        self.feed_forward_after = build() if twice and feeds else None
        self.dropout = nn.Dropout(dropout)

    def extra_repr(self) -> str:
        """Where the norms stand, and whether there is no residual."""
        return f"placement={self.placement!r}" + ("" if self.residual else ", residual=False")

    def forward(
        self,
        x: Float[Tensor, "batch tokens d_model"],
        memory: Float[Tensor, "batch memory_tokens d_model"] | None = None,
        *,
        attn_mask: Shaped[Tensor, "..."] | None = None,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        is_causal: bool = False,
        memory_key_padding_mask: Bool[Tensor, "batch memory_tokens"] | None = None,
        positions: Int[Tensor, "..."] | None = None,
        cache: KeyValueCache | None = None,
    ) -> Float[Tensor, "batch tokens d_model"]:
        """The tokens after this layer.

        Args:
            x: Tokens.
            memory: What cross-attention looks at.
            attn_mask: Mask of self-attention, as in :meth:`MultiHeadAttention.forward`.
            key_padding_mask: Padding among ``x``, True = padding; goes to self-attention.
            is_causal: Whether self-attention looks back only.
            memory_key_padding_mask: Padding among ``memory``, True = padding; goes to cross-attention.
            positions: Positions of the tokens, for self-attention; 0, 1, 2, … when None.
            cache: What self-attention keeps of earlier tokens, as in :meth:`MultiHeadAttention.forward`.

        Raises:
            ValueError: If a block with cross-attention gets no memory, or one without it does.
        """
        if (memory is None) != (self.cross_attention is None):
            raise ValueError(
                "memory is missing: a block with cross-attention needs it."
                if memory is None
                else "memory is given, but the block has no cross-attention; build it with cross_attention=True."
            )

        attend = partial(
            self.self_attention,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            query_positions=positions,
            cache=cache,
        )
        x = self._with(x, self.self_attention_norm, self.self_attention_after, attend)
        if self.cross_attention is not None and self.cross_attention_norm is not None:
            cross = self.cross_attention
            x = self._with(
                x,
                self.cross_attention_norm,
                self.cross_attention_after,
                lambda tokens: cross(tokens, memory, key_padding_mask=memory_key_padding_mask),
            )
        if self.feed_forward is not None and self.feed_forward_norm is not None:
            x = self._with(x, self.feed_forward_norm, self.feed_forward_after, self.feed_forward)
        return x

    def _with(
        self, x: Tensor, norm: nn.Module, after: nn.Module | None, sublayer: Callable[[Tensor], Tensor]
    ) -> Tensor:
        kept = x if self.residual else torch.zeros_like(x)
        if after is not None:
            return kept + self.dropout(after(sublayer(norm(x))))
        if isinstance(self.placement, PreNorm):
            return kept + self.dropout(sublayer(norm(x)))
        if isinstance(self.placement, PostNorm):
            return norm(kept + self.dropout(sublayer(x)))
        return kept + self.dropout(norm(sublayer(x)))
