"""The picture at each d_head, from the first queries: the chosen factor, and one that it is compared with."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.arrays import Record, on_cpu
from attention_core.experiments.scaling.config import D_HEADS, SCALED, UNSCALED, ScalingConfig, expected_scores
from attention_core.experiments.scaling.curves import Counts, Floats
from attention_core.experiments.scaling.inputs import chunks
from attention_core.experiments.scaling.stats import jacobian
from attention_core.experiments.scaling.sweep import head, products
from attention_core.modules.dot_product import softmax_over_keys

QUERIES: Final = 256
SHOWN_KEYS: Final = 32
BINS: Final = 81  # odd, so that one lies around 0
_POINTS: Final = 81


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingSide(Record):
    """What one factor does at each d_head; the first axis counts the 13 values of d_head.

    Attributes:
        name: The factor as a formula: ``1`` or ``1/√d_head``.
        scores: (13, m) the shown query's scores with the shown keys.
        weights: (13, m) its weights.
        jacobian: (13, m, m) softmax's Jacobian diag(a) − aaᵀ at these weights.
        spread: (13,) standard deviation of the queries' scores.
        edges: (bins + 1,) borders of the bins of the histogram of the queries' scores: the same for each d_head.
        shares: (13, bins) its heights, the taller of the tallest bar and the normal distribution as 1.
        normal_x: (13, points) scores at which their claimed distribution N(0, d_head · factor²) is given,
        normal: (13, points) as the height of a bar there.
    """

    name: str
    scores: Floats
    weights: Floats
    jacobian: Floats
    spread: Floats
    edges: Floats
    shares: Floats
    normal_x: Floats
    normal: Floats

    def largest_weight(self, step: int) -> float:
        """The largest weight of the shown query at a step of ``D_HEADS``."""
        return float(self.weights[step].max())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingPicture(Record):
    """What the picture shows.

    Attributes:
        num_keys: How many keys there are.
        keys: (m,) which are shown, m ≤ 32: all, or those that get the largest weights.
        query: Which query is shown: of those of the picture, that whose a_max stays closest to their mean.
        queries: Number of queries in each histogram.
        chosen: What the chosen factor does.
        beside: The same for 1/√d_head, or without a factor where that is the chosen one.
    """

    num_keys: int
    keys: Counts
    query: int
    queries: int
    chosen: ScalingSide
    beside: ScalingSide


def run_picture(config: ScalingConfig) -> ScalingPicture:
    """One pass of the first queries through the module at each d_head, with two factors."""
    inputs = next(chunks(config, size=QUERIES, paired=False))
    plain = config.factor_name == SCALED
    series = [[config.factor(d_head) for d_head in D_HEADS], [1.0 if plain else 1 / math.sqrt(d) for d in D_HEADS]]
    with torch.inference_mode():
        own = products(inputs, [head(config, d_head, 1.0) for d_head in D_HEADS]).to(config.torch_dtype)
        found = [torch.stack([own[i] * factor for i, factor in enumerate(factors)]) for factors in series]
        all_scores = [on_cpu(one) for one in found]  # (13, queries, keys) each
        all_weights = [on_cpu(softmax_over_keys(one)) for one in found]
        largest = all_weights[0].amax(-1)  # (13, queries)
        query = int((largest - largest.mean(1, keepdim=True)).square().sum(0).argmin())
        best = torch.maximum(*(one[:, query].amax(0) for one in all_weights)).argsort(descending=True, stable=True)
        keys = best[:SHOWN_KEYS].sort().values
        beside = UNSCALED if plain else SCALED
        names = (config.factor_name, beside)
        chosen, other = (
            _side(config, names[i], np.array(series[i]), all_scores[i], all_weights[i], query, keys) for i in (0, 1)
        )
    return ScalingPicture(
        num_keys=config.num_keys,
        keys=keys.numpy(),
        query=query,
        queries=len(inputs.queries),
        chosen=chosen,
        beside=other,
    )


def _side(
    config: ScalingConfig, name: str, factor: Floats, scores: Tensor, weights: Tensor, query: int, keys: Tensor
) -> ScalingSide:
    sizes = np.array(D_HEADS)
    claimed = np.sqrt(sizes) * factor  # standard deviation of N(0, d_head · factor²)
    expected = [expected_scores(config, d_head) for d_head in D_HEADS]
    reach = [4.5 * max(math.sqrt(d), e.std) + abs(e.mean) + e.lead for d, e in zip(D_HEADS, expected, strict=True)]
    half = float(np.max(np.array(reach) * factor))
    edges, width = np.linspace(-half, half, BINS + 1), 2 * half / BINS
    rows = scores.flatten(1).numpy()
    shares = np.stack([np.histogram(row, BINS, (-half, half))[0] for row in rows.clip(-half, half)]) / rows.shape[1]
    x = np.linspace(-1, 1, _POINTS) * np.minimum(4.5 * claimed, half)[:, None]
    # What the normal distribution puts into a bin around x: bins may be wider than it.
    lower, upper = (torch.from_numpy((x + side * width / 2) / claimed[:, None]) for side in (-1, 1))
    normal = (torch.special.ndtr(upper) - torch.special.ndtr(lower)).numpy()
    tallest = np.maximum(shares.max(1), normal.max(1))[:, None]
    return ScalingSide(
        name=name,
        scores=scores[:, query, keys].numpy(),
        weights=weights[:, query, keys].numpy(),
        jacobian=jacobian(weights[:, query])[:, keys][:, :, keys].numpy(),
        spread=rows.std(1),
        edges=edges,
        shares=shares / tallest,
        normal_x=x,
        normal=normal / tallest,
    )
