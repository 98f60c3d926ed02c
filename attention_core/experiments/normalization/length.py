"""How long LayerNorm's output is: |γ|√d on a sphere, but for ε (``ln-norm``)."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import nn

from attention_core.experiments.judge import array, judge, on_cpu
from attention_core.experiments.normalization.config import TOPICS, NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw
from attention_core.experiments.verdict import Provenance, Verdict, tolerance
from attention_core.modules.normalization import LayerNorm

POINTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthResult:
    """Random vectors before and after LayerNorm with one γ and one β for all features.

    Attributes:
        before: The vectors (points, d_model).
        centred: The vectors less their mean over features.
        after: LayerNorm's output, NaN where it divides 0 by 0.
        lengths: ‖y − β1‖ of each (points,).
        predicted: |γ|√d·σ/√(σ² + ε) of each.
        radius: |γ|√d.
        off_sphere: Largest | ‖y − β1‖ − |γ|√d |.
        verdicts: ``ln-norm`` as the source has it, and with ε.
        provenance: Where the numbers come from.
    """

    before: np.ndarray
    centred: np.ndarray
    after: np.ndarray
    lengths: np.ndarray
    predicted: np.ndarray
    radius: float
    off_sphere: float
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_length(config: NormalizationConfig) -> LengthResult:
    """Normalise 200 vectors and measure how long they come out.

    Args:
        config: The settings.
    """
    d = config.d_model
    drawn = draw(config, "points", POINTS, d) * config.input_std
    x = cast(config, drawn[:, :1].expand(-1, d) if config.constant else drawn)
    module = LayerNorm(eps=config.eps).build(d, device=config.torch_device, dtype=config.torch_dtype)
    assert isinstance(module, nn.LayerNorm)
    nn.init.constant_(module.weight, config.gamma)
    nn.init.constant_(module.bias, config.beta)
    exact, y = on_cpu(x), on_cpu(module(x[None])[0])
    gamma, beta = float(module.weight[0]), float(module.bias[0])  # as the precision stores them
    sigma = torch.zeros(POINTS, dtype=torch.float64) if config.constant else exact.std(1, correction=0)
    radius = abs(gamma) * math.sqrt(d)
    predicted = radius * sigma / (sigma.square() + config.eps).sqrt()
    lengths = (y - beta).norm(dim=1)
    # y is γz + β, rounded once in its own precision; z comes from two sums over d and a root. d errors together are
    # √d times as long as one, and centring loses what the mean is larger than the spread.
    kept = 1 + exact.abs().amax(1) / sigma.clamp(min=torch.finfo(torch.float64).tiny)
    size = radius * (float(kept.max()) if not config.constant else 1.0) + abs(beta) * math.sqrt(d)
    bound = tolerance(config.torch_dtype, scale=size, terms=d if _is_full(config) else 3)
    off = float((lengths - radius).abs().max())
    missed = float((lengths - predicted).abs().max())
    worst = float((predicted - radius).abs().max())
    nothing = config.constant and config.gamma != 0
    why = config.about(TOPICS[1]) if nothing else "ε takes part in the division" if worst > bound else ""
    undefined = "0 / 0: a constant token and ε = 0" if config.constant and config.eps == 0 else ""
    cases = f"{POINTS} vectors, d = {d}"
    return LengthResult(
        before=array(x),
        centred=array(exact - exact.mean(1, keepdim=True)),
        after=array(y),
        lengths=array(lengths),
        predicted=array(predicted),
        radius=radius,
        off_sphere=off,
        verdicts=(
            judge(config, "ln-norm", "max | ‖y − β1‖ − |γ|√d |", off, "≤", bound, cases=cases,
                    because=undefined or why),
            judge(config, "ln-norm", "max | ‖y − β1‖ − |γ|√d·σ/√(σ²+ε) |", missed, "≤", bound, cases=cases,
                    because=undefined),
        ),
        provenance=Provenance.of(config),
    )  # fmt: skip


def _is_full(config: NormalizationConfig) -> bool:
    return config.dtype in ("float64", "float32")
