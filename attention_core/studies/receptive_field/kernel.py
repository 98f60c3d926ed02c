"""Heads beside a convolution: a head that looks a fixed distance back is one tap of its kernel (``head-tap``)."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import sum_tolerance
from attention_core.measuring.inputs import generator
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all, largest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Verdict
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig, intended_targets
from attention_core.studies.receptive_field.stack import stack_of, through_first_layer

CHANNELS: Final = 4
MOST_AHEAD: Final = 10  # distances to either side that are drawn


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kernel(Record):
    """The first layer beside ``conv1d``, over the tokens that have every tap before them.

    Attributes:
        residual: Largest difference of the two outputs; 0 where no token is compared.
        bound: What rounding explains of it.
        largest: The largest number of the layer's output.
        compared: How many tokens have every tap before them.
        distances: How far back a key lies, from the furthest ahead (negative) on, int64 (distances,).
        weights: Weight at each distance, mean over the compared tokens (heads, distances).
        spread: The largest such weight less the smallest: 0 for a kernel (heads, distances).
    """

    residual: float
    bound: float
    largest: float
    compared: int
    distances: Int[np.ndarray, " distances"]
    weights: Float[np.ndarray, "heads distances"]
    spread: Float[np.ndarray, "heads distances"]


def measure_kernel(config: ReceptiveFieldConfig) -> Kernel:
    """Run the first layer with a tap of random numbers for each head's W_O, and ``conv1d`` with the same taps."""
    heads, tokens = config.heads, config.tokens
    stack = stack_of(replace(config, write_positions=False), intended_targets(config)[:1], channels=CHANNELS)
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
        residual = largest(on_cpu(output)[heads:] - F.conv1d(rows, kernel)[0].mT)
        scale = float(F.conv1d(rows.abs(), kernel.abs()).max())
    # In half precision sums are float32's, and W_O's product and the residual's sum are rounded by half an eps each.
    bound = sum_tolerance(config.torch_dtype, scale=scale, terms=(heads + 1) * CHANNELS, rounded=scale)
    distances, mean, spread = _by_distance(on_cpu(weights)[:, heads:], heads)
    return Kernel(
        residual=residual,
        bound=bound,
        largest=largest(on_cpu(output)),
        compared=compared,
        distances=distances,
        weights=mean,
        spread=spread,
    )


def kernel_verdict(config: ReceptiveFieldConfig, kernel: Kernel) -> Verdict:
    """head-tap: the first layer is a convolution, wherever its heads look a fixed distance back."""
    return judge_all(config, (TEST,), _found(config, kernel), lambda other: _found(other, measure_kernel(other)))[0]


def _found(config: ReceptiveFieldConfig, kernel: Kernel) -> dict[str, Measurement]:
    cases = _(
        "{taps} taps of {channels} × {channels}, {tokens:,} tokens",
        taps=config.heads + 1,
        channels=CHANNELS,
        tokens=kernel.compared,
    )
    return {TEST.key: Measurement(kernel.residual, kernel.bound, cases, size=kernel.largest)}


def _taps(config: ReceptiveFieldConfig) -> Theory:
    """Each head looks a fixed distance back."""
    if config.tokens <= config.heads:
        return Open(_("no token has every tap before it"))
    at = np.arange(config.heads, config.tokens)
    fixed = at - np.arange(1, config.heads + 1)[:, None]
    if (intended_targets(config)[0][:, config.heads :] != fixed).any():
        hidden = _("the sliding window hides keys further back")
        wanders = _("at each token a head looks another distance back")
        return Fails(wanders if config.weights == "random" else hidden)
    soft = config.soft and config.tokens > 1
    return Fails(_("soft heads give every visible key some weight")) if soft else Holds()


TEST: Final = ClaimTest(
    "head-tap", "≤", _("one layer of heads and a convolution differ by at most"), _("max |attention − conv1d|"),
    theory=_taps,
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
    return distances, torch.stack(mean, 1).numpy(), torch.stack(spread, 1).numpy()
