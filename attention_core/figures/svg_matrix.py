"""A matrix in SVG. Its cells are one small image, a pixel for each: thousands of rectangles make a heavy file."""

from math import ceil
from typing import Final

import numpy as np

from attention_core.figures.cells import format_cell
from attention_core.figures.panels import Array, Axis, Limits, MatrixPanel
from attention_core.figures.png import png_url
from attention_core.figures.svg_arcs import arcs_at, switches_at
from attention_core.figures.svg_text import (
    BELOW,
    LEFT,
    PLOT,
    TOP,
    role_colour,
    set_at,
    short,
    shown,
    stacked_at,
    text_at,
)
from attention_core.figures.theme import GRID, HIDDEN, INK, MUTED, SCALES, Palette
from attention_core.measuring.number_format import format_number

_BOX: Final = 18  # pixels of a node that is a box

_CELL: Final = 34
_DIGIT: Final = 4.6  # pixels that a digit of a cell takes
_RISE: Final = 40  # pixels of arcs above a matrix
_INK, _MUTED, _GRID, _HIDDEN = (colours["light"] for colours in (INK, MUTED, GRID, HIDDEN))
_SEQUENTIAL = SCALES["light"]["sequential"]


def _written(axis: Axis) -> list[tuple[float, str]]:
    """What is written along a side, and beside which row or column: of groups their names, in their middles."""
    if axis.groups:
        each = len(axis.labels) / len(axis.groups)
        return [((at + 0.5) * each - 0.5, short(name)) for at, name in enumerate(axis.groups)]
    return [(at, short(axis.labels[at])) for at in shown(axis.labels)]


def _borders(axis: Axis) -> range:
    """Where one group ends and the next begins."""
    return range(0, len(axis.labels), len(axis.labels) // max(1, len(axis.groups)))[1:]


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


def matrix_at(panel: MatrixPanel) -> tuple[str, float]:
    """The matrix with its labels and what its colours mean, and how high that is in pixels."""
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
