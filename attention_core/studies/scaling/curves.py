"""From what each query showed to curves over d_head."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.measuring.arrays import Record
from attention_core.measuring.bounds import tolerance

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

SATURATED: Final = 0.9
VANISHED: Final = 1e-6
ERRORS: Final = 5.0  # standard errors that a sampled number may be off, so that any seed passes
ROW_STATISTICS: Final = (
    "max_weight",
    "entropy",
    "jacobian",
    "epsilon",
    "naive_epsilon",
    "gradient",
    "float16_zeros",
    "bfloat16_zeros",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingCurves(Record):
    """What one factor of the scores does over d_head = 1, 2, 4 … 4096; each array is (13,) unless said otherwise.

    Attributes:
        name: The factor as a formula: ``1`` or ``1/√d_head``.
        factor: What q·k is multiplied by.
        pairs: How many independent (q, k) pairs the score's moments are from.
        score_mean: Mean score, of independent pairs.
        score_variance: Variance of the score, of independent pairs.
        score_variance_interval: (2, 13): five standard errors below and above it, from the fourth moment.
        score_square: Mean squared score.
        score_square_error: Standard error of the mean squared score, from the fourth moment.
        max_weight: Mean over queries of the largest weight, a_max.
        saturated: Share of queries with a_max ≥ 0.9.
        entropy: Mean entropy of a query's weights in nats.
        jacobian: Mean ‖J‖_F of softmax's Jacobian.
        bound_keys: Mean of the bound nε, n the number of keys and ε what the largest weight leaves to the others.
        bound_two: Mean of the bound 2ε.
        above_keys: Queries with ‖J‖_F > nε.
        above_two: Queries with ‖J‖_F > 2ε.
        sharpest: Largest ‖J‖_F / ε of all queries.
        gradient_median: Median over queries of ‖∂L/∂q‖.
        gradient_mean: Mean over queries of ‖∂L/∂q‖.
        gradient_low: 1 % quantile of ‖∂L/∂q‖.
        gradient_high: 99 % quantile of ‖∂L/∂q‖.
        gradient_vanished: Share of queries with ‖∂L/∂q‖ < 10⁻⁶.
        gradient_top_share: Share of the mean that the 1 % of queries with the largest ‖∂L/∂q‖ carry.
        float16_zeros: Share of weights that are 0 once stored in float16.
        bfloat16_zeros: Share of weights that are 0 once stored in bfloat16.
    """

    name: str
    factor: Floats
    pairs: Counts
    score_mean: Floats
    score_variance: Floats
    score_variance_interval: Floats
    score_square: Floats
    score_square_error: Floats
    max_weight: Floats
    saturated: Floats
    entropy: Floats
    jacobian: Floats
    bound_keys: Floats
    bound_two: Floats
    above_keys: Counts
    above_two: Counts
    sharpest: Floats
    gradient_median: Floats
    gradient_mean: Floats
    gradient_low: Floats
    gradient_high: Floats
    gradient_vanished: Floats
    gradient_top_share: Floats
    float16_zeros: Floats
    bfloat16_zeros: Floats


def summarise(
    name: str, factors: list[float], rows: Floats, sums: Floats, num_keys: int
) -> tuple[ScalingCurves, ScalingCurves]:
    """The curves of one factor, and the same with ε as 1 − a_max.

    Args:
        name: The factor as a formula.
        factors: (13,) its value at each d_head.
        rows: (statistics, 13, queries): ``ROW_STATISTICS`` of each query.
        sums: (13, 4): number of independent pairs, and sums of their scores to the powers 1, 2 and 4.
        num_keys: How many keys a row has.
    """
    statistics = dict(zip(ROW_STATISTICS, rows, strict=True))
    gradient = statistics["gradient"]
    low, median, high = np.quantile(gradient, (0.01, 0.5, 0.99), axis=1)
    exact, naive = (
        _bounds(statistics["jacobian"], statistics[epsilon], num_keys) for epsilon in ("epsilon", "naive_epsilon")
    )
    curves = ScalingCurves(
        name=name,
        factor=np.array(factors),
        **_score_moments(sums),
        **{key: statistics[key].mean(1) for key in ("max_weight", "entropy", "jacobian")},
        **exact,
        saturated=(statistics["max_weight"] >= SATURATED).mean(1),
        gradient_median=median,
        gradient_mean=gradient.mean(1),
        gradient_low=low,
        gradient_high=high,
        gradient_vanished=(gradient < VANISHED).mean(1),
        gradient_top_share=_top_share(gradient),
        float16_zeros=statistics["float16_zeros"].mean(1),
        bfloat16_zeros=statistics["bfloat16_zeros"].mean(1),
    )
    return curves, replace(curves, **naive)


def _bounds(norms: Floats, epsilon: Floats, num_keys: int) -> dict[str, Any]:
    """The bounds nε and 2ε, how many rows are above them, and how near any row comes."""
    rounding = 1 + tolerance(torch.float64, scale=1, terms=4 * num_keys)
    ratio = np.divide(norms, epsilon, out=np.zeros_like(norms), where=epsilon > 0)
    return {
        "bound_keys": num_keys * epsilon.mean(1),
        "bound_two": 2 * epsilon.mean(1),
        "above_keys": (~(norms <= num_keys * epsilon * rounding)).sum(1),  # NaN is above any bound
        "above_two": (~(norms <= 2 * epsilon * rounding)).sum(1),
        "sharpest": ratio.max(1),
    }


def _score_moments(sums: Floats) -> dict[str, Any]:
    """Mean, variance and mean square of the scores, with the standard error that the fourth moment gives them.

    ``se² = (E[s⁴] − E[s²]²) / pairs``: the pairs are independent, so this is the error of the mean of s².
    """
    pairs, mean, square, fourth = sums[:, 0], *(sums[:, 1:] / sums[:, :1]).T
    error = np.sqrt(np.maximum(fourth - square**2, 0) / pairs)
    variance = square - mean**2
    return {
        "pairs": pairs.astype(np.int64),
        "score_mean": mean,
        "score_variance": variance,
        "score_variance_interval": np.stack([variance - ERRORS * error, variance + ERRORS * error]),
        "score_square": square,
        "score_square_error": error,
    }


def _top_share(gradient: Floats) -> Floats:
    """Share of each row's sum that its largest hundredth carries; 0 where all are 0."""
    count = math.ceil(gradient.shape[1] / 100)
    total = gradient.sum(1)
    top = np.partition(gradient, -count, axis=1)[:, -count:].sum(1)
    return np.divide(top, total, out=np.zeros_like(top), where=total > 0)
