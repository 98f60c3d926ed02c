"""Distributions that are compared on one axis, each as an area or as columns of its own."""

from dataclasses import dataclass, replace

import numpy as np

from attention_core.figures.panels import Array, Axis, Limits, check_limits, data_limits, drawable, not_finite
from attention_core.figures.theme import Role, Tone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Area:
    """One of the distributions.

    Attributes:
        name: What it is of.
        values: (n,), or (steps, n) in a sweep: its heights; kept as float32.
        edges: (n + 1,), or (steps, n + 1): where on the axis each height begins and the last one ends.
        role: Whose colour it wears, or which tone.
        said: What is written at its bracket, or where it is highest: one text, or one for each step.
        bracket: (2,), or (steps, 2): from where to where on the axis a bracket reaches; None draws none.
    """

    name: str
    values: Array
    edges: Array
    role: Role | Tone
    said: tuple[str, ...]
    bracket: Array | None = None

    def __post_init__(self) -> None:
        for name in ("values", "edges", *(("bracket",) if self.bracket is not None else ())):
            object.__setattr__(self, name, drawable(getattr(self, name)))
        lead, n = self.values.shape[:-1], self.values.shape[-1]
        if self.values.ndim not in (1, 2) or self.edges.shape not in ((n + 1,), (*lead, n + 1)):
            raise ValueError(f"edges {self.edges.shape} of {self.name!r} do not enclose heights {self.values.shape}.")
        if self.bracket is not None and self.bracket.shape not in ((2,), (*lead, 2)):
            raise ValueError(f"bracket {self.bracket.shape} of {self.name!r} must have two ends.")
        if len(self.said) not in (1, *lead):
            raise ValueError(f"{self.name!r} says {len(self.said)} texts; one, or one for each step is needed.")

    def at(self, step: int) -> "Area":
        """The area at a step of its sweep."""

        def pick(part: Array) -> Array:
            return part[step] if part.ndim == 2 else part

        text = self.said[step if len(self.said) > 1 else 0]
        bracket = None if self.bracket is None else pick(self.bracket)
        return replace(self, values=pick(self.values), edges=pick(self.edges), said=(text,), bracket=bracket)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AreasPanel:
    """Distributions on one axis, the first behind the others.

    Attributes:
        title: What they are.
        areas: The distributions.
        labels: What the axis counts; its ``labels`` stand at 0 to 1, 1 to 2 … where it is not of numbers.
        span: The ends of the axis, the same at every step.
        quantity: What a height is.
        smooth: Whether each is one area through the middles of its heights; otherwise its heights are columns.
        limits: Range of the heights; from 0 to the highest of all steps unless given.
        note: A sentence below the panel.
    """

    title: str
    areas: tuple[Area, ...]
    labels: Axis
    span: Limits
    quantity: str
    smooth: bool = False
    limits: Limits | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not self.areas or len({area.values.shape[:-1] for area in self.areas}) > 1:
            raise ValueError(f"{self.title!r} needs areas with the same steps.")
        check_limits(f"the axis of {self.title}", self.span)
        check_limits(self.title, self.limits)

    @property
    def steps(self) -> int | None:
        """The number of steps of a sweep; None outside one."""
        values = self.areas[0].values
        return values.shape[0] if values.ndim == 2 else None

    def at(self, step: int) -> "AreasPanel":
        """The panel at a step of its sweep; heights keep the sweep's range."""
        return replace(self, areas=tuple(area.at(step) for area in self.areas), limits=self.height_limits)

    def place(self, i: int) -> tuple[float, float]:
        """The position of an area's text: at the end of its bracket, or where it is highest.

        Brackets stand one above the other: two distributions may be as wide as each other.
        """
        area, (low, high) = self.areas[i], self.height_limits
        if area.bracket is not None:
            return float(area.bracket[1]), low + (high - low) * (0.25 + 0.5 * i / max(1, len(self.areas) - 1))
        top = int(area.values.argmax())
        return float(area.edges[top + 1]), float(area.values[top])

    @property
    def drawn(self) -> Array:
        """All heights, flat."""
        return np.concatenate([area.values.ravel() for area in self.areas])

    @property
    def height_limits(self) -> Limits:
        """The range of the heights: ``limits``, or the data's."""
        return self.limits or data_limits(self.drawn, "sequential")

    @property
    def warning(self) -> str:
        """A sentence naming the numbers that no height stands for; empty where all are finite."""
        return not_finite(self.drawn)
