"""From what each query showed to curves over d_head, and to the picture at each d_head."""

import math
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from attention_core.experiments.scaling.config import D_HEADS, ScalingConfig
from attention_core.experiments.scaling.result import Floats, ScalingCurves, ScalingView
from attention_core.experiments.scaling.stats import jacobian
from attention_core.experiments.scaling.sweep import ROW_STATISTICS
from attention_core.experiments.verdict import tolerance

SATURATED: Final = 0.9
VANISHED: Final = 1e-6
ERRORS: Final = 5.0  # standard errors that a sampled number may be off, so that any seed passes
SHOWN_KEYS: Final = 64
_POINTS: Final = 81


def frozen(values: ArrayLike | Tensor, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    """A read-only NumPy copy."""
    array = np.array(values.numpy() if isinstance(values, Tensor) else values, dtype=dtype)
    array.setflags(write=False)
    return array


def summarise(name: str, factors: list[float], rows: Tensor, moments: Tensor, num_keys: int) -> ScalingCurves:
    """The curves of one factor.

    Args:
        name: The factor as a formula.
        factors: (13,) its value at each d_head.
        rows: (13, statistics, queries): ``ROW_STATISTICS`` of each query.
        moments: (13, 4): number of independent pairs, and sums of their scores to the powers 1, 2 and 4.
        num_keys: How many keys a row has.
    """
    statistics = dict(zip(ROW_STATISTICS, rows.numpy().transpose(1, 0, 2), strict=True))
    norms, epsilon = statistics["jacobian"], statistics["epsilon"]
    rounding = 1 + tolerance(torch.float64, scale=1, terms=4 * num_keys)
    ratio = np.divide(norms, epsilon, out=np.zeros_like(norms), where=epsilon > 0)
    gradient = statistics["gradient"]
    low, median, high = np.quantile(gradient, (0.01, 0.5, 0.99), axis=1)
    means = {key: frozen(statistics[key].mean(1)) for key in ("max_weight", "entropy", "jacobian")}
    return ScalingCurves(
        name=name,
        factor=frozen(factors),
        **_score_moments(moments.numpy()),
        **means,
        saturated=frozen((statistics["max_weight"] >= SATURATED).mean(1)),
        bound_keys=frozen(num_keys * epsilon.mean(1)),
        bound_two=frozen(2 * epsilon.mean(1)),
        above_keys=frozen((norms > num_keys * epsilon * rounding).sum(1), np.int64),
        above_two=frozen((norms > 2 * epsilon * rounding).sum(1), np.int64),
        sharpest=frozen(ratio.max(1)),
        gradient_median=frozen(median),
        gradient_mean=frozen(gradient.mean(1)),
        gradient_low=frozen(low),
        gradient_high=frozen(high),
        gradient_vanished=frozen((gradient < VANISHED).mean(1)),
        gradient_top_share=frozen(_top_share(gradient)),
        float16_zeros=frozen(statistics["float16_zeros"].mean(1)),
        bfloat16_zeros=frozen(statistics["bfloat16_zeros"].mean(1)),
    )


def _score_moments(moments: Floats) -> dict[str, Any]:
    """Mean, variance and mean square of the scores, with the standard error that the fourth moment gives them.

    ``se² = (E[s⁴] − E[s²]²) / pairs``: the pairs are independent, so this is the error of the mean of s².
    """
    pairs, mean, square, fourth = moments[:, 0], *(moments[:, 1:] / moments[:, :1]).T
    error = np.sqrt(np.maximum(fourth - square**2, 0) / pairs)
    variance = square - mean**2
    return {
        "pairs": frozen(pairs, np.int64),
        "score_mean": frozen(mean),
        "score_variance": frozen(variance),
        "score_variance_interval": frozen([variance - ERRORS * error, variance + ERRORS * error]),
        "score_square": frozen(square),
        "score_square_error": frozen(error),
    }


def _top_share(gradient: Floats) -> Floats:
    """Share of each row's sum that its largest hundredth carries; 0 where all are 0."""
    count = math.ceil(gradient.shape[1] / 100)
    total = gradient.sum(1)
    top = np.sort(gradient, axis=1)[:, -count:].sum(1)
    return np.divide(top, total, out=np.zeros_like(top), where=total > 0)


def picture(
    config: ScalingConfig, scores: Tensor, weights: Tensor, max_weight: Floats, edges: Tensor, counts: Tensor
) -> ScalingView:
    """The picture at each d_head.

    Args:
        config: Settings.
        scores: (13, queries, keys) of the first queries.
        weights: (13, queries, keys) of the first queries.
        max_weight: (13,) mean largest weight of all queries.
        edges: (13, bins + 1) borders of the histogram's bins.
        counts: (13, bins) how many scores fell into each.
    """
    miss = weights.amax(-1).numpy() - max_weight[:, None]  # (13, queries)
    query = int(np.argmin((miss**2).sum(0)))
    best = weights[:, query].amax(0).argsort(descending=True, stable=True)
    keys = best[:SHOWN_KEYS].sort().values
    widths = (edges[:, -1:] - edges[:, :1]).numpy() / counts.shape[1]
    std = np.array([math.sqrt(d_head) * config.factor(d_head) for d_head in D_HEADS])[:, None]
    x = np.linspace(edges[:, 0].numpy(), edges[:, -1].numpy(), _POINTS, axis=1)
    return ScalingView(
        query=query,
        keys=frozen(keys, np.int64),
        scores=frozen(scores[:, query, keys], np.float32),
        weights=frozen(weights[:, query, keys], np.float32),
        jacobian=frozen(jacobian(weights[:, query])[:, keys][:, :, keys], np.float32),
        score_edges=frozen(edges),
        score_shares=frozen(counts.numpy() / (config.num_queries * config.num_keys)),
        normal_x=frozen(x),
        normal_shares=frozen(np.exp(-0.5 * (x / std) ** 2) / (std * math.sqrt(2 * math.pi)) * widths),
    )
