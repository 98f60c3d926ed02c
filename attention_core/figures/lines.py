"""Curves of a sweep beside the matrices it moves: small, with a cursor at the current step."""

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from attention_core.figures.panels import Array, Limits, check_limits, data_limits, drawable, log_limits, not_finite
from attention_core.figures.theme import Role, Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.number_format import format_number

Stroke = Literal["solid", "dashed", "dotted", "dashdot"]
_COMPARED: Final[tuple[Stroke, ...]] = ("dashed", "dotted", "dashdot")
GUESS: Final = gettext_lazy("your guess?")
_TONES: Final[tuple[Tone, ...]] = ("accent", "ink", "muted")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """One curve.

    Attributes:
        name: What it is, for the legend.
        values: (n,), one number for each x; kept as float32.
        band: Lower and upper border, each (n,); None draws no band.
        role: Whose colour it wears, or which tone; otherwise the first of a panel is violet, the others are grey.
        dashed: Whether it is what is compared with (a bound, a prediction), not what was measured.
        crosses: Whether it is single points that are marked; where its values are NaN nothing is.
        listed: Whether the legend names it.
        growing: Whether it is drawn while it is measured; where its values are NaN they are still to come.
        pointed: Whether its name stands at its last point, and not in a legend; where the panel unfolds, at the
            cursor, with the number there.
    """

    name: str
    values: Array
    band: tuple[Array, Array] | None = None
    role: Role | Tone | None = None
    dashed: bool = False
    crosses: bool = False
    listed: bool = True
    growing: bool = False
    pointed: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", drawable(self.values))
        if self.band is not None:
            object.__setattr__(self, "band", (drawable(self.band[0]), drawable(self.band[1])))
        if self.values.ndim != 1 or any(border.shape != self.values.shape for border in self.band or ()):
            raise ValueError(f"the values and the band of {self.name!r} must be as long as its x.")

    @property
    def drawn(self) -> tuple[Array, ...]:
        """The numbers of curve and band, without those that are not there by design."""
        parts = (self.values, *(self.band or ()))
        return tuple(part[~np.isnan(part)] for part in parts) if self.crosses or self.growing else parts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinesPanel:
    """Curves over one x; where x has a value for each step of the view's sweep, a cursor marks the current one.

    Attributes:
        title: What the curves are.
        x: (n,), ascending; kept as float32.
        x_title: What x is.
        series: The curves; all as long as x.
        y_title: What y is.
        log_x: Whether x is on a log axis; then x > 0.
        log_y: Whether y is on a log axis; values ≤ 0 are left out there, and the panel says so.
        limits: Range of y; from the data unless given.
        note: A sentence below the panel.
        marked: Index of the x that a cursor marks where there is no sweep; None marks none.
        unfolds: Whether what was measured is drawn up to the cursor, and faint after it.
        awaits: What stands in place of the curves, where they are not to be seen yet; empty where there are curves.
        points: What the cross at each x is called, which makes crosses a choice; empty where they are none.
    """

    title: str
    x: Array
    x_title: str
    series: tuple[Series, ...]
    y_title: str
    log_x: bool = False
    log_y: bool = False
    limits: Limits | None = None
    note: str = ""
    marked: int | None = None
    unfolds: bool = False
    awaits: str = ""
    points: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", drawable(self.x))
        if self.x.ndim != 1 or not self.x.size or not np.isfinite(self.x).all() or (np.diff(self.x) <= 0).any():
            raise ValueError(f"x of {self.title!r} must be finite and ascending.")
        if self.log_x and self.x[0] <= 0:
            raise ValueError(f"x of {self.title!r} must be above 0 on a log axis.")
        if bool(self.series) == bool(self.awaits) or any(each.values.shape != self.x.shape for each in self.series):
            raise ValueError(f"{self.title!r} needs series as long as its x, or a text in their place.")
        if len(self.points) not in (0, self.x.size):
            raise ValueError(f"{self.title!r} has {self.x.size} x, and names for {len(self.points)}.")
        if self.marked is not None and not 0 <= self.marked < self.x.size:
            raise ValueError(f"marked = {self.marked} of {self.title!r} is no index of its {self.x.size} x.")
        check_limits(self.title, self.limits, log=self.log_y)

    @property
    def steps(self) -> int | None:
        """The number of the cursor's steps if it unfolds; else None, for curves show all steps at once."""
        return self.x.size if self.unfolds and self.marked is None else None

    @property
    def drawn(self) -> Array:
        """All numbers of all curves and bands, flat."""
        return np.concatenate([np.empty(0), *(part for each in self.series for part in each.drawn)])

    @property
    def colours(self) -> tuple[Role | Tone, ...]:
        """The colour of each curve: its role, or a tone; grey what is compared with."""
        return tuple(
            each.role or ("muted" if each.dashed else _TONES[i % len(_TONES)]) for i, each in enumerate(self.series)
        )

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """The stroke of each curve: of the listed ones to compare with, three of one colour differ."""
        strokes: list[Stroke] = []
        counts: Counter[Role | Tone] = Counter()
        for each, colour in zip(self.series, self.colours, strict=True):
            strokes.append(_COMPARED[counts[colour] % len(_COMPARED)] if each.dashed else "solid")
            counts[colour] += each.dashed and each.listed
        return tuple(strokes)

    def is_choice(self, at: int) -> bool:
        """Whether there is a cross at that x which can be chosen."""
        if not self.points or not 0 <= at < self.x.size:
            return False
        return any(each.crosses and np.isfinite(each.values[at]) for each in self.series)

    def point(self, series: Series) -> int | None:
        """The x, as an index, at which a curve's name stands: at the cursor if it unfolds, else at its end."""
        places = np.flatnonzero(np.isfinite(series.values) & ((series.values > 0) | (not self.log_y)))
        if self.unfolds and self.marked is not None and not series.dashed:
            places = places[places == self.marked]
        return int(places[-1]) if places.size else None

    def said(self, series: Series) -> str:
        """The text there: the name, and the number if the cursor moves."""
        place = self.point(series)
        moves = self.unfolds and not series.dashed
        return (
            series.name
            if place is None or not moves
            else f"{series.name}: {format_number(float(series.values[place]))}"
        )

    @property
    def y_limits(self) -> Limits:
        """The range of y: ``limits``, or the data's; on a log axis that of the positive values."""
        return self.limits or (log_limits(self.drawn) if self.log_y else data_limits(self.drawn, "sequential"))

    @property
    def warning(self) -> str:
        """A sentence naming the numbers that are left out; empty where all are drawn."""
        if not self.log_y:
            return not_finite(self.drawn)
        left_out = int((~(np.isfinite(self.drawn) & (self.drawn > 0))).sum())
        sentence = _(
            "{left_out:,} of {all:,} values are not above 0, so a log axis cannot show them.",
            left_out=left_out, all=self.drawn.size,
        )  # fmt: skip
        return sentence if left_out else ""
