"""What the questions share: the words' vectors and the module under study."""

import math
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.inputs import draw, draw_parameters, embed
from attention_core.modules.masks import causal_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Full, Projections
from attention_core.studies.projections.settings import BIAS_STD, POSITIONS, ProjectionsConfig

FULL = Full()
NO_TWO_WORDS: Final = _("there are no two different words")


def words(config: ProjectionsConfig, d_head: int | None = None) -> Float[Tensor, "1 tokens d_model"]:
    """The words' vectors: random directions with norms as the settings say, √d_head in each head or √d_model in all.

    Args:
        config: The settings.
        d_head: Another size of a head than the config's.
    """
    d_head = d_head or config.d_head
    parts = embed(config.tokens, config.num_heads * d_head, config.seed)
    parts = parts.unflatten(-1, (config.num_heads, d_head))  # (tokens, heads, d_head)
    over = (1, 2) if config.whole_norms else (2,)
    size = math.sqrt(d_head * config.num_heads if config.whole_norms else d_head)
    parts = parts / parts.square().sum(over, keepdim=True).sqrt() * size
    factors = torch.stack([(config.spread * draw((), config.seed, "norm", word)).exp() for word in config.tokens])
    return (parts * factors[:, None, None]).flatten(1)[None].to(config.torch_device, config.torch_dtype)


def attention(
    config: ProjectionsConfig, projections: Projections = FULL, *, layer: int = 0, d_head: int | None = None,
    **options: Any,
) -> MultiHeadAttention:  # fmt: skip
    """The module of the settings with parameters from their seed, in the settings' precision, on their device.

    Args:
        config: The settings.
        projections: Which matrices there are.
        layer: Each layer has parameters of its own.
        d_head: Another size of a head than the config's.
        options: Further arguments of the module.
    """
    d_head = d_head or config.d_head
    biases: dict[str, Any] = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), config.biases != "none")
    module = MultiHeadAttention(
        config.num_heads * d_head,
        config.num_heads,
        projections=projections,
        position=POSITIONS[config.positions],
        qk_norm=config.qk_norm,
        dtype=torch.float64,
        **biases | options,
    )
    seed = config.seed if layer == 0 else config.seed + 1_000_000 * layer
    return draw_parameters(module, seed, bias_std=BIAS_STD).to(config.torch_device, config.torch_dtype).eval()


def mask(config: ProjectionsConfig) -> Tensor | None:
    """The causal mask, where it is on."""
    return causal_mask(len(config.tokens), device=config.torch_device) if config.causal else None


def hidden_cells(config: ProjectionsConfig) -> Bool[np.ndarray, "tokens tokens"]:
    """Which cells the mask hides."""
    causal, n = mask(config), len(config.tokens)
    return np.zeros((n, n), bool) if causal is None else ~causal.cpu().numpy()
