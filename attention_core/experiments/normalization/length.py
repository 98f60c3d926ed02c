"""How long LayerNorm's output is: |γ|√d on a sphere, but for ε (``ln-norm``)."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import nn

from attention_core.experiments.bounds import tolerance
from attention_core.experiments.judge import array, judge, on_cpu
from attention_core.experiments.normalization.config import NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw
from attention_core.experiments.verdict import Provenance, Result, Verdict
from attention_core.modules.normalization import LayerNorm

POINTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthResult(Result):
    """Random vectors before and after LayerNorm, with one γ for all features or one for each, and one β.

    Attributes:
        before: The vectors (points, d_model).
        centred: The vectors less their mean over features.
        after: LayerNorm's output, NaN where it divides 0 by 0.
        lengths: ‖y − β1‖ of each (points,).
        predicted: ‖γ ∘ x̂‖·σ/√(σ² + ε) of each, with x̂ the centred vector of standard deviation 1.
        radius: |γ|√d; of several gains, their root mean square in place of |γ|.
        off_sphere: Largest | ‖y − β1‖ − |γ|√d |.
        verdicts: ``ln-norm`` as the source has it, with ε, and for several gains.
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
    if config.own_gammas:
        module.weight.mul_(cast(config, 1 + 0.5 * draw(config, "gammas", d)))
    exact, y = on_cpu(x), on_cpu(module(x[None])[0])
    gammas, beta = on_cpu(module.weight), float(module.bias[0])  # as the precision stores them
    sigma = torch.zeros(POINTS, dtype=torch.float64) if config.constant else exact.std(1, correction=0)
    radius = float(gammas.square().mean().sqrt()) * math.sqrt(d)
    shrunk = sigma / (sigma.square() + config.eps).sqrt()
    centred = exact - exact.mean(1, keepdim=True)
    stretch = radius * torch.ones_like(sigma)
    if config.own_gammas and not config.constant:
        stretch = (gammas * centred / sigma[:, None]).norm(dim=1)
    predicted = stretch * shrunk
    lengths = (y - beta).norm(dim=1)
    # y is γz + β, rounded once in its own precision; z comes from two sums over d and a root. d errors together are
    # √d times as long as one, and centring loses what the mean is larger than the spread.
    kept = 1 + exact.abs().amax(1) / sigma.clamp(min=torch.finfo(torch.float64).tiny)
    largest = float(gammas.abs().max()) * math.sqrt(d)
    size = largest * (float(kept.max()) if not config.constant else 1.0) + abs(beta) * math.sqrt(d)
    bound = tolerance(config.torch_dtype, scale=size, terms=d if _is_full(config) else 3)
    off = float((lengths - radius).abs().max())
    missed = float((lengths - predicted).abs().max())
    least = float(gammas.abs().min()) * math.sqrt(d)
    outside = float(torch.maximum(least * shrunk - lengths, lengths - largest * shrunk).max())
    cases = f"{POINTS} vectors, d = {d}"
    undefined = "0 / 0: a constant token and ε = 0" if config.constant and config.eps == 0 else ""
    parts = ["the gain of each feature"] * config.own_gammas + ["ε"] * (config.eps > 0)
    note = f"with {' and '.join(parts)} in the formula" if parts else ""
    broken, undecided = _off_sphere(config, float((predicted - radius).abs().max()), bound)
    return LengthResult(
        before=array(x),
        centred=array(centred),
        after=array(y),
        lengths=array(lengths),
        predicted=array(predicted),
        radius=radius,
        off_sphere=off,
        verdicts=(
            judge(config, "ln-norm.sphere", off, "≤", bound, cases=cases, broken=undefined or broken,
                  undecided="" if undefined else undecided,
                  says="the lengths are off |γ|√d by at most", quantity="max | ‖y − β1‖ − |γ|√d |"),
            judge(config, "ln-norm.formula", missed, "≤", bound, cases=cases, broken=undefined, note=note,
                  says="the lengths are off what it gives by at most",
                  quantity="max | ‖y − β1‖ − ‖γ ∘ x̂‖·σ/√(σ²+ε) |"),
            judge(config, "ln-norm.between", outside, "≤", bound, cases=cases, broken=undefined, note=note,
                  says="they leave the span from min|γ|√d to max|γ|√d, each times σ/√(σ²+ε), by at most",
                  quantity="max of min|γ|√d·s − ‖y − β1‖ and ‖y − β1‖ − max|γ|√d·s"),
        ),
        provenance=Provenance.of(config),
    )  # fmt: skip


def _off_sphere(config: NormalizationConfig, foreseen: float, bound: float) -> tuple[str, str]:
    """What takes the lengths off the sphere, and else what leaves it undecided, by how far the formula foresees."""
    if config.constant:
        return ("" if config.gamma == 0 else config.about("length")), ""
    words = ["each feature has a gain of its own"] * config.own_gammas + ["ε takes part in the division"] * (
        config.eps > 0
    )
    if foreseen > 2 * bound:
        return "; ".join(words), ""
    return (
        "",
        f"what the formula foresees is near what rounding of {config.dtype} explains" if foreseen > bound else "",
    )


def _is_full(config: NormalizationConfig) -> bool:
    return config.dtype in ("float64", "float32")
