"""The picture at each d_head, from the first queries: the chosen factor, and one that it is compared with."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.measuring.arrays import Record, on_cpu
from attention_core.modules.dot_product import softmax_over_keys
from attention_core.studies.scaling.curves import Counts, Floats
from attention_core.studies.scaling.inputs import chunks
from attention_core.studies.scaling.settings import D_HEADS, SCALED, UNSCALED, ScalingConfig
from attention_core.studies.scaling.stats import jacobian
from attention_core.studies.scaling.sweep import head, products

QUERIES: Final = 256
SHOWN_KEYS: Final = 32
RANKED: Final = 24
BINS: Final = 41


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingSide(Record):
    """What one factor does at each d_head; the first axis counts the 13 values of d_head.

    Attributes:
        name: The factor as a formula: ``1`` or ``1/√d_head``.
        scores: (13, m) the shown query's scores with the shown keys.
        weights: (13, m) its weights.
        jacobian: (13, m, m) softmax's Jacobian diag(a) − aaᵀ at these weights.
        ranked: (13, r) its largest weights of all keys, largest first, r ≤ 24.
        mean: (13,) mean of the queries' scores.
        spread: (13,) their standard deviation.
        edges: (13, bins + 1) borders of the bins of their histogram, from the smallest score to the largest.
        shares: (13, bins) its heights, the tallest as 1.
    """

    name: str
    scores: Floats
    weights: Floats
    jacobian: Floats
    ranked: Floats
    mean: Floats
    spread: Floats
    edges: Floats
    shares: Floats

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
        chosen, other = (_side(names[i], all_scores[i], all_weights[i], query, keys) for i in (0, 1))
    return ScalingPicture(
        num_keys=config.num_keys,
        keys=keys.numpy(),
        query=query,
        queries=len(inputs.queries),
        chosen=chosen,
        beside=other,
    )


def _side(name: str, scores: Tensor, weights: Tensor, query: int, keys: Tensor) -> ScalingSide:
    rows = scores.flatten(1).numpy()
    room = 1e-6 * np.abs(rows).max(1, initial=1e-6)  # equal scores have bins that can be told apart, too
    found = [
        np.histogram(row, BINS, (row.min() - more, row.max() + more)) for row, more in zip(rows, room, strict=True)
    ]
    counts, edges = (np.stack(part) for part in zip(*found, strict=True))
    return ScalingSide(
        name=name,
        scores=scores[:, query, keys].numpy(),
        weights=weights[:, query, keys].numpy(),
        jacobian=jacobian(weights[:, query])[:, keys][:, :, keys].numpy(),
        ranked=weights[:, query].sort(descending=True).values[:, :RANKED].numpy(),
        mean=rows.mean(1),
        spread=rows.std(1),
        edges=edges,
        shares=counts / counts.max(1, keepdims=True),
    )
