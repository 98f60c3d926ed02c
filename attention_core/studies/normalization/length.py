"""How long LayerNorm's output is: |γ|√d on a sphere, but for ε (``ln-norm``)."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import nn

from attention_core.language import SEMICOLON, joined, listed
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import sum_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.normalization import LayerNorm
from attention_core.studies.normalization.parts import cast, draw
from attention_core.studies.normalization.settings import NormalizationConfig

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
    """

    before: np.ndarray
    centred: np.ndarray
    after: np.ndarray
    lengths: np.ndarray
    predicted: np.ndarray
    radius: float
    off_sphere: float


def run_length(config: NormalizationConfig) -> LengthResult:
    """Normalise 200 vectors and measure how long they come out."""
    return run_tests(LengthResult, config, TESTS, _measure)


def _measure(config: NormalizationConfig) -> Measurements:
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
    lengths, predicted = (y - beta).norm(dim=1), stretch * shrunk
    # z of y = γz + β comes from two sums over d and a root. d errors together are √d times as long as one, and
    # centring loses what the mean is larger than the spread.
    kept = 1 + exact.abs().amax(1) / sigma.clamp(min=torch.finfo(torch.float64).tiny)
    least, most = (float(end) * math.sqrt(d) for end in gammas.abs().aminmax())
    shift = abs(beta) * math.sqrt(d)
    scale = most * (float(kept.max()) if not config.constant else 1.0) + shift
    # In half precision the output is rounded by half an eps, and once more by the gain: an eps of its length.
    bound = sum_tolerance(config.torch_dtype, scale=scale, terms=d, rounded=most + shift)
    parts = [_("the gain of each feature")] * config.own_gammas + ["ε"] * (config.eps > 0)
    note = _("with {parts} in the formula", parts=listed(parts)) if parts else ""
    cases = _("{count} drawn vectors, d = {size}", count=POINTS, size=d)
    held = (bound, cases, float(predicted.max()) or radius, "")
    found = {
        "ln-norm.sphere": Measurement(largest(lengths - radius), *held),
        "ln-norm.formula": Measurement(largest(lengths - predicted), *held, note),
        "ln-norm.between": Measurement(float(torch.maximum(least * shrunk - lengths, lengths - most * shrunk).max()),
                                 *held, note),
    }  # fmt: skip
    return found, {
        "before": x, "centred": centred, "after": y, "lengths": lengths, "predicted": predicted, "radius": radius,
        "off_sphere": found["ln-norm.sphere"].measured,
    }  # fmt: skip


def _formula(config: NormalizationConfig) -> Theory:
    """The lengths that the formula gives; with γ = 0 the sphere is a point."""
    if config.constant and config.eps == 0:
        return Fails(_("a constant token and ε = 0 leave 0 ÷ 0"))
    point = _("γ is 0, so every output is β whatever is normalised")
    return Open(point) if config.gamma == 0 else Holds()


def _sphere(config: NormalizationConfig) -> Theory:
    """The lengths are those of a sphere where the formula knows neither ε nor several gains."""
    theory = _formula(config)
    if not isinstance(theory, Holds):
        return theory
    if config.constant:
        return Fails(_("a constant token has no spread to divide by"), size=_off_sphere(config))
    parts = [_("each feature has a gain of its own")] * config.own_gammas
    parts += [_("ε takes part in the division")] * (config.eps > 0)
    return Fails(joined(SEMICOLON, parts), size=_off_sphere(config)) if parts else Holds()


def _off_sphere(config: NormalizationConfig) -> float:
    """How far the formula with ε and several gains is from the sphere."""
    _, exact = _measure(replace(config, dtype="float64", device="cpu"))
    return largest(exact["predicted"] - exact["radius"])


TESTS: Final = (
    ClaimTest("ln-norm.sphere", "≤", _("the lengths differ from |γ|√d by at most"), "max | ‖y − β1‖ − |γ|√d |",
              theory=_sphere, rounds=False),
    ClaimTest("ln-norm.formula", "≤", _("the lengths differ from what the formula gives by at most"),
              "max | ‖y − β1‖ − ‖γ ∘ x̂‖·σ/√(σ²+ε) |", theory=_formula),
    ClaimTest("ln-norm.between", "≤",
              _("the most that a length lies outside of min|γ|√d to max|γ|√d, each times σ/√(σ²+ε), is"),
              _("max of min|γ|√d·s − ‖y − β1‖ and ‖y − β1‖ − max|γ|√d·s"), theory=_formula),
)  # fmt: skip
