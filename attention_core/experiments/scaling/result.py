"""What the scaling experiment gives: curves over d_head, the picture at each d_head, verdicts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.experiments.scaling.config import ScalingConfig, check_d_head
from attention_core.experiments.verdict import Provenance, Verdict

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingCurves:
    """What one factor of the scores does over d_head = 1, 2, 4 … 4096; each array is (13,) unless said otherwise.

    Attributes:
        name: The factor as a formula: ``1`` or ``1/√d_head``.
        factor: What q·k is multiplied by.
        pairs: How many independent (q, k) pairs the score's moments are from.
        score_mean: Mean score, of independent pairs.
        score_variance: Variance of the score, of independent pairs.
        score_variance_interval: (2, 13): five standard errors below and above it, from the fourth moment.
        score_square: Mean squared score, and
        score_square_error: its standard error, from the fourth moment.
        max_weight: Mean over queries of the largest weight, a_max.
        saturated: Share of queries with a_max ≥ 0.9.
        entropy: Mean entropy of a query's weights in nats.
        jacobian: Mean ‖J‖_F of softmax's Jacobian.
        bound_keys: Mean of the bound nε, n the number of keys and ε what the largest weight leaves to the others.
        bound_two: Mean of the bound 2ε.
        above_keys: Queries with ‖J‖_F > nε.
        above_two: Queries with ‖J‖_F > 2ε.
        sharpest: Largest ‖J‖_F / ε of all queries.
        gradient_median: Median over queries of ‖∂L/∂q‖, and
        gradient_mean: its mean,
        gradient_low: 1 % quantile,
        gradient_high: 99 % quantile.
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingView:
    """The picture at each d_head, for the chosen scale; the first axis counts the 13 values of d_head.

    Attributes:
        query: Which query is shown: of the first ones, that whose a_max stays closest to the mean of all.
        keys: (m,) which keys are shown, m ≤ 64: all, or those that get the largest weights.
        scores: (13, m) the query's scores, float32.
        weights: (13, m) its weights, float32.
        jacobian: (13, m, m) softmax's Jacobian diag(a) − aaᵀ at these weights, float32.
        score_edges: (13, bins + 1) borders of the bins of the histogram of all queries' scores with all keys.
        score_shares: (13, bins) its heights: share of the scores in each bin.
        normal_x: (13, points) scores at which their claimed distribution N(0, d_head · factor²) is given,
        normal_shares: (13, points) as the share that it puts into a bin there: density times width.
    """

    query: int
    keys: Counts
    scores: NDArray[np.float32]
    weights: NDArray[np.float32]
    jacobian: NDArray[np.float32]
    score_edges: Floats
    score_shares: Floats
    normal_x: Floats
    normal_shares: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingResult:
    """What was measured for a ``ScalingConfig``.

    Attributes:
        config: The settings.
        d_heads: (13,) 1, 2, 4 … 4096.
        unscaled: Curves of ``softmax(q·k)``.
        scaled: Curves of ``softmax(q·k / √d_head)``.
        chosen: Curves of the scale and temperature in ``config``; ``unscaled`` or ``scaled`` where it is one of them.
        view: The picture at each d_head.
        verdicts: scale-var twice, scale-sat, scale-jac twice, scale-grad twice, scale-absorb.
        provenance: Where the numbers come from.
    """

    config: ScalingConfig
    d_heads: Counts
    unscaled: ScalingCurves
    scaled: ScalingCurves
    chosen: ScalingCurves
    view: ScalingView
    verdicts: tuple[Verdict, ...]
    provenance: Provenance

    @property
    def curves(self) -> tuple[ScalingCurves, ...]:
        """The two or three different factors: unscaled, scaled, and the chosen one where it is another."""
        return tuple({id(curves): curves for curves in (self.unscaled, self.scaled, self.chosen)}.values())

    def at(self, quantity: str, d_head: int, *, of: str = "chosen") -> float:
        """One number of the curves, for words.

        Args:
            quantity: A ``ScalingCurves`` attribute, such as ``gradient_median``.
            d_head: A power of two from 1 to 4096.
            of: ``unscaled``, ``scaled`` or ``chosen``.

        Raises:
            ConfigError: If ``d_head`` is not part of the sweep.
        """
        return float(getattr(getattr(self, of), quantity)[check_d_head(d_head)])

    @property
    def jacobian_peak(self) -> tuple[int, float]:
        """The d_head at which the unscaled mean ‖J‖_F is largest, and how large it is there."""
        peak = int(np.argmax(self.unscaled.jacobian))
        return int(self.d_heads[peak]), float(self.unscaled.jacobian[peak])

    @property
    def violations(self) -> tuple[int, int]:
        """Rows of all d_head and factors with ‖J‖_F > nε, and with ‖J‖_F > 2ε."""
        return tuple(
            sum(int(getattr(one, name).sum()) for one in self.curves) for name in ("above_keys", "above_two")
        )  # pyright: ignore[reportReturnType]

    @property
    def rows(self) -> int:
        """How many rows of weights the bounds were tried on."""
        return len(self.curves) * len(self.d_heads) * self.config.num_queries
