"""The batch and the stack: padding, positions, the masks that each stack is given, and what padding does to it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.measuring.judge import largest
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.modules.masks import key_padding_mask, sliding_window_mask
from attention_core.modules.normalization import BatchNorm, LayerNorm
from attention_core.modules.positions import Learned, NoPosition, Position, Sinusoidal
from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder
from attention_core.studies.masks.settings import D_MODEL, LAYERS, NUM_HEADS, TABLE, Batched, MasksConfig

PAD = "·"
MASK_NAMES: Final = {  # what the picture calls each kind that an attention says it was given
    "key padding": _("key padding"),
    "causal": _("causal"),
    "attention mask": _("window"),  # in these stacks nothing else comes this way
}


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences side by side, the short ones padded.

    Attributes:
        x: Embeddings ``(batch, tokens, d_model)``.
        padding: True = padding ``(batch, tokens)``.
        positions: Position of each token ``(batch, tokens)``.
    """

    x: Float[Tensor, "batch tokens d_model"]
    padding: Bool[Tensor, "batch tokens"]
    positions: Int[Tensor, "batch tokens"]


def padded_labels(sentences: Batched, side: str) -> tuple[tuple[str, ...], ...]:
    """The sentences with ``·`` for each padding token."""
    longest = max(map(len, sentences))
    pads = [(PAD,) * (longest - len(sentence)) for sentence in sentences]
    return tuple(pad + one if side == "left" else one + pad for pad, one in zip(pads, sentences, strict=True))


def make_batch(config: MasksConfig, sentences: Batched, *, filler: str = PAD) -> Batch:
    """The batch in float64 on the CPU; ``filler`` is the text of padding tokens, and ``NaN`` stands for NaN."""
    padding = key_padding_mask([len(sentence) for sentence in sentences], left=config.side == "left")
    labels = padded_labels(sentences, config.side)
    x = torch.stack([embed(row, D_MODEL, config.seed) for row in labels])
    count = int(padding.sum())
    if filler != PAD and count:
        others = embed(tuple(f"{filler} {i}" for i in range(count)), D_MODEL, config.seed)
        x[padding] = torch.full_like(others, torch.nan) if filler == "NaN" else others
    positions = torch.arange(padding.shape[1]).expand(padding.shape).clone()
    if config.positions == "word" and config.side == "left":
        positions = (positions - padding.sum(-1, keepdim=True)).clamp(min=0)
    return Batch(x, padding, positions)


def make_stack(config: MasksConfig, position: Position | None = None) -> Encoder | Decoder | EncoderDecoder:
    """The stack of a config, its parameters drawn from the seed; BatchNorm in training mode.

    Args:
        config: The settings.
        position: Which positions it has; those of the settings when None.
    """
    kind = {"none": NoPosition(), "learned": Learned(max_len=TABLE)}.get(config.positions, Sinusoidal())
    kinds: dict[str, type[Encoder | Decoder | EncoderDecoder]] = {"encoder": Encoder, "decoder": Decoder}
    stack = kinds.get(config.stack, EncoderDecoder)(
        D_MODEL,
        NUM_HEADS,
        LAYERS,
        norm=BatchNorm() if config.batch_norm else LayerNorm(),
        position=position or kind,
        dtype=torch.float64,
    )
    draw_parameters(stack, config.seed, bias_std=0.1)
    return stack.to(config.torch_device, config.torch_dtype).train(config.batch_norm)


def run_stack(
    config: MasksConfig, stack: nn.Module, source: Batch, target: Batch | None, *, masked: bool | None = None
) -> Float[Tensor, "batch tokens d_model"]:
    """The outputs of the last layer, with exactly the masks that the stack needs.

    Encoder: the key padding mask. Decoder: causal, and the key padding mask only where padding is on the left.
    Encoder–decoder: the sources' padding in the encoder and in cross-attention, the decoder as above. A window
    goes to every self-attention.

    Args:
        config: The settings.
        stack: What :func:`make_stack` made.
        source: The sentences.
        target: The targets of an encoder–decoder.
        masked: Whether key padding masks are given; as the config says when None.
    """
    dtype, device = next(stack.parameters()).dtype, config.torch_device
    masked = not config.unmasked if masked is None else masked

    def given(batch: Batch, padding_needed: bool) -> tuple[Tensor, dict[str, Tensor | None]]:
        tokens = batch.x.shape[1]
        window = sliding_window_mask(tokens, config.window, device=device) if config.window else None
        padding = batch.padding.to(device) if padding_needed and masked else None
        return batch.x.to(device, dtype), {
            "key_padding_mask": padding,
            "attn_mask": window,
            "positions": batch.positions.to(device),
        }

    left = config.side == "left"
    if isinstance(stack, EncoderDecoder):
        assert target is not None
        x, masks = given(source, True)
        memory = stack.encoder(x, **masks)
        y, target_masks = given(target, left)
        return stack.decoder(y, memory, memory_key_padding_mask=masks["key_padding_mask"], **target_masks)
    x, masks = given(source, left or isinstance(stack, Encoder))
    return stack(x, **masks)


def alone(config: MasksConfig) -> Iterator[tuple[Batch, Batch | None]]:
    """Each sentence on its own, without padding, with its target."""
    for i, sentence in enumerate(config.sentences):
        target = make_batch(config, (config.decoded[i],)) if config.decoded else None
        yield make_batch(config, (sentence,)), target


def difference_alone(config: MasksConfig, stack: nn.Module, output: Tensor) -> float:
    """Largest difference between a sentence's outputs in the batch and on its own."""
    apart = []
    for i, batches in enumerate(alone(config)):
        one = run_stack(config, stack, *batches)[0]
        words = slice(-len(one), None) if config.side == "left" else slice(len(one))
        apart.append(on_cpu(output[i, words]) - on_cpu(one))
    return largest(*apart)


def alone_tolerance(config: MasksConfig, stack: nn.Module) -> float:
    """What rounding explains of that difference: padding adds zeros to the sums that a sentence makes on its own."""
    return largest(*(pass_tolerance(config, stack, *batches) for batches in alone(config)))


def pass_tolerance(config: MasksConfig, stack: nn.Module, source: Batch, target: Batch | None) -> float:
    """How far rounding may move the outputs of two passes over a sentence without padding apart."""
    precise = replace(config, dtype="float64", device="cpu")

    def compute(stack: nn.Module, x: Tensor, y: Tensor | None = None) -> Tensor:
        written = None if target is None or y is None else replace(target, x=y)
        return run_stack(precise, stack, replace(source, x=x), written, masked=False)

    return stack_tolerance(
        stack, compute, *(each.x.to(config.torch_dtype) for each in (source, target) if each is not None)
    )
