"""What the complexity experiment gives: counts, shares and verdicts, and apart from them what a clock said."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.measuring.arrays import frozen
from attention_core.measuring.verdict import Result
from attention_core.studies.complexity.settings import ComplexityConfig, TimesConfig

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the forward pass.

    Attributes:
        name: What it computes: ``q``, ``scores``, …
        code: How, in the field's symbols.
        formula: Its FLOPs as a formula; d = h · d_head but for large heads.
        flops: The formula's number for the sizes at hand.
        counted: What torch's counter sees.
        bytes: Bytes the line writes, by the formula: the numbers of its result times their size.
        written: Bytes of the tensor that it makes.
    """

    name: str
    code: str
    formula: str
    flops: int
    counted: int
    bytes: int
    written: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rearranged:
    """A line that computes nothing and gives numbers other places.

    Attributes:
        name: Which one.
        numbers: How many numbers it concerns in one text: what is counted where it is said to cost n · d.
        size: Bytes of a number.
        by_module: Bytes that the module copies.
        on_one_axis: Bytes copied for one text with batch and heads as one axis.
        on_one_axis_of_two: The same in a batch of two, for each text.
    """

    name: str
    numbers: int
    size: int
    by_module: int
    on_one_axis: int
    on_one_axis_of_two: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComplexityResult(Result):
    """What was counted for a ``ComplexityConfig``.

    Attributes:
        config: The settings.
        lines: The forward pass, line by line.
        rearranged: Its lines that compute nothing.
        core: FLOPs counted in q·kᵀ and weights·v.
        total: FLOPs counted in the whole layer.
        map_projections: (7, 9) FLOPs counted in the projections for every width and length of the map.
        map_core: (7, 9) FLOPs counted in the core.
        over_n: (2, 9) FLOPs counted in the projections and in the core of this layer, for every length of the map,
            queries and keys alike.
        formula_over_n: (2, 9) the same by their formulas.
        crossing: Shortest text on which the core costs at least as much as the projections.
        largest_made: Bytes of the largest tensor that is made: of the weights, but with the fused kernel.
        fused_apart: How far the fused kernel's output is from that of the pass written out, of up to 64 tokens.
        fused_rounding: What rounding may leave of it.
    """

    config: ComplexityConfig
    lines: tuple[Line, ...]
    rearranged: tuple[Rearranged, ...]
    core: int
    total: int
    map_projections: Counts
    map_core: Counts
    over_n: Counts
    formula_over_n: Counts
    crossing: int
    largest_made: int
    fused_apart: float
    fused_rounding: float

    @property
    def share(self) -> float:
        """Part of the FLOPs that q·kᵀ and weights·v take, by the lines' counts."""
        core = sum(line.counted for line in self.lines if line.name in ("scores", "context"))
        return core / sum(line.counted for line in self.lines)

    @property
    def map_share(self) -> Floats:
        """(7, 9): part of the FLOPs that the core takes, for every width and length of the map."""
        return frozen(self.map_core / (self.map_core + self.map_projections))

    @property
    def weights_bytes(self) -> int:
        """Bytes of the weights matrix of all heads."""
        return next(line.written for line in self.lines if line.name == "weights")

    @property
    def stores_no_weights(self) -> bool:
        """Whether the largest tensor that is made is smaller than the weights, so that they cannot be stored."""
        return self.largest_made < self.weights_bytes

    @property
    def softmax(self) -> int:
        """FLOPs that the counter sees in softmax: none."""
        return next(line.counted for line in self.lines if line.name == "weights")

    @property
    def exponentials(self) -> int:
        """How many exponentials softmax takes, which no counter counts: n_t · n_s · h."""
        return self.config.num_queries * self.config.num_keys * self.config.num_heads


@dataclass(frozen=True, slots=True)
class Fit:
    """A power law through the longest times: time ∝ size^exponent.

    Attributes:
        exponent: Slope of log time over log size by least squares; NaN with fewer than three sizes.
        low: Lower end of its 95 % interval (Student's t from what the line leaves over).
        high: Upper end.
        points: How many sizes it is fitted to.
    """

    exponent: float
    low: float
    high: float
    points: int

    @property
    def tells(self) -> bool:
        """Whether the interval tells one whole exponent from the next, as n from n²: it is narrower than one."""
        return self.high - self.low < 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimeCurves(Result):
    """How long three ways of computing one layer take, over its length, its width or its heads.

    Attributes:
        config: The settings.
        sizes: (s,) lengths, widths or heads; a size that was left out has NaN in every row below.
        names: ``explicit``, ``fused``, ``loop``: ``trace``, ``forward``, and ``forward`` one head at a time.
        median: (3, s) median seconds of interleaved repetitions.
        low: (3, s) lower quartile.
        high: (3, s) upper quartile.
        flops: (s,) FLOPs of the matrix products by their formula.
        fits: For each name the power law of its median.
        flop_fits: For each name the power law of the FLOPs over the same sizes.
        left_out: What was not timed and why, one sentence each.
    """

    config: TimesConfig
    sizes: Counts
    names: tuple[str, ...]
    median: Floats
    low: Floats
    high: Floats
    flops: Floats
    fits: tuple[Fit, ...]
    flop_fits: tuple[Fit, ...]
    left_out: tuple[str, ...]

    def largest_common(self, *names: str) -> int | None:
        """Index of the largest size that all of ``names`` were timed at; None where there is none."""
        timed = np.isfinite(self.median[[self.names.index(name) for name in names]]).all(0)
        return int(np.flatnonzero(timed)[-1]) if timed.any() else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimeShares(Result):
    """Which part of the time the core takes, beside its part of the FLOPs.

    Attributes:
        config: The settings.
        sizes: (n,) lengths.
        widths: (d,) widths.
        share: (d, n) time of scores, softmax and weighted sum over that of the whole, of the fastest repetitions:
            whatever else the device does makes both parts slower, and not alike. NaN where left out.
        flop_share: (d, n) the same of the FLOPs.
        crossing: Median over widths of the n / d_model at which both parts take as long; NaN where none was found.
        left_out: What was not timed and why, one sentence each.
    """

    config: TimesConfig
    sizes: Counts
    widths: Counts
    share: Floats
    flop_share: Floats
    crossing: float
    left_out: tuple[str, ...]


Times = TimeCurves | TimeShares
