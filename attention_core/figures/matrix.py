"""A picture as data: panels, looked at together, and a row of settings to walk."""

from dataclasses import dataclass, replace

from attention_core.figures.areas import Area as Area
from attention_core.figures.areas import AreasPanel as AreasPanel
from attention_core.figures.graph import Edges as Edges
from attention_core.figures.graph import Gauge as Gauge
from attention_core.figures.graph import GraphPanel as GraphPanel
from attention_core.figures.graph import Nodes as Nodes
from attention_core.figures.lines import LinesPanel as LinesPanel
from attention_core.figures.lines import Series as Series
from attention_core.figures.panels import Arcs as Arcs
from attention_core.figures.panels import Array, Limits
from attention_core.figures.panels import Axis as Axis
from attention_core.figures.panels import BarsPanel as BarsPanel
from attention_core.figures.panels import MatrixPanel as MatrixPanel
from attention_core.figures.panels import Whole as Whole
from attention_core.figures.theme import Role

Panel = MatrixPanel | BarsPanel | LinesPanel | GraphPanel | AreasPanel


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A precomputed row of settings that is walked with a slider.

    Attributes:
        name: The setting's name in code: ``d_head``.
        label: What the slider is called: ``Size of a head, d_head``.
        values: The text of each step.
    """

    name: str
    label: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"the sweep {self.name!r} has no steps.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The flow of panels from left to right.

    Attributes:
        columns: In which column each panel stands, from 0; panels of one column stand below each other.
        ribbons: From which panel to which, and whose colour the way between them wears.
    """

    columns: tuple[int, ...]
    ribbons: tuple[tuple[int, int, Role | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """The count of equal numbers in two panels, shown large beside them, and the count after a switch.

    Attributes:
        same: Which are, (rows, columns) as they stand in the second panel; None where the precision cannot tell.
        other: The switch: ``with positions``.
        other_same: How many are with it; None where the precision cannot tell.
    """

    same: Array | None
    other: str
    other_same: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatrixView:
    """Panels that are looked at together.

    Attributes:
        panels: What is drawn, in reading order.
        summary: What is seen here, as a friend beside one would say it: a plain sentence without a verdict, with at
            most two numbers, each in the picture. It is the first line below the picture, and its accessible name.
        sweep: The slider below the panels; None where there is one state only.
        front: How many panels, from the first, are the picture; the others may be a second look. None for all.
        second: How many panels, from the last, are a second look however much room there is.
        flow: How its panels follow from each other, where all are one picture; None where they stand in a row.
        bands: Of two panels that show the same rows, which row of the first stands at each row of the second: bands
            between them show it. Empty for none.
        tally: How many of their numbers are the same; None where nothing is compared.
        signs: What stands between a panel and the next, where together they read as one line: ``+``, ``=``.
    """

    panels: tuple[Panel, ...]
    summary: str
    sweep: Sweep | None = None
    front: int | None = None
    second: int = 0
    flow: Flow | None = None
    bands: tuple[int, ...] = ()
    tally: Tally | None = None
    signs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.panels or not self.summary:
            raise ValueError("a view needs at least one panel, and a summary of what there is to see.")
        if self.front is not None and not 1 <= self.front <= len(self.panels):
            raise ValueError(f"front = {self.front} is not possible: the view has {len(self.panels)} panels.")
        if self.bands and (len(self.panels) != 2 or any(_rows(panel) != len(self.bands) for panel in self.panels)):
            raise ValueError("bands need two matrices, and one band for each of their rows.")
        if not 0 <= self.second <= len(self.panels) - (self.front or 1):
            raise ValueError(f"second = {self.second} is not possible beside front = {self.front}.")
        steps = len(self.sweep.values) if self.sweep else None
        for panel in self.panels:
            if panel.steps not in (None, steps):
                raise ValueError(f"{panel.title!r} has {panel.steps} steps, and the sweep of its view has {steps}.")

    @property
    def steps(self) -> int:
        """The number of states to see; 1 without a sweep."""
        return len(self.sweep.values) if self.sweep else 1

    def at(self, step: int) -> "MatrixView":
        """The view at one step of the sweep, without a slider; colours keep the sweep's range."""
        return replace(self, panels=tuple(_still(panel, step) for panel in self.panels), sweep=None)

    def beside(self, other: "MatrixView") -> "MatrixView":
        """The view on shared scales: panels that show the same quantity under one title share their range.

        Args:
            other: The view that it stands beside.
        """
        pairs = {(type(panel), panel.title, _scale(panel)): panel for panel in other.panels}
        shared = (_widened(panel, pairs.get((type(panel), panel.title, _scale(panel)))) for panel in self.panels)
        return replace(self, panels=tuple(shared))

    def cell_exists(self, panel: int, row: int, column: int) -> bool:
        """Whether the panel is a matrix that has this cell or switch, a graph with this node (layer, token), or has
        a cross there that can be chosen (0, x).
        """
        match self.panels[panel] if 0 <= panel < len(self.panels) else None:
            case MatrixPanel(switches=(_, *_)) as matrix if column == len(matrix.columns.labels):
                return 0 <= row < len(matrix.switches)
            case MatrixPanel(rows=down, columns=across) | GraphPanel(layers=down, tokens=across):
                return 0 <= row < len(down.labels) and 0 <= column < len(across.labels)
            case LinesPanel() as lines:
                return row == 0 and lines.is_choice(column)
        return False


def _rows(panel: Panel) -> int:
    return len(panel.rows.labels) if isinstance(panel, MatrixPanel) else 0


def _scale(panel: Panel) -> tuple[object, ...]:
    """The key by which two panels may share a range."""
    match panel:
        case MatrixPanel():
            return (panel.quantity, panel.unit, panel.scale)
        case BarsPanel():
            return (panel.quantity, panel.unit, panel.log_y)
        case AreasPanel():
            return (panel.quantity, panel.span)
        case LinesPanel():
            return (panel.y_title, panel.log_y)
    return (panel.quantity,)


def _limits(panel: MatrixPanel | BarsPanel | LinesPanel | AreasPanel) -> Limits:
    match panel:
        case MatrixPanel():
            return panel.colour_limits
        case BarsPanel() | AreasPanel():
            return panel.height_limits
    return panel.y_limits


def _widened(panel: Panel, other: Panel | None) -> Panel:
    if other is None or isinstance(panel, GraphPanel) or isinstance(other, GraphPanel):
        return panel
    (low, high), (least, most) = _limits(panel), _limits(other)
    low, high = min(low, least), max(high, most)
    if isinstance(panel, MatrixPanel) and panel.scale == "diverging" and low < 0 < high:
        low, high = -max(-low, high), max(-low, high)  # its middle is 0
    return replace(panel, limits=(low, high))


def _still(panel: Panel, step: int) -> Panel:
    if panel.steps is None:
        return panel
    if isinstance(panel, MatrixPanel):
        return replace(panel, values=panel.values[step], limits=panel.colour_limits)
    if isinstance(panel, GraphPanel | AreasPanel):
        return panel.at(step)
    if isinstance(panel, LinesPanel):
        return replace(panel, marked=step)
    assert isinstance(panel, BarsPanel)

    def pick(values: Array) -> Array:
        return values[step] if values.ndim == 2 else values

    return replace(
        panel,
        values=panel.values[step],
        limits=panel.height_limits,
        edges=None if panel.edges is None else pick(panel.edges),
        overlay=None if panel.overlay is None else (pick(panel.overlay[0]), pick(panel.overlay[1])),
    )
