"""Power laws through times: the exponent and how well it is known."""

import math
from typing import Final

import numpy as np

from attention_core.studies.complexity.result import Fit, Floats

MOST: Final = 5  # points, the longest: below them the cost of calling torch at all hides the law
# 97.5 % quantiles of Student's t with 1, 2 and 3 degrees of freedom.
_T_QUANTILES: Final = (12.706, 4.303, 3.182)


def fit_exponent(sizes: Floats, times: Floats) -> Fit:
    """The exponent p of ``time = c · size^p`` by least squares on logarithms, with its 95 % interval.

    ``p ± t(0.975, m − 2) · √(Σ residual² / (m − 2) / Σ (x − mean x)²)`` with x = log size, over the last m ≤ 5 sizes
    that have a time (Student's t, as in any textbook on linear regression). The interval says how well one power law
    describes these sizes; noise and curvature both widen it.

    Args:
        sizes: (s,), ascending.
        times: (s,) seconds; NaN where there is none.
    """
    timed = np.flatnonzero(np.isfinite(times))[-MOST:]
    if len(timed) < 3:
        return Fit(math.nan, math.nan, math.nan, len(timed))
    (slope, _), covariance = np.polyfit(np.log(sizes[timed]), np.log(times[timed]), 1, cov=True)
    half = _T_QUANTILES[len(timed) - 3] * math.sqrt(covariance[0, 0])
    return Fit(float(slope), slope - half, slope + half, len(timed))
