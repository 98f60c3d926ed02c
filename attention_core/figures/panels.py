"""Panels, as data that says nothing of how they are drawn: axes, matrices, bars."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.figures.cells import Cells, decimals
from attention_core.figures.theme import Palette, Role, Scale, Tone
from attention_core.language import OR, listed, ngettext
from attention_core.language import gettext as _

Array = NDArray[Any]
Limits = tuple[float, float]
AVERAGE: Final = "average"  # over heads, where one of them could be chosen


def of_head(values: Array, head: str) -> Array:
    """One head of (…, heads, queries, keys), by its number from ``1``; or ``AVERAGE``."""
    return values.mean(axis=-3) if head == AVERAGE else values[..., int(head) - 1, :, :]


def drawable(values: ArrayLike, dtype: type = np.float32) -> Array:
    """A read-only copy in the precision of the screen, so that nothing drawn changes behind the picture."""
    with np.errstate(over="ignore", invalid="ignore"):  # what float32 cannot hold becomes ±inf, and is named as such
        array = np.array(values, dtype=dtype, order="C")
    array.setflags(write=False)
    return array


def check_limits(name: str, limits: Limits | None, *, log: bool = False) -> None:
    """Raise ValueError unless ``limits`` is None or an ascending pair of finite numbers, on a log axis above 0."""
    possible = limits is None or (np.isfinite(limits).all() and limits[0] < limits[1] and (limits[0] > 0 or not log))
    if not possible:
        above = ", both above 0 on a log axis" if log else ""
        raise ValueError(
            f"limits = {limits} of {name!r} are not possible: two finite numbers, the smaller first{above}."
        )


def _extent(values: Array) -> Limits | None:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def data_limits(values: Array, scale: Scale) -> Limits:
    """The range of a colour scale or a bar axis, from the finite values of all steps.

    Sequential starts at 0, or below where rounding left values below it; diverging is symmetric about 0, or
    ends there where all have one sign. Where everything is 0 there is no range to show, and it is taken as 1.
    """
    low, high = _extent(values) or (0.0, 0.0)
    if scale == "diverging" and (low < 0 < high or low == high == 0):
        reach = max(-low, high) or 1.0
        return (-reach, reach)
    low, high = min(0.0, low), max(0.0, high)
    return (low, high) if low < high else (0.0, 1.0)


def log_limits(values: Array) -> Limits:
    """The range of a log axis, from the finite values above 0; where there is none, any will do."""
    low, high = _extent(values[values > 0]) or (1.0, 10.0)
    return (low, high) if low < high else (low / 3, high * 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One side of a panel.

    Attributes:
        title: What the axis counts: ``query``, ``key``, ``feature``.
        labels: One text for each row, column or bar, shown exactly as it is.
        role: Whose colour the axis wears; axes of queries and of keys are lit together in all panels of a view.
        groups: Names of groups of equally many labels, where a matrix is a grid of matrices: they are written, and
            their labels only where one is pointed at.
        formulas: Whether the labels are names of ours, whose formulas are set, and no words that somebody typed.
        pale: Which labels, from 0, stand for no token, as padding does: they are chips.
    """

    title: str
    labels: tuple[str, ...]
    role: Role | None = None
    groups: tuple[str, ...] = ()
    formulas: bool = False
    pale: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arcs:
    """Arcs above a matrix, from one of its columns to the others: what one row says of the words above it.

    Attributes:
        row: The row that they show: each is as broad as its column's number.
        column: The column from which they go.
        label: What is written at the broadest.
        off: Whether this row is off: the broadest is dashed then, and the only one.
    """

    row: int
    column: int
    label: str
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatrixPanel:
    """One matrix as coloured cells.

    Attributes:
        title: What the matrix is.
        values: (rows, columns), or (steps, rows, columns) in a sweep; kept as float32.
        rows: Top to bottom; queries, where there are queries.
        columns: Left to right; keys, where there are keys.
        quantity: What a cell's number is; labels the colour bar.
        scale: ``sequential`` for what starts at 0, ``diverging`` for what lies around 0, ``compared`` for a share
            that one of two has, where half is the middle.
        cells: What kind of quantity a cell holds; it says how the number in it is written, and that weights and
            shares are violet.
        role: Whose rows of numbers these are, where they are queries, keys, values or outputs: a rail and the title
            wear its colour.
        limits: Range of the colours; from the data of all steps unless given, so that panels can share one.
        hidden: (rows, columns) bool, True where a cell shows no number; None hides nothing.
        hidden_as: What such a cell is; hidden by the mask unless given.
        arcs: Arcs above the columns; None draws none.
        image: A picture whose patches the cells are, (k · rows, k · columns) greys from 0, paper, to 1, ink: each
            cell shows its own below a veil of violet. None draws none.
        switches: For each row whether it is on, where a switch stands at its end: the cell that follows its last one.
        unit: Unit of the values.
        note: A sentence below the panel.
    """

    title: str
    values: Array
    rows: Axis
    columns: Axis
    quantity: str
    scale: Scale
    cells: Cells = "score"
    role: Role | None = None
    limits: Limits | None = None
    hidden: Array | None = None
    hidden_as: str = ""
    arcs: Arcs | None = None
    image: Array | None = None
    switches: tuple[bool, ...] = ()
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", drawable(self.values))
        object.__setattr__(self, "hidden_as", self.hidden_as or _("hidden by the mask"))
        shape = (len(self.rows.labels), len(self.columns.labels))
        if self.values.ndim not in (2, 3) or self.values.shape[-2:] != shape:
            raise ValueError(f"values {self.values.shape} of {self.title!r} do not fit its labels {shape}.")
        if self.hidden is not None:
            object.__setattr__(self, "hidden", drawable(self.hidden, np.bool_))
            if self.hidden.shape != shape:
                raise ValueError(f"hidden {self.hidden.shape} of {self.title!r} does not fit its labels {shape}.")
        if self.switches and len(self.switches) != shape[0]:
            raise ValueError(f"{self.title!r} has {len(self.switches)} switches for {shape[0]} rows.")
        if self.image is not None:
            object.__setattr__(self, "image", drawable(self.image))
            each = self.image.shape[0] // shape[0]
            if not each or self.image.shape != (each * shape[0], each * shape[1]):
                raise ValueError(f"image {self.image.shape} of {self.title!r} is not cut by its cells {shape}.")
        if self.arcs and not (0 <= self.arcs.row < shape[0] and 0 <= self.arcs.column < shape[1]):
            raise ValueError(f"arcs of {self.title!r} are of row {self.arcs.row} and column {self.arcs.column}.")
        check_limits(self.title, self.limits)

    @property
    def steps(self) -> int | None:
        """How many steps the values hold; None outside a sweep."""
        return self.values.shape[0] if self.values.ndim == 3 else None

    @property
    def is_hidden(self) -> Array:
        """(rows, columns) bool, also where nothing is hidden."""
        return np.zeros(self.values.shape[-2:], np.bool_) if self.hidden is None else self.hidden

    @property
    def shown(self) -> Array:
        """The values that are not hidden, of all steps, flat."""
        return self.values.ravel() if self.hidden is None else self.values[..., ~self.hidden].ravel()

    @property
    def colour_limits(self) -> Limits:
        """The range of the colours: ``limits``, or the data's; equal numbers have the colour in its middle."""
        if self.limits:
            return self.limits
        low, high = data_limits(self.shown, self.scale)
        least, most = _extent(self.shown) or (0.0, 0.0)
        # At the end of the scale numbers that differ by float32's rounding would look like the most there can be.
        if self.shown.size > 1 and 0 < most * (1 - 1e-6) <= least:
            return (low, 2 * high)
        return (2 * low, high) if self.shown.size > 1 and most <= least * (1 - 1e-6) < 0 else (low, high)

    @property
    def palette(self) -> Palette:
        """The colours: violet of weights and shares, else ink, unless there are numbers on both sides of 0."""
        low, high = self.colour_limits
        if self.image is not None:
            return "sequential"
        if self.scale == "compared" or (self.scale == "diverging" and low < 0 < high):
            return self.scale
        if high <= 0:
            return "below"
        return "sequential" if self.cells in ("weight", "percent") else "ink"

    @property
    def decimals(self) -> tuple[int | None, ...]:
        """The decimals of its cells in each step; all of a step are alike."""
        shown = self.values[..., ~self.is_hidden]
        return tuple(decimals(step) for step in (shown[None] if self.steps is None else shown))

    @property
    def warning(self) -> str:
        """A sentence naming the numbers no colour stands for; empty where all are finite."""
        return not_finite(self.shown, self.steps)


def not_finite(values: Array, steps: int | None = None) -> str:
    """How many of ``values`` are NaN or infinite, as a sentence; empty where none is.

    Args:
        values: The numbers.
        steps: How many steps of a sweep they are, of which one is seen at a time; None outside a sweep.
    """
    if np.isfinite(values).all():
        return ""
    counts = {"NaN": int(np.isnan(values).sum()), _("infinite"): int(np.isinf(values).sum())}
    if steps is not None:
        some = int((~np.isfinite(values.reshape(steps, -1))).any(axis=1).sum())
        kinds = listed((name for name, count in counts.items() if count), OR)
        return _(
            "At {some:,} of {steps:,} steps values are {kinds}: no colour stands for them.",
            some=some, steps=steps, kinds=kinds,
        )  # fmt: skip
    counted = [
        ngettext("{count:,} is {name}", "{count:,} are {name}", count, name=name)
        for name, count in counts.items()
        if count
    ]
    return _("Of {all:,} values {said}: no colour stands for them.", all=values.size, said=listed(counted))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """One bar of length 1 that some parts share.

    Attributes:
        names: What the parts are.
        values: The share of each (parts,); kept as float32.
        before: The shares as they were, in a thin bar below; None draws none.
        role: Whose colour or which tone each part wears; grey for none.
        of_bars: Whether its parts are the bars below it: these rise first and share it then, and a part without room
            for its name has it at its bar.
    """

    names: tuple[str, ...]
    values: Array
    before: Array | None = None
    role: tuple[Role | Tone | None, ...] = ()
    of_bars: bool = False

    def __post_init__(self) -> None:
        parts = (len(self.names),)
        object.__setattr__(self, "values", drawable(self.values))
        object.__setattr__(self, "role", self.role or (None,) * len(self.names))
        if self.before is not None:
            object.__setattr__(self, "before", drawable(self.before))
        fits = self.values.shape == parts == (len(self.role),) and (self.before is None or self.before.shape == parts)
        if not fits or not np.isfinite(self.values).all() or (self.values < 0).any():
            raise ValueError(f"{self.names} need a share each, of 0 or more, and a role each or none.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BarsPanel:
    """One number for each label as bars, or a histogram, with a curve over it where there is something to compare.

    Attributes:
        title: What the bars are.
        values: (n,), or (steps, n) in a sweep; kept as float32.
        labels: What the bars stand for. Its ``labels`` may be empty for a histogram.
        quantity: What a bar's height is.
        log_y: Whether heights are on a log axis; what is 0 has no bar there.
        limits: Range of the height; unless given from 0 to the data's extremes over all steps, or on a log axis from
            the decade below the smallest value above 0.
        edges: (n + 1,) or (steps, n + 1) borders of a histogram's bins, which give its axis numbers; None otherwise.
        overlay: x and y of a curve, each (m,) or (steps, m); x counts bars from 0, or is in the unit of ``edges``.
        overlay_name: What the curve is; needed with ``overlay``.
        role: Whose colour the bars wear, or which tone: one for all, or one or none for each; violet otherwise.
        lying: Whether the bars lie below each other, each with its number at its end, from 0 on: no bins, curve or
            log axis then.
        before: What lying bars were before, as outlines (n,); None draws none.
        percent: Whether numbers at the ends of lying bars are shares, written in percent.
        whole: One bar above lying ones, of which they are members; None draws none.
        unit: Unit of the values.
        note: A sentence below the panel.
    """

    title: str
    values: Array
    labels: Axis
    quantity: str
    log_y: bool = False
    limits: Limits | None = None
    edges: Array | None = None
    overlay: tuple[Array, Array] | None = None
    overlay_name: str = ""
    role: Role | Tone | tuple[Role | Tone | None, ...] | None = None
    lying: bool = False
    before: Array | None = None
    percent: bool = False
    whole: Whole | None = None
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", drawable(self.values))
        n = self.values.shape[-1]
        if self.values.ndim not in (1, 2) or (
            (self.edges is None or self.labels.labels) and n != len(self.labels.labels)
        ):
            raise ValueError(f"values {self.values.shape} of {self.title!r} do not fit its labels.")
        if self.edges is not None:
            object.__setattr__(self, "edges", drawable(self.edges))
            if self.edges.shape not in ((n + 1,), (self.steps, n + 1)):
                raise ValueError(f"edges {self.edges.shape} of {self.title!r} do not enclose {n} bars.")
        if self.overlay is not None:
            curve = (drawable(self.overlay[0]), drawable(self.overlay[1]))
            object.__setattr__(self, "overlay", curve)
            if not self.overlay_name or any(
                part.shape not in ((part.shape[-1],), (self.steps, part.shape[-1]))
                or part.shape[-1] != curve[0].shape[-1]
                for part in curve
            ):
                raise ValueError(f"overlay of {self.title!r} needs a name, and as many x as y.")
        if isinstance(self.role, tuple) and len(self.role) != n:
            raise ValueError(f"role of {self.title!r} must be one for all bars, or one for each of the {n}.")
        if self.before is not None:
            object.__setattr__(self, "before", drawable(self.before))
            if self.before.shape != (n,):
                raise ValueError(
                    f"before {self.before.shape} of {self.title!r} must be one for each of its {n} bars."
                )
        if self.whole is not None and self.whole.of_bars and len(self.whole.names) != n:
            raise ValueError(f"{len(self.whole.names)} parts of {self.title!r} cannot be its {n} bars.")
        if self.lying and (self.log_y or self.edges is not None or self.overlay is not None):
            raise ValueError(f"the bars of {self.title!r} lie: they have no bins, no curve and no log axis.")
        check_limits(self.title, self.limits, log=self.log_y)

    @property
    def steps(self) -> int | None:
        """How many steps the values hold; None outside a sweep."""
        return self.values.shape[0] if self.values.ndim == 2 else None

    @property
    def height_limits(self) -> Limits:
        """The range of the heights: ``limits``, or the data's and the curve's."""
        others = [part.ravel() for part in (self.before, self.overlay and self.overlay[1]) if part is not None]
        drawn = np.concatenate([self.values.ravel(), *others])
        if self.limits or not self.log_y:
            return self.limits or data_limits(drawn, "sequential")
        low, high = log_limits(drawn)
        decade = np.floor(np.log10(low) - 0.1)  # so far below the smallest that it has a bar to be seen
        return (10.0**decade, high)

    @property
    def warning(self) -> str:
        """A sentence naming the numbers no bar stands for; empty where all are finite."""
        return not_finite(self.values, self.steps)
