"""The block that two questions are asked of: its parts as the settings ask for them, and its tokens."""

from typing import Final

import torch
from torch import Tensor, nn

from attention_core.measuring.inputs import draw_parameters
from attention_core.modules.block import Placement, TransformerBlock
from attention_core.modules.positions import NoPosition, Sinusoidal
from attention_core.studies.normalization.parts import cast, draw
from attention_core.studies.normalization.settings import ACTIVATIONS, NORMS, NormalizationConfig

BIAS_STD: Final = 0.5
PARTS: Final = ("self_attention", "feed_forward")
NEXT_SEED: Final = 1_000_000  # above every seed that may be asked for


class SlotWeights(nn.Module):
    """A norm followed by a gain for each slot: what a norm must not have if order is to make no difference."""

    def __init__(self, norm: nn.Module, gains: Tensor) -> None:
        super().__init__()
        self.norm = norm
        self.register_buffer("gains", gains)

    def forward(self, x: Tensor) -> Tensor:
        """``gain · norm(x)`` in each slot."""
        return self.gains * self.norm(x)


def build_block(config: NormalizationConfig, placement: Placement, layer: int = 0) -> TransformerBlock:
    """The block that the settings ask for, in their precision, on their device.

    Args:
        config: The settings.
        placement: Where its norms stand.
        layer: Its number in a stack; each has parameters of its own.
    """
    position = Sinusoidal() if config.positions else NoPosition()
    norm = NORMS[config.norm]
    block = TransformerBlock(
        config.d_model, 1, d_ff=2 * config.d_model, placement=placement, norm=norm, position=position,
        activation=ACTIVATIONS[config.activation], dtype=torch.float64,
    )  # fmt: skip
    block = draw_parameters(block, config.seed + layer * NEXT_SEED, bias_std=BIAS_STD)
    if config.slot_weights:
        gains = 1 + 0.5 * draw(config, "slot", config.num_tokens, 1)
        for part in PARTS:
            setattr(block, f"{part}_norm", SlotWeights(getattr(block, f"{part}_norm"), cast(config, gains)))
    block = block.to(config.torch_device, config.torch_dtype)
    return block.train()  # BatchNorm takes this batch's statistics; nothing is dropped


def block_tokens(config: NormalizationConfig) -> Tensor:
    """Its input (1, tokens, d_model)."""
    return cast(config, draw(config, "tokens", 1, config.num_tokens, config.d_model))
