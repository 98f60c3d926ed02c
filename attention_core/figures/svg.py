"""Panels for paper: each as SVG that needs nothing from elsewhere, in the colours of the light theme.

A matrix's cells are one small image, a pixel for each, because thousands of rectangles make a heavy file.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.figures.cells import format_cell
from attention_core.figures.graph import GraphPanel, Nodes
from attention_core.figures.lines import LinesPanel, Stroke
from attention_core.figures.matrix import MatrixView, Panel
from attention_core.figures.panels import Array, Axis, BarsPanel, Limits, MatrixPanel
from attention_core.figures.png import png_url
from attention_core.figures.svg_arcs import arcs_at, switches_at
from attention_core.figures.svg_lying import lying
from attention_core.figures.svg_text import role_colour, set_at, stacked_at, text_at
from attention_core.figures.text import escape_xml, wrapped
from attention_core.figures.theme import GRID, HIDDEN, INK, MUTED, ROLE_COLOURS, SCALES, Palette, colour_of
from attention_core.language import columns, sentences
from attention_core.language import gettext as _

WIDTH: Final = 320
PLOT: Final = 210  # pixels that a panel's values take at most, across and down
LEFT, TOP, BELOW = 64, 66, 44
_CELL: Final = 34
_DIGIT: Final = 4.6  # pixels that a digit of a cell takes
_RISE: Final = 40  # pixels of arcs above a matrix
_BOX: Final = 18  # pixels of a node that is a box
_MOST_LABELS: Final = 24
_NAMED_PLOT: Final = 150  # pixels across of a plot whose curves are named beside it
_NAME: Final = 18  # columns of a line of these names
_INK, _MUTED, _GRID, _HIDDEN = (colours["light"] for colours in (INK, MUTED, GRID, HIDDEN))
_SEQUENTIAL = SCALES["light"]["sequential"]
_ACCENT = _SEQUENTIAL[3]
_DASHES: Final[dict[Stroke, str]] = {
    "solid": "",
    "dashed": ' stroke-dasharray="5 4"',
    "dotted": ' stroke-dasharray="1.5 3.5"',
    "dashdot": ' stroke-dasharray="8 3 2 3"',
}


def view_svgs(view: MatrixView) -> tuple[str, ...]:
    """Each panel of a view, at the first step of its sweep, as SVG."""
    return tuple(panel_svg(panel) for panel in (view.at(0) if view.sweep else view).panels)


def panel_svg(panel: Panel) -> str:
    """A panel as SVG; text is shown exactly as it is, but for characters that XML cannot hold.

    Args:
        panel: What is drawn; outside a sweep.
    """
    match panel:
        case MatrixPanel():
            body, height = _matrix(panel)
        case BarsPanel(lying=True):
            body, height = lying(panel, text_at)
        case BarsPanel():
            body, height = _bars(panel)
        case LinesPanel():
            body, height = _lines(panel)
        case GraphPanel():
            body, height = _graph(panel)
    said = wrapped(str(sentences((panel.note, panel.warning))))
    body += "".join(set_at(4, height + 14 * i, line, size=10, colour=_MUTED) for i, line in enumerate(said))
    height += 14 * len(said)
    role = panel.role if isinstance(panel, MatrixPanel) else None
    title = set_at(4, 16, panel.title, weight=600, size=13, coloured=True, colour=role_colour(role) if role else _INK)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape_xml(panel.title)}" font-family="sans-serif">{title}{body}</svg>'
    )


def _line(x0: float, y0: float, x1: float, y1: float, colour: str = _GRID, width: float = 1, dash: str = "") -> str:
    ends = f'x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"{dash}/>'


def _short(label: str, most: int = 9) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _written(axis: Axis) -> list[tuple[float, str]]:
    """What is written along a side, and beside which row or column: of groups their names, in their middles."""
    if axis.groups:
        each = len(axis.labels) / len(axis.groups)
        return [((at + 0.5) * each - 0.5, _short(name)) for at, name in enumerate(axis.groups)]
    return [(at, _short(axis.labels[at])) for at in _shown(axis.labels)]


def _borders(axis: Axis) -> range:
    """Where one group ends and the next begins."""
    return range(0, len(axis.labels), len(axis.labels) // max(1, len(axis.groups)))[1:]


def _shown(labels: Sequence[str], most: int = _MOST_LABELS) -> range:
    return range(0, len(labels), -(-len(labels) // most) or 1)


def _colours(values: Array, limits: Limits, palette: Palette, hidden: Array | None) -> Array:
    """(rows, columns, 3) bytes: the colour of each cell; white where no colour stands for the number."""
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in SCALES["light"][palette]], float)
    known = np.isfinite(values)
    at = np.clip((np.where(known, values, limits[0]) - limits[0]) / (limits[1] - limits[0]), 0, 1) * (len(stops) - 1)
    low = np.minimum(at.astype(int), len(stops) - 2)
    mixed = stops[low] + (at - low)[..., None] * (stops[low + 1] - stops[low])
    mixed[~known] = 255
    if hidden is not None:
        mixed[hidden] = [int(_HIDDEN[i : i + 2], 16) for i in (1, 3, 5)]
    return mixed.round().astype(np.uint8)


def _matrix(panel: MatrixPanel) -> tuple[str, float]:
    rows, columns = panel.values.shape
    wide, high = min(_CELL, PLOT / columns), min(_CELL, PLOT / rows)
    across, down, limits = wide * columns, high * rows, panel.colour_limits
    colours = _colours(panel.values, limits, panel.palette, panel.hidden)
    if panel.cells == "allowed":
        colours[~panel.is_hidden] = 255
    place = f'x="{LEFT}" y="{TOP}" width="{across:.1f}" height="{down:.1f}"'
    body = f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated" href="{png_url(colours)}"/>'
    body += _axis_names(panel.rows, panel.columns) + _hatch(panel.is_hidden, wide, high)
    beside = LEFT - 4
    if panel.role:
        beside -= 6
        rail = f'x="{LEFT - 6}" y="{TOP}" width="4" height="{down:.1f}"'
        body += f'<rect {rail} fill="{role_colour(panel.role)}"/>'
    for row, label in _written(panel.rows):
        colour = _MUTED if row in panel.rows.pale else _INK
        body += text_at(beside, TOP + (row + 0.5) * high + 4, label, size=10, anchor="end", colour=colour)
    for column, label in _written(panel.columns):
        x = LEFT + (column + 0.5) * wide
        body += stacked_at(x, label, above=TOP - 6) or text_at(x + 0.1 * wide, TOP - 4, label, size=10, turn=-40)
    body += "".join(f'<path d="M{LEFT} {TOP + at * high:.1f}h{across:.1f}" stroke="#FFFFFF" stroke-width="2"/>'
                    for at in _borders(panel.rows))  # fmt: skip
    body += "".join(f'<path d="M{LEFT + at * wide:.1f} {TOP}v{down:.1f}" stroke="#FFFFFF" stroke-width="2"/>'
                    for at in _borders(panel.columns))  # fmt: skip
    if panel.cells == "allowed":
        body += _dots(panel, wide, high)
        return body + _scale_note(panel, TOP + down + 12), TOP + down + BELOW
    body += _numbers(panel, colours, wide, high) + switches_at(panel, LEFT + across + 6, TOP, high)
    if panel.arcs is None:
        return body + _scale_bar(panel, TOP + down + 12), TOP + down + BELOW
    moved = f'<g transform="translate(0 {_RISE})">{body}{_scale_bar(panel, TOP + down + 12)}</g>'
    return moved + arcs_at(panel, panel.arcs, LEFT, TOP + _RISE - 26, wide), TOP + down + BELOW + _RISE


def _numbers(panel: MatrixPanel, colours: Array, wide: float, high: float) -> str:
    """What stands in the cells, if all of it fits."""
    (places,), shown = panel.decimals, zip(*np.nonzero(~panel.is_hidden), strict=True)
    said = {at: format_cell(float(panel.values[at]), panel.cells, places) for at in shown}
    if min(wide, high) < 28 or max(map(len, said.values()), default=0) * _DIGIT > wide - 2:
        return ""
    return "".join(
        text_at(LEFT + (column + 0.5) * wide, TOP + (row + 0.5) * high + 3, text, size=8, anchor="middle",
              colour=ink_on(colours[row, column]))
        for (row, column), text in said.items() if text
    )  # fmt: skip


def _hatch(hidden: Array, wide: float, high: float) -> str:
    """Slanted lines over all cells that are hidden, where cells are large enough to show them."""
    if min(wide, high) < 4 or not hidden.any():
        return ""
    lines = []
    for row, cells in enumerate(hidden):
        top, bottom = TOP + row * high, TOP + (row + 1) * high
        edges = np.flatnonzero(np.diff(np.concatenate([[False], cells, [False]]).astype(int)))
        for left, right in (LEFT + edges.reshape(-1, 2) * wide).tolist():
            for at in range(int((left + top) // 5) + 1, ceil((right + bottom) / 5)):
                up, down = max(top, at * 5 - right), min(bottom, at * 5 - left)  # where x + y = 5 · at
                lines.append(f"M{at * 5 - up:.1f} {up:.1f}L{at * 5 - down:.1f} {down:.1f}")
    return f'<path d="{"".join(lines)}" stroke="{_MUTED}" stroke-opacity="0.45" fill="none"/>'


def _dots(panel: MatrixPanel, wide: float, high: float) -> str:
    """A dot in each cell that is allowed, as large as the share that allows it."""
    rows, columns = panel.values.shape
    frame = f'x="{LEFT}" y="{TOP}" width="{columns * wide:.1f}" height="{rows * high:.1f}"'
    most = 0.16 * min(wide, high)
    return f'<rect {frame} fill="none" stroke="{_GRID}"/>' + "".join(
        f'<circle cx="{LEFT + (column + 0.5) * wide:.1f}" cy="{TOP + (row + 0.5) * high:.1f}" '
        f'r="{most * float(panel.values[row, column]) ** 0.5:.1f}" fill="{_INK}"/>'
        for row, column in np.argwhere(~panel.is_hidden).tolist()
    )


def _scale_note(panel: MatrixPanel, y: float) -> str:
    dot = f'<circle cx="{LEFT + 4}" cy="{y + 4}" r="3" fill="{_INK}"/>'
    return dot + text_at(LEFT + 12, y + 8, panel.quantity, size=10, colour=_MUTED)


def ink_on(colour: Array) -> str:
    """White or black on a colour (3,) of 0 to 255, whichever reads better: at least 4.58 : 1."""
    linear = np.where(colour <= 10, colour / 255 / 12.92, ((colour / 255 + 0.055) / 1.055) ** 2.4)
    alike = (1.05 * 0.05) ** 0.5 - 0.05  # WCAG's relative luminance on which both read alike
    return "#FFFFFF" if linear @ np.array([0.2126, 0.7152, 0.0722]) < alike else "#000000"


def _axis_names(rows: Axis, columns: Axis) -> str:
    names = set_at(4, 34, f"{rows.title} ↓", size=10, colour=role_colour(rows.role))
    return names + set_at(LEFT + 16, 34, f"{columns.title} →", size=10, colour=role_colour(columns.role))


def _scale_bar(panel: MatrixPanel, y: float) -> str:
    low, high = panel.colour_limits
    ramp = _colours(np.linspace(low, high, 64)[None], (low, high), panel.palette, None)
    said = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    bar = f'<image x="{LEFT}" y="{y}" width="80" height="8" preserveAspectRatio="none" href="{png_url(ramp)}"/>'
    numbers = f"{format_number(low)} … {format_number(high)}"
    return bar + text_at(LEFT + 86, y + 8, numbers, size=10, colour=_MUTED) + set_at(LEFT, y + 22, said, size=10)


def _along(limits: Limits, length: float, *, log: bool) -> Callable[[Array], Array]:
    """Maps values of an axis to pixels from its beginning."""

    def place(values: Array) -> Array:
        low, high = (np.log10(limits) if log else limits) + np.zeros(2)
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.log10(values) if log else np.asarray(values, float)
        at = np.clip((scaled - low) / (high - low or 1.0), -0.02, 1.02) * length
        return np.where(np.isfinite(scaled), at, np.nan)

    return place


def _frame(x: Limits | None, y: Limits, x_title: str, y_title: str, wide: float = PLOT) -> str:
    body = _line(LEFT, TOP, LEFT, TOP + PLOT) + _line(LEFT, TOP + PLOT, LEFT + wide, TOP + PLOT)
    for value, at in ((y[0], TOP + PLOT), (y[1], TOP + 8)):
        body += text_at(LEFT - 4, at, format_number(value), size=10, anchor="end", colour=_MUTED)
    for value, at in ((x[0], LEFT), (x[1], LEFT + wide)) if x else ():
        body += text_at(at, TOP + PLOT + 14, format_number(value), size=10, anchor="middle", colour=_MUTED)
    below = TOP + PLOT + (28 if x else 42)  # names of bars stand slanted above it
    body += set_at(LEFT + wide / 2, below, x_title, size=10, anchor="middle", colour=_MUTED)
    return body + set_at(4, 34, y_title, size=10, colour=_MUTED)


def _path(x: Array, y: Array) -> str:
    """The points of a curve; where one is not finite the curve is broken."""
    parts, before = [], False
    for one, other in zip(x, y, strict=True):
        if not np.isfinite([one, other]).all():
            before = False
            continue
        parts.append(f"{'L' if before else 'M'}{LEFT + one:.1f} {TOP + PLOT - other:.1f}")
        before = True
    return "".join(parts)


def _names(panel: LinesPanel) -> dict[int, list[str]]:
    """What is written where each curve ends, in lines: of two or three, if they find room there; else none."""
    listed = {at: wrapped(one.name, _NAME) for at, one in enumerate(panel.series) if one.listed}

    def fits(at: int, lines: list[str]) -> bool:
        kept = "".join(lines).replace(" ", "") == panel.series[at].name.replace(" ", "")
        return kept and 1 <= len(lines) <= 3 and max(map(columns, lines)) <= _NAME and not panel.series[at].crosses

    return listed if 2 <= len(listed) <= 3 and all(fits(at, lines) for at, lines in listed.items()) else {}


def _spread(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Middles of blocks as near to where they are wanted as they can be without touching, beside the plot."""
    at, edge, order = list(wanted), TOP - 6.0, sorted(range(len(wanted)), key=lambda i: wanted[i])
    for i in order:
        at[i] = max(at[i], edge + heights[i] / 2)
        edge = at[i] + heights[i] / 2
    edge = TOP + PLOT + 6.0
    for i in reversed(order):
        at[i] = min(at[i], edge - heights[i] / 2)
        edge = at[i] - heights[i] / 2
    return at


def _written_names(panel: LinesPanel, names: dict[int, list[str]], ends: dict[int, float], colours: list[str]) -> str:
    """The names of curves in their colours, each beside where its curve ends, with a line to it.

    Args:
        panel: The curves.
        names: What is written, by the number of the curve.
        ends: How high each curve ends, in pixels; at 0 if it has no number.
        colours: Those of the curves.
    """
    right, body = LEFT + _NAMED_PLOT, ""
    wanted = [TOP + PLOT - min(max(ends[at], 0.0), PLOT) for at in names]
    middles = _spread(wanted, [12.0 * len(lines) for lines in names.values()])
    for (at, lines), end, middle in zip(names.items(), wanted, middles, strict=True):
        colour, dash = colours[at], _DASHES[panel.strokes[at]]
        body += _line(right + 2, end, right + 11, middle, colour, 1, dash)
        first = middle + 3.5 - 6 * (len(lines) - 1)
        body += "".join(
            text_at(right + 14, first + 12 * i, line, size=10, colour=colour) for i, line in enumerate(lines)
        )
    return body


def _lines(panel: LinesPanel) -> tuple[str, float]:
    limits, names = (float(panel.x[0]), float(panel.x[-1])), _names(panel)
    wide = _NAMED_PLOT if names else PLOT
    across, up = _along(limits, wide, log=panel.log_x), _along(panel.y_limits, PLOT, log=panel.log_y)
    colours = [colour_of(worn, "light") for worn in panel.colours]
    ends = {at: next((y for y in up(panel.series[at].values)[::-1] if np.isfinite(y)), 0.0) for at in names}
    body, height, x = (
        _frame(limits, panel.y_limits, panel.x_title, panel.y_title, wide),
        TOP + PLOT + BELOW,
        across(panel.x),
    )
    for one, stroke, colour in zip(panel.series, panel.strokes, colours, strict=True):
        if one.band is not None:
            low, high = (up(border) for border in one.band)
            outline = _path(np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]))
            body += f'<path d="{outline}Z" fill="{colour}" fill-opacity="0.18"/>'
        y = up(one.values)
        if one.crosses:
            body += "".join(
                f'<circle cx="{LEFT + a:.1f}" cy="{TOP + PLOT - b:.1f}" r="2.5" fill="{colour}"/>'
                for a, b in zip(x, y, strict=True) if np.isfinite(b)
            )  # fmt: skip
        else:
            body += f'<path d="{_path(x, y)}" fill="none" stroke="{colour}" stroke-width="1.8"{_DASHES[stroke]}/>'
        if one.listed and not names:
            body += _line(LEFT, height - 4, LEFT + 16, height - 4, colour, 2, _DASHES[stroke])
            body += set_at(LEFT + 22, height, one.name, size=10, colour=_MUTED)
            height += 14
    return body + _written_names(panel, names, ends, colours), height + 4


def _bars(panel: BarsPanel) -> tuple[str, float]:
    limits, n = panel.height_limits, panel.values.shape[-1]
    edges = panel.edges
    span = (float(edges[0]), float(edges[-1])) if edges is not None else None
    up = _along(limits, PLOT, log=panel.log_y)
    borders = _along(span, PLOT, log=False)(edges) if span and edges is not None else np.linspace(0, PLOT, n + 1)
    zero = float(up(np.array(limits[0] if panel.log_y else max(limits[0], min(0.0, limits[1])))))
    said = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    body = _frame(span, limits, panel.labels.title, said)
    for at, top in enumerate(up(panel.values)):
        role = panel.role[at] if isinstance(panel.role, tuple) else panel.role
        low, high = sorted((zero, float(top))) if np.isfinite(top) else (zero, zero)
        gap = 0.1 * float(borders[at + 1] - borders[at])
        place = f'x="{LEFT + borders[at] + gap / 2:.1f}" width="{max(0.5, borders[at + 1] - borders[at] - gap):.1f}"'
        colour = colour_of(role, "light") if role else _ACCENT
        body += f'<rect {place} y="{TOP + PLOT - high:.1f}" height="{high - low:.1f}" fill="{colour}"/>'
    if panel.overlay is not None:
        x, y = panel.overlay
        x = _along(span, PLOT, log=False)(x) if span else (x + 0.5) * PLOT / n
        body += f'<path d="{_path(x, up(y))}" fill="none" stroke="{_INK}" stroke-width="1.4"/>'
    for at in _shown(panel.labels.labels) if span is None else ():
        middle, label = LEFT + (at + 0.5) * PLOT / n, _short(panel.labels.labels[at])
        write = set_at if panel.labels.formulas else text_at
        turned = write(middle, TOP + PLOT + 12, label, size=9, anchor="end", turn=-40)
        body += stacked_at(middle, label, below=TOP + PLOT + 14) or turned
    height = TOP + PLOT + (BELOW if span else BELOW + 16)
    if panel.overlay is not None:
        body += set_at(LEFT, height, _("line: {name}", name=panel.overlay_name), size=10, colour=_MUTED)
        height += 14
    return body, height + 4


def _graph(panel: GraphPanel) -> tuple[str, float]:
    first, last = panel.drawn
    layers, count = len(panel.layers.labels), last - first + 1
    step, rise = (WIDTH - LEFT - 16) / max(1, count - 1), PLOT / max(1, layers - 1)

    def place(layer: int, token: int) -> tuple[float, float]:
        return LEFT + (token - first) * step, TOP + PLOT - layer * rise

    body = ""
    for edges in panel.edges:
        colour, width = role_colour(edges.role) if edges.lit or edges.role else _GRID, 1.4 if edges.lit else 0.6
        for level, upper, lower in edges.ends:
            body += _line(*place(level, upper), *place(level - 1, lower), colour, width)
    for layer, token in () if panel.has_boxes else np.ndindex(layers, count):
        x, y = place(layer, token + first)
        body += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{_GRID}"/>'
    for nodes in panel.nodes:
        colour = ROLE_COLOURS["light"][nodes.role] if nodes.role else _INK
        for layer, token in nodes.at:
            x, y = place(layer, token)
            if nodes.boxes:
                wide = _BOX / len(nodes.boxes)
                body += "".join(
                    f'<rect x="{x - _BOX / 2 + wide * i:.1f}" y="{y - _BOX / 2:.1f}" width="{wide:.1f}" '
                    f'height="{_BOX}" fill="{ROLE_COLOURS["light"][one]}"/>' for i, one in enumerate(nodes.boxes)
                )  # fmt: skip
                continue
            body += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if nodes.large else 2.6}" fill="{colour}"/>'
    for layer, label in enumerate(panel.layers.labels):
        body += text_at(LEFT - 8, place(layer, first)[1] + 4, _short(label), size=10, anchor="end")
    for at in _shown(panel.tokens.labels[first : last + 1], 12):
        body += text_at(place(0, at + first)[0], TOP + PLOT + 16, _short(panel.tokens.labels[at + first]), size=9,
                      anchor="middle")  # fmt: skip
    named = [one for one in (*panel.edges, *panel.nodes) if one.name]
    for i, one in enumerate(named):
        y = TOP + PLOT + 32 + 14 * i
        if isinstance(one, Nodes):
            colour = ROLE_COLOURS["light"][one.role] if one.role else _INK
            body += f'<circle cx="{LEFT + 8}" cy="{y - 4}" r="3.5" fill="{colour}"/>'
        else:
            body += _line(LEFT, y - 4, LEFT + 16, y - 4, role_colour(one.role), 2)
        body += set_at(LEFT + 22, y, one.name, size=10, colour=_MUTED)
    height = TOP + PLOT + 40 + 14 * len(named)
    if panel.gauge:
        (value,), (says,) = panel.gauge.values.tolist(), panel.gauge.says
        wide = (WIDTH - LEFT - 16) * value / panel.gauge.most
        body += f'<rect x="{LEFT}" y="{height - 8}" width="{wide:.1f}" height="10" fill="{_ACCENT}"/>'
        body += text_at(LEFT, height + 16, says, size=10)
        height += 32
    return body, height
