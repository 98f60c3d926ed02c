"""Tokens in layers, from the inputs upwards, and what joins each layer to the one below it."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from attention_core.figures.panels import Array, Axis, drawable, not_finite
from attention_core.figures.theme import Role

MAX_CODE: Final = 2**24  # up to here a float32 counts
MAX_EDGES: Final = 10_000
MAX_DRAWN: Final = 256  # tokens side by side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edges:
    """Some of a graph's edges, drawn alike.

    Attributes:
        ends: (edges, 3): layer of the upper end, its token, and the token of the layer below, all from 0; the lower
            end may lie half-way between two tokens, at 2.5.
        name: What they are, for the legend; empty keeps them out of it.
        role: Whose colour they wear; a quiet one otherwise.
        lit: Whether they stand out from the rest.
        step: The one step of a sweep at which they are there; None for all.
    """

    ends: Array
    name: str = ""
    role: Role | None = None
    lit: bool = False
    step: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", drawable(self.ends, np.float64))
        if self.ends.ndim != 2 or self.ends.shape[1] != 3 or len(self.ends) > MAX_EDGES:
            raise ValueError(
                f"ends {self.ends.shape} of {self.name!r} must be (edges, 3), and at most {MAX_EDGES:,} edges."
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nodes:
    """Some of a graph's nodes that stand out.

    Attributes:
        at: (nodes, 2): layer and token, from 0; a token may be half-way between two, at 2.5.
        name: What they are, for the legend; empty keeps them out of it.
        role: Whose colour they wear; that of text otherwise.
        large: Whether they are drawn large.
        boxes: Of what each is a box: a part in the colour of each role. None draws dots.
        step: The one step of a sweep at which they are there; None for all.
    """

    at: Array
    name: str = ""
    role: Role | None = None
    large: bool = False
    boxes: tuple[Role, ...] = ()
    step: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", drawable(self.at, np.float64))
        if self.at.ndim != 2 or self.at.shape[1] != 2:
            raise ValueError(f"at {self.at.shape} of {self.name!r} must be (nodes, 2).")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gauge:
    """A bar below a graph: how much of something it takes.

    Attributes:
        values: One number, or one for each step of a sweep (steps,); kept as float32.
        most: What the whole width stands for.
        says: What is written beside the bar, once or for each step.
    """

    values: Array
    most: float
    says: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", np.atleast_1d(drawable(self.values)))
        if self.values.shape != (len(self.says),) or not 0 <= self.values.min() <= self.values.max() <= self.most:
            raise ValueError(
                f"a gauge of {self.values} needs words for each, and {self.most} to be the most of them."
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphPanel:
    """A layered graph whose nodes can be chosen: a node is the cell in the row of its layer and the token's column.

    Attributes:
        title: What the graph is.
        values: (layers, tokens), a number for each node; kept as float32.
        layers: From below upwards.
        tokens: Left to right.
        quantity: What a node's number is.
        edges: What is drawn between layers, the later over the earlier.
        nodes: Nodes that stand out, the later over the earlier; all others are drawn faint, unless some are boxes.
        window: First and last token that are drawn, at most 256; all unless given.
        counts: What stands at the right end of each layer that the sweep has come to; empty says nothing.
        unfolds: The layer from which a sweep goes down: its step n shows n layers below it of what stands out; None
            where nothing moves, or what is there is said by the step of its edges and nodes.
        gauge: A bar below the graph; None draws none.
        note: A sentence below the panel.
    """

    title: str
    values: Array
    layers: Axis
    tokens: Axis
    quantity: str
    edges: tuple[Edges, ...] = ()
    nodes: tuple[Nodes, ...] = ()
    window: tuple[int, int] | None = None
    counts: tuple[str, ...] = ()
    unfolds: int | None = None
    gauge: Gauge | None = None
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", drawable(self.values))
        layers, tokens = shape = (len(self.layers.labels), len(self.tokens.labels))
        if self.values.shape != shape:
            raise ValueError(f"values {self.values.shape} of {self.title!r} do not fit its labels {shape}.")
        if layers * tokens**2 > MAX_CODE:
            raise ValueError(f"{self.title!r} has layers × tokens² = {layers * tokens**2:,}; at most {MAX_CODE:,}.")
        if len(self.counts) not in (0, layers):
            raise ValueError(f"{self.title!r} has {layers} layers, and counts for {len(self.counts)}.")
        first, last = self.drawn
        if not 0 <= first <= last < tokens or last - first >= MAX_DRAWN:
            raise ValueError(f"window = {self.window} of {self.title!r} is not possible: at most {MAX_DRAWN} tokens.")
        for edges in self.edges:
            level, upper, lower = edges.ends.T
            if not (
                _within(level, 1, layers) and _within(upper, first, last + 1) and _within(lower, first, last + 1)
            ):
                raise ValueError(f"edges {edges.name!r} of {self.title!r} leave its layers or its window.")
        for nodes in self.nodes:
            if not (_within(nodes.at[:, 0], 0, layers) and _within(nodes.at[:, 1], first, last + 1)):
                raise ValueError(f"nodes {nodes.name!r} of {self.title!r} leave its layers or its window.")
        placed = [edges.ends[:, 2] for edges in self.edges] + [nodes.at[:, 1] for nodes in self.nodes]
        if any((2 * each % 1).any() for each in placed) or (
            any((each % 1).any() for each in placed) and 2 * layers * tokens**2 > MAX_CODE
        ):
            raise ValueError(f"what lies between tokens of {self.title!r} lies half-way, and between few.")

    @property
    def steps(self) -> int | None:
        """The number of steps of a sweep; None outside one."""
        if self.unfolds is not None:
            return self.unfolds + 1
        stepped = [part.step + 1 for part in (*self.edges, *self.nodes) if part.step is not None]
        return max(stepped) if stepped else None

    def at(self, step: int) -> "GraphPanel":
        """The graph at a step of its sweep."""
        edges = [replace(each, step=None) for each in self.edges if each.step in (None, step)]
        nodes = [replace(each, step=None) for each in self.nodes if each.step in (None, step)]
        counts = self.counts
        if self.unfolds is not None:
            lowest = self.unfolds - step
            edges = [replace(each, ends=each.ends[each.ends[:, 0] > lowest]) if each.lit else each for each in edges]
            nodes = [replace(each, at=each.at[each.at[:, 0] >= lowest]) for each in nodes]
            counts = tuple(count if layer >= lowest else "" for layer, count in enumerate(counts))
        gauge = self.gauge
        if gauge and len(gauge.says) > 1:
            gauge = replace(gauge, values=gauge.values[step], says=(gauge.says[step],))
        return replace(self, edges=tuple(edges), nodes=tuple(nodes), unfolds=None, gauge=gauge, counts=counts)

    @property
    def has_boxes(self) -> bool:
        """Whether some of its nodes are boxes; then no others are drawn than those that stand out."""
        return any(nodes.boxes for nodes in self.nodes)

    @property
    def drawn(self) -> tuple[int, int]:
        """First and last token that are drawn."""
        return self.window or (0, len(self.tokens.labels) - 1)

    def numbered(self, places: Array) -> Array:
        """Nodes or edges as one float32 each: layer · tokens + token, and that · tokens + the token below."""
        digits = np.arange(places.shape[1])[::-1]
        return drawable(places @ len(self.tokens.labels) ** digits)

    @property
    def warning(self) -> str:
        """A sentence naming the numbers that are none; empty where all are finite."""
        return not_finite(self.values)


def _within(values: Array, low: int, high: int) -> bool:
    return bool(((values >= low) & (values < high)).all())
