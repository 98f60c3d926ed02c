"""Times as a clock would have given them, for what is drawn of them."""

import math
from typing import Final

import numpy as np

from attention_core.measuring.verdict import Provenance
from attention_core.studies.complexity import Fit, TimeCurves, TimesConfig, TimeShares

PROVENANCE: Final = Provenance(seed=0, dtype="float64", device="cpu")
MEDIAN: Final = np.array([[1.0, 2.0, 4.0, np.nan], [1.0, 1.5, 2.0, 3.0], [3.0, 6.0, 12.0, np.nan]]) / 1000
FIT: Final = Fit(1.25, 1.0, 1.5, 3)
CURVES: Final = TimeCurves(
    config=TimesConfig(d_model=32),
    sizes=np.array([16, 32, 64, 128]),
    names=("explicit", "fused", "loop"),
    median=MEDIAN,
    low=MEDIAN * 0.9,
    high=MEDIAN * 1.2,
    flops=np.array([1.0, 2, 4, 8]),
    fits=(FIT, FIT, Fit(math.nan, math.nan, math.nan, 2)),
    flop_fits=(FIT, FIT, FIT),
    left_out=("explicit at n = 128: too long for 4 s.", "loop at n = 128: too long for 4 s."),
    provenance=PROVENANCE,
)
SHARES: Final = TimeShares(
    config=TimesConfig(sweep="shares"),
    sizes=np.array([32, 64]),
    widths=np.array([32, 64, 128]),
    share=np.array([[0.6, 0.8], [0.4, np.nan], [0.2, 0.5]]),
    flop_share=np.array([[0.33, 0.5], [0.2, 0.33], [0.11, 0.2]]),
    crossing=0.75,
    left_out=("core at n = 64, d_model = 64: too long for 4 s.",),
    provenance=PROVENANCE,
)
