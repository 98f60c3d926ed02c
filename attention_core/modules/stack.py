"""Transformers: blocks on top of each other, as encoder, decoder, or both."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack, cast

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.block import LAYER_NORM, AttentionOptions, Placement, TransformerBlock
from attention_core.modules.cache import KeyValueCache
from attention_core.modules.feed_forward import Activation
from attention_core.modules.mask_report import MaskUse, recorded_masks
from attention_core.modules.masks import require_lengths, require_positive
from attention_core.modules.normalization import Norm
from attention_core.modules.positions import Learned, NoPosition, Rotary, Sinusoidal
from attention_core.modules.rope_scaling import LongRoPE
from attention_core.modules.sampling import greedy
from attention_core.modules.traced import StackTrace, traced


class BlockOptions(AttentionOptions, total=False):
    """The keyword arguments of :class:`TransformerBlock` that a stack passes on."""

    d_ff: int | None
    placement: Placement
    norm: Norm
    activation: Activation
    gated: bool
    feed_forward_bias: bool
    residual: bool
    dropout: float
    attention_dropout: float
    device: torch.device | str | None
    dtype: torch.dtype | None


ATTENTIONS = ("self_attention", "cross_attention")


class Stack(nn.Module):
    """What encoder and decoder share: positions once at the bottom, blocks, and perhaps norms below and above them.

    Args:
        d_model: Size of a token's vector.
        num_heads: Heads of each attention.
        num_layers: Number of blocks.
        cross_attention: Whether each block also attends to a memory.
        input_norm: Whether the input is normalised, once positions are added to it; BERT.
        final_norm: Whether the output is normalised; usual with ``PreNorm``, which leaves it unnormalised.
        block: Options of every block, as in :class:`TransformerBlock`. ``Sinusoidal`` and ``Learned`` positions are
            added to the input of the stack only; ``Rotary`` and ``Alibi`` act in every self-attention.

    Raises:
        TypeError, ValueError: If ``num_layers`` is not positive, or as :class:`TransformerBlock`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_layers: int,
        *,
        cross_attention: bool = False,
        input_norm: bool = False,
        final_norm: bool = False,
        **block: Unpack[BlockOptions],
    ) -> None:
        super().__init__()
        require_positive(num_layers=num_layers)
        made = {"device": block.get("device"), "dtype": block.get("dtype")}
        position = block.get("position")
        self.added_position = None
        if isinstance(position, Sinusoidal | Learned):
            self.added_position = AddedPosition(position, d_model, **made)
            block["position"] = NoPosition()
        self.layers = nn.ModuleList(
            TransformerBlock(d_model, num_heads, cross_attention=cross_attention, **block) for _ in range(num_layers)
        )
        norm = block.get("norm", LAYER_NORM)
        self.input_norm = norm.build(d_model, **made) if input_norm else None
        self.final_norm = norm.build(d_model, **made) if final_norm else None

    def mask_report(self, *inputs: Any, **masks: Any) -> tuple[MaskUse, ...]:
        """The masks each attention module receives in ``forward(*inputs, **masks)``, in the order of the calls."""
        with recorded_masks(self) as uses, torch.no_grad():
            self(*inputs, **masks)
        return tuple(uses)

    def trace(self, *inputs: Any, **masks: Any) -> StackTrace:
        """What ``forward(*inputs, **masks)`` computes, with every intermediate of each layer's attentions."""
        with traced(self) as calls:
            output = self(*inputs, **masks)
        looking = {kind: tuple(call.trace for call in calls if call.name.endswith(kind)) for kind in ATTENTIONS}
        return StackTrace(**looking, output=output)

    def _run(
        self,
        x: Tensor,
        memory: Tensor | None,
        positions: Tensor | None,
        masks: dict[str, Any],
        cache: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        caches = [None] * len(self.layers) if cache is None else cache
        if len(caches) != len(self.layers):
            raise ValueError(f"the cache is of {len(caches)} layers, and there are {len(self.layers)} here.")
        if self.added_position is not None:
            if caches[0] is not None and positions is None:
                positions = caches[0].slots(x.shape[1])
            x, positions = self.added_position(x, positions), None
        if self.input_norm is not None:
            x = self.input_norm(x)
        for layer, kept in zip(self.layers, caches, strict=True):
            x = layer(x, memory, positions=positions, cache=kept, **masks)
        return x if self.final_norm is None else self.final_norm(x)


class Encoder(Stack):
    """Blocks that look both ways, as in BERT: Devlin et al. (2019). Takes the arguments of :class:`Stack`.

    Raises:
        TypeError: If cross-attention is asked for, since ``forward`` takes no memory.
        TypeError, ValueError: As :class:`Stack`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_layers: int,
        *,
        input_norm: bool = False,
        final_norm: bool = False,
        **block: Unpack[BlockOptions],
    ) -> None:
        if block.get("cross_attention"):
            raise TypeError("cross_attention = True is not possible: an Encoder takes no memory; a Decoder does.")
        super().__init__(d_model, num_heads, num_layers, input_norm=input_norm, final_norm=final_norm, **block)

    def forward(
        self,
        x: Float[Tensor, "batch tokens d_model"],
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        attn_mask: Shaped[Tensor, "..."] | None = None,
        positions: Int[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch tokens d_model"]:
        """The tokens after all layers.

        Args:
            x: Tokens.
            key_padding_mask: True = padding.
            attn_mask: A further mask, as in :meth:`MultiHeadAttention.forward`.
            positions: Positions of the tokens; 0, 1, 2, … when None.
        """
        return self._run(x, None, positions, {"key_padding_mask": key_padding_mask, "attn_mask": attn_mask})


class Decoder(Stack):
    """Blocks that look back only, as in GPT: Radford et al. (2018). Takes the arguments of :class:`Stack`.

    With padding on the right, real tokens never see it: causality is enough. With padding on the left they do, and
    a key padding mask is needed.
    """

    def forward(
        self,
        x: Float[Tensor, "batch tokens d_model"],
        memory: Float[Tensor, "batch memory_tokens d_model"] | None = None,
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        memory_key_padding_mask: Bool[Tensor, "batch memory_tokens"] | None = None,
        attn_mask: Shaped[Tensor, "..."] | None = None,
        positions: Int[Tensor, "..."] | None = None,
        cache: Sequence[KeyValueCache] | None = None,
    ) -> Float[Tensor, "batch tokens d_model"]:
        """The tokens after all layers.

        Args:
            x: Tokens.
            memory: What cross-attention looks at, for a stack built with ``cross_attention=True``.
            key_padding_mask: Padding among ``x``, True = padding.
            memory_key_padding_mask: Padding among ``memory``, True = padding.
            attn_mask: A further mask of self-attention.
            positions: Positions of the tokens; 0, 1, 2, … when None.
            cache: What the layers keep of earlier tokens; ``x`` are then the next ones.

        Raises:
            ValueError: If memory is missing, or given without cross-attention, or the cache does not fit.
        """
        masks = {
            "is_causal": True,
            "key_padding_mask": key_padding_mask,
            "memory_key_padding_mask": memory_key_padding_mask,
            "attn_mask": attn_mask,
        }
        return self._run(x, memory, positions, masks, cache)

    def cache(self, batch: int, max_len: int, *, dtype: torch.dtype | None = None) -> tuple[KeyValueCache, ...]:
        """An empty cache for each layer's self-attention; arguments as in :meth:`MultiHeadAttention.cache`."""
        layers = cast(Iterable[TransformerBlock], self.layers)
        return tuple(layer.self_attention.cache(batch, max_len, dtype=dtype) for layer in layers)

    @torch.no_grad()
    def generate(
        self,
        tokens: Int[Tensor, "batch tokens"],
        max_new_tokens: int,
        *,
        embed: Callable[[Tensor], Tensor],
        head: Callable[[Tensor], Tensor],
        choose: Callable[[Tensor], Tensor] = greedy,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        positions: Int[Tensor, "..."] | None = None,
        ends: Sequence[int] = (),
    ) -> Int[Tensor, "batch tokens_and_new"]:
        """The sentences with up to ``max_new_tokens`` more tokens, each chosen from what the last one says.

        With a cache; where positions are stretched otherwise in a longer text, as by ``LongRoPE``, it is made anew.

        Args:
            tokens: Beginnings, as numbers of tokens.
            max_new_tokens: How many tokens to write.
            embed: From numbers ``(batch, tokens)`` to vectors ``(batch, tokens, d_model)``: an ``nn.Embedding``.
            head: From the last vectors ``(batch, d_model)`` to a score of each kind of token ``(batch, kinds)``.
            choose: From these scores to one number for each sentence ``(batch,)``; that of the largest if not given.
            key_padding_mask: Padding among the beginnings, True = padding; it must stand on the left.
            positions: Positions of the beginnings, from whose last one the new ones go on; the slots when None.
            ends: Tokens that end a sentence; the first of them fills it up where others go on.

        Raises:
            ValueError: If there is no token to begin with, or ``max_new_tokens`` is negative.
        """
        require_lengths(max_new_tokens=max_new_tokens)
        if not tokens.shape[1]:
            raise ValueError(f"tokens has shape {tuple(tokens.shape)}: at least one token is needed to begin with.")
        max_len, ending = tokens.shape[1] + max_new_tokens, tokens.new_tensor(ends)
        cache, new, ended = self.cache(len(tokens), max_len), tokens, tokens.new_zeros(len(tokens), dtype=torch.bool)
        every, padding = positions, key_padding_mask  # those of all tokens so far
        for _ in range(max_new_tokens):
            if self._is_stretched_anew(cache[0].length, tokens.shape[1]):
                cache, new = self.cache(len(tokens), max_len), tokens
                positions, key_padding_mask = every, padding
            vectors = self(embed(new), key_padding_mask=key_padding_mask, positions=positions, cache=cache)
            chosen = choose(head(vectors[:, -1]))
            if len(ending):
                chosen = chosen.where(~ended, ending[0])
                ended = ended | torch.isin(chosen, ending)
            new, key_padding_mask = chosen[:, None], None
            tokens = torch.cat((tokens, new), dim=1)
            if len(ending) and bool(ended.all()):
                break
            if every is not None:
                positions = every[..., -1:] + 1
                every = torch.cat((every, positions), dim=-1)
            padding = None if padding is None else F.pad(padding, (0, 1))
        return tokens

    def _is_stretched_anew(self, before: int, now: int) -> bool:
        """Whether keys of a text that was short are turned otherwise now that it is long."""
        layers = cast(Iterable[TransformerBlock], self.layers)
        positions = [layer.self_attention.position for layer in layers]
        scalings = [each.scaling for each in positions if isinstance(each, Rotary)]
        return any(isinstance(each, LongRoPE) and 0 < before <= each.trained_len < now for each in scalings)


class EncoderDecoder(nn.Module):
    """An encoder reads the source, a decoder writes the target looking at it: Vaswani et al. (2017), section 3.1.

    Args:
        d_model: Size of a token's vector.
        num_heads: Heads of each attention.
        num_layers: Blocks of the encoder, and of the decoder.
        final_norm: Whether both outputs are normalised.
        block: Options of every block, as in :class:`Stack`.

    Raises:
        ValueError: As :class:`Stack`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_layers: int,
        *,
        final_norm: bool = False,
        **block: Unpack[BlockOptions],
    ) -> None:
        super().__init__()
        self.encoder = Encoder(d_model, num_heads, num_layers, final_norm=final_norm, **block)
        self.decoder = Decoder(d_model, num_heads, num_layers, cross_attention=True, final_norm=final_norm, **block)

    def forward(
        self,
        source: Float[Tensor, "batch source_tokens d_model"],
        target: Float[Tensor, "batch target_tokens d_model"],
        *,
        source_key_padding_mask: Bool[Tensor, "batch source_tokens"] | None = None,
        target_key_padding_mask: Bool[Tensor, "batch target_tokens"] | None = None,
    ) -> Float[Tensor, "batch target_tokens d_model"]:
        """The target's tokens after all layers.

        Args:
            source: Tokens that are read.
            target: Tokens that are written; each looks back only.
            source_key_padding_mask: Padding of the source, True = padding: hidden from the encoder's self-attention
                and from cross-attention.
            target_key_padding_mask: Padding of the target; only needed where it stands on the left.
        """
        memory = self.encoder(source, key_padding_mask=source_key_padding_mask)
        return self.decoder(
            target,
            memory,
            key_padding_mask=target_key_padding_mask,
            memory_key_padding_mask=source_key_padding_mask,
        )

    def mask_report(self, *inputs: Any, **masks: Any) -> tuple[MaskUse, ...]:
        """The masks each attention module receives in ``forward(*inputs, **masks)``, in the order of the calls."""
        with recorded_masks(self) as uses, torch.no_grad():
            self(*inputs, **masks)
        return tuple(uses)
