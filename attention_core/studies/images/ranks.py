"""How far two lists agree on what is more: the rank correlation."""

import math

import numpy as np
from jaxtyping import Float


def rank_correlation(one: Float[np.ndarray, " n"], other: Float[np.ndarray, " n"]) -> float:
    """Spearman (1904): the correlation of the ranks, of which equal numbers share the mean.

    NaN where all numbers of a list are equal.
    """
    ranks = [_ranks(each) for each in (one, other)]
    centred = [each - each.mean() for each in ranks]
    sizes = math.sqrt(float((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return float((centred[0] * centred[1]).sum()) / sizes if sizes else math.nan


def _ranks(values: np.ndarray) -> np.ndarray:
    below = (values[None, :] < values[:, None]).sum(1)
    equal = (values[None, :] == values[:, None]).sum(1)
    return below + (equal + 1) / 2
