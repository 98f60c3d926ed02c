"""Heads beside a convolution: a head that looks a fixed distance back is one tap of its kernel (``head-tap``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.experiments.bounds import is_half, tolerance
from attention_core.experiments.inputs import generator
from attention_core.experiments.judge import array, frozen, judge, on_cpu
from attention_core.experiments.receptive_field.config import ReceptiveFieldConfig, intended_targets
from attention_core.experiments.receptive_field.stack import attention_mask, build_stack, through_first_layer
from attention_core.experiments.verdict import Verdict

CHANNELS: Final = 4
MOST_AHEAD: Final = 10  # distances to either side that are drawn


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kernel:
    """The first layer beside ``conv1d``, over the tokens that have every tap before them.

    Attributes:
        residual: Largest difference of the two outputs; 0 where no token is compared.
        bound: What rounding explains of it.
        compared: How many tokens have every tap before them.
        distances: How far back a key lies, from the furthest ahead (negative) on, int64 (distances,).
        weights: Weight at each distance, mean over the compared tokens (heads, distances).
        spread: The largest such weight less the smallest: 0 for a kernel (heads, distances).
    """

    residual: float
    bound: float
    compared: int
    distances: Int[np.ndarray, " distances"]
    weights: Float[np.ndarray, "heads distances"]
    spread: Float[np.ndarray, "heads distances"]


def measure_kernel(config: ReceptiveFieldConfig) -> Kernel:
    """Run the first layer with a tap of random numbers for each head's W_O, and ``conv1d`` with the same taps.

    Args:
        config: The settings.
    """
    heads, tokens = config.heads, config.tokens
    stack = build_stack(
        intended_targets(config)[:1],
        channels=CHANNELS,
        temperature=config.temperature if config.soft else None,
        mask=attention_mask(config.mask, config.window, tokens),
        residual=config.residual,
        dtype=config.torch_dtype,
        device=config.torch_device,
    )
    stream = generator(config.seed, "kernel")
    drawn = torch.randn(heads, CHANNELS, CHANNELS, generator=stream, dtype=torch.float64) / CHANNELS**0.5
    content = torch.randn(tokens, CHANNELS, generator=stream, dtype=torch.float64)
    taps, content = drawn.to(config.torch_dtype), content.to(config.torch_dtype)
    (layer,) = stack.layers
    assert layer.o_weight is not None
    layer.o_weight.view(tokens + CHANNELS, heads, -1)[tokens:, :, :CHANNELS] = taps.movedim(0, 1)
    output, weights = through_first_layer(stack, content)

    own = torch.eye(CHANNELS, dtype=torch.float64)[None] * config.residual
    kernel = torch.cat((own, taps.to(torch.float64))).flip(0).permute(1, 2, 0)  # (out, in, taps), the furthest first
    rows = content.to(torch.float64).mT[None]
    compared = max(0, tokens - heads)
    residual, scale = 0.0, 0.0
    if compared:
        residual = float((on_cpu(output)[heads:] - F.conv1d(rows, kernel)[0].mT).abs().max())
        scale = float(F.conv1d(rows.abs(), kernel.abs()).max())
    terms = 4 if is_half(config.torch_dtype) else (heads + 1) * CHANNELS
    distances, mean, spread = _by_distance(on_cpu(weights)[:, heads:], heads)
    return Kernel(
        residual=residual,
        bound=tolerance(config.torch_dtype, scale=scale, terms=terms),
        compared=compared,
        distances=distances,
        weights=mean,
        spread=spread,
    )


def kernel_verdict(config: ReceptiveFieldConfig, kernel: Kernel) -> Verdict:
    """head-tap: the first layer is a convolution, wherever its heads look a fixed distance back.

    Args:
        config: The settings.
        kernel: What was measured.
    """
    at = np.arange(config.heads, config.tokens)
    fixed = at - np.arange(1, config.heads + 1)[:, None]
    targets = intended_targets(config)[0][:, config.heads :]
    broken = "soft heads give every visible key some weight" if config.soft and config.tokens > 1 else ""
    if (targets != fixed).any():
        broken = (
            "the sliding window hides keys further back"
            if config.weights != "random"
            else "where a head looks changes from token to token"
        )
    return judge(
        config, "head-tap", kernel.residual, "≤", kernel.bound,
        says="one layer of heads and a convolution differ by at most", quantity="max |attention − conv1d|",
        cases=f"{config.heads + 1} taps of {CHANNELS} × {CHANNELS}, {kernel.compared:,} tokens",
        broken=broken, undecided="" if kernel.compared else "no token has every tap before it",
        exact=lambda other: measure_kernel(other).residual,
    )  # fmt: skip


def _by_distance(
    weights: Tensor, first: int
) -> tuple[Int[np.ndarray, " distances"], Float[np.ndarray, "heads distances"], Float[np.ndarray, "heads distances"]]:
    """Mean and spread of the weights over queries, by the distance of the key; queries begin at ``first``."""
    heads, queries, keys = weights.shape
    most = min(keys - 1, max(MOST_AHEAD, heads + 1))
    distances, mean, spread = np.arange(-most, most + 1), [], []
    for distance in distances.tolist():
        here = weights.diagonal(first - distance, 1, 2) if queries else weights.new_zeros(heads, 0)
        seen = here.shape[-1] > 0
        mean.append(here.mean(-1) if seen else torch.zeros(heads, dtype=torch.float64))
        spread.append(here.amax(-1) - here.amin(-1) if seen else torch.zeros(heads, dtype=torch.float64))
    return frozen(distances), array(torch.stack(mean, 1)), array(torch.stack(spread, 1))
