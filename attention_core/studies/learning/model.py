"""The model that learns: a table of token vectors, this package's transformer, and a readout; and one flat vector."""

from collections.abc import Mapping
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.measuring.inputs import draw_parameters
from attention_core.modules.allocate import allocate
from attention_core.modules.block import PreNorm, TransformerBlock
from attention_core.modules.feed_forward import ReLU
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.stack import Decoder, Encoder
from attention_core.studies.learning.settings import PLACEMENTS, PROJECTIONS, LearningConfig

BIAS_STD: Final = 0.1
ROLES: Final = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")


class TokenModel(nn.Module):
    """Token numbers in, a score for each kind of token out, in every slot.

    Attributes:
        table: One vector for each kind ``(kinds, d_model)``.
        stack: An :class:`Encoder`, or where each token sees only those up to itself a :class:`Decoder`.
        readout: The last linear layer.
    """

    def __init__(self, config: LearningConfig) -> None:
        super().__init__()
        placement = PLACEMENTS[config.placement]
        build = Decoder if config.causal else Encoder
        self.table = nn.Parameter(torch.empty(config.kinds, config.d_model, dtype=torch.float64))
        self.stack = build(
            config.d_model,
            config.heads,
            config.layers,
            final_norm=isinstance(placement, PreNorm),
            d_head=config.head_size,
            d_ff=None if config.feed_forward else 0,
            activation=ReLU(),
            placement=placement,
            position=config.position,
            projections=PROJECTIONS[config.projections],
            scale=config.score_scale,
            dtype=torch.float64,
            q_bias=config.biases,
            k_bias=config.biases,
            v_bias=config.biases,
            o_bias=config.biases,
        )
        self.readout = nn.Linear(config.d_model, config.kinds, dtype=torch.float64)

    def forward(self, tokens: Int[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens kinds"]:
        """The scores of all kinds in every slot."""
        return self.readout(self.stack(F.embedding(tokens, self.table)))

    @property
    def attentions(self) -> list[MultiHeadAttention]:
        """The attention of each layer, from the bottom."""
        return [block.self_attention for block in self.stack.layers if isinstance(block, TransformerBlock)]


def shapes_only(config: LearningConfig) -> TokenModel:
    """The model without memory or numbers: torch would draw some, from the stream that all sessions share."""
    with torch.device("meta"):
        return TokenModel(config)


def blank_model(config: LearningConfig, device: torch.device | str, dtype: torch.dtype) -> TokenModel:
    """The model with memory, and no numbers in it yet."""
    return allocate(shapes_only(config), device=device, dtype=dtype)


def draw_model(config: LearningConfig) -> TokenModel:
    """The model before its first step, in float64 on the CPU: one seed is one start in every precision.

    Token vectors are N(0, 1), matrices N(0, 1/fan_in), W_Q and W_K times ``start``, biases N(0, 0.1²).
    """
    model = blank_model(config, "cpu", torch.float64)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1.0)  # the norms' gains stay as they are
        draw_parameters(model, config.seed, bias_std=BIAS_STD)
        for attention in model.attentions:
            assert attention.in_weight is not None
            matrices = attention.in_weight.view(-1, attention.num_heads * attention.d_head, attention.d_model)
            for block in set(attention.projections.blocks[:2]):
                matrices[block].mul_(config.start)
    return model


def by_role(model: TokenModel, named: Mapping[str, Tensor]) -> list[list[Tensor | None]]:
    """For each layer what belongs to its attention's ``ROLES``; None where there is no such parameter.

    Args:
        model: The model.
        named: Something for each parameter, by its name: its values, or its gradient.
    """
    names = {id(parameter): name for name, parameter in model.named_parameters()}

    def of(parameter: Tensor | None) -> Tensor | None:  # tied biases are one parameter, which has one name
        return None if parameter is None else named[names[id(parameter)]]

    found = []
    for attention in model.attentions:
        packed = of(attention.in_weight)
        assert packed is not None
        matrices = packed.view(-1, attention.num_heads * attention.d_head, attention.d_model)
        biases = (attention.q_bias, attention.k_bias, attention.v_bias, attention.o_bias)
        others = [of(each) for each in (attention.o_weight, *biases)]
        found.append([matrices[block] for block in attention.projections.blocks] + others)
    return found
