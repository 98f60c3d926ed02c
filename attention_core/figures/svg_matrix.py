"""A matrix in SVG. Its cells are one small image, a pixel for each: thousands of rectangles make a heavy file."""

from math import ceil
from typing import Final

import numpy as np

from attention_core.figures.cells import format_cell
from attention_core.figures.panels import Array, Axis, Limits, MatrixPanel
from attention_core.figures.png import png_url
from attention_core.figures.svg_arcs import RISE, arcs_at, switches_at
from attention_core.figures.svg_pen import BELOW, LEFT, MOST_LABELS, TOP, Pen, disc, rect, short, shown, text_width
from attention_core.figures.theme import SCALES, Palette
from attention_core.measuring.number_format import format_number

_CELL: Final = 34 / 210  # of a panel's values from top to bottom, that a cell takes at most
_DIGIT: Final = 0.575  # of its size that a digit of a cell takes
_LINE: Final = 10  # pixels from one label to the next, at least
_DIGITS: Final = (11, 10, 9, 8)  # their sizes
_APART: Final = 12  # pixels of a cell that is large enough to stand apart from the others
_VEIL: Final = 0.75  # of its colour, where a cell shows its part of a picture below


def _written(axis: Axis, most: float) -> list[tuple[float, str]]:
    """The labels along a side, with their rows or columns; of groups their names, in the middle.

    Args:
        axis: The side.
        most: How many labels have room there.
    """
    if axis.groups:
        each = len(axis.labels) / len(axis.groups)
        return [((at + 0.5) * each - 0.5, short(name)) for at, name in enumerate(axis.groups)]
    return [(at, short(axis.labels[at])) for at in shown(axis.labels, min(MOST_LABELS, max(1, int(most))))]


def _colours(values: Array, limits: Limits, palette: Palette, hidden: Array | None, pen: Pen) -> Array:
    """(rows, columns, 3) bytes: the colour of each cell; the paper's where no colour stands for the number."""
    stops = np.array([_bytes(stop) for stop in SCALES[pen.mode][palette]], float)
    known = np.isfinite(values)
    at = np.clip((np.where(known, values, limits[0]) - limits[0]) / (limits[1] - limits[0]), 0, 1) * (len(stops) - 1)
    low = np.minimum(at.astype(int), len(stops) - 2)
    mixed = stops[low] + (at - low)[..., None] * (stops[low + 1] - stops[low])
    mixed[~known] = _bytes(pen.paper)
    if hidden is not None:
        mixed[hidden] = _bytes(pen.hidden)
    return mixed.round().astype(np.uint8)


def _bytes(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def cell_size(panel: MatrixPanel, pen: Pen) -> tuple[float, float]:
    """Width and height of a cell in pixels."""
    (rows, columns), most = panel.values.shape, _CELL * pen.down
    if panel.image is not None:
        side = min(pen.across / columns, pen.down / rows)
        return side, side
    return min(most, pen.across / columns), min(most, pen.down / rows)


def cells_top(panel: MatrixPanel) -> float:
    """The top of the first row, in pixels."""
    return TOP + (RISE if panel.arcs else 0)


def matrix_at(panel: MatrixPanel, pen: Pen, chosen: tuple[int, int] | None = None) -> tuple[str, float]:
    """The matrix with its labels and what its colours mean, and how high that is in pixels.

    Args:
        panel: What is drawn; outside a sweep.
        pen: Draws.
        chosen: Row and column of the cell that is chosen; None for none.
    """
    (rows, columns), (wide, high) = panel.values.shape, cell_size(panel, pen)
    across, down = wide * columns, high * rows
    colours = _colours(panel.values, panel.colour_limits, panel.palette, panel.hidden, pen)
    if panel.cells == "allowed":
        colours[~panel.is_hidden] = _bytes(pen.paper)
    if panel.image is not None:
        colours = _veiled(panel.image, panel, pen)
    place = f'x="{LEFT}" y="{TOP}" width="{across:.1f}" height="{down:.1f}"'
    body = f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated" href="{png_url(colours)}"/>'
    body += _hatch(panel.is_hidden, pen, wide, high)
    body += _borders(panel, pen, wide, high) + _labels(panel, pen, wide, high)
    if panel.cells == "allowed":
        body += _dots(panel, pen, wide, high)
    else:
        body += _numbers(panel, colours, pen, wide, high) + switches_at(panel, pen, LEFT + across + 6, TOP, high)
    if panel.arcs and not panel.arcs.off:
        body += _ring(pen.accent, LEFT - 2, TOP + panel.arcs.row * high - 1, across + 4, high + 2, 1.5)
    if chosen is not None and chosen[0] < rows and chosen[1] < columns:
        at = (LEFT + chosen[1] * wide, TOP + chosen[0] * high, wide, high)
        body += _ring(pen.paper, *at, 5) + _ring(pen.accent, *at, 2.5)
    (keys, end), names = _keys(panel, pen, TOP + down + 12), _axis_names(panel, pen)
    if panel.arcs is None:
        return names + body + keys, end
    arcs = arcs_at(panel, panel.arcs, pen, LEFT, TOP + RISE - 26, wide)
    return f'{names}<g transform="translate(0 {RISE})">{body}{keys}</g>{arcs}', end + RISE


def _veiled(image: Array, panel: MatrixPanel, pen: Pen) -> Array:
    """(k · rows, k · columns, 3) bytes: the picture, and over each cell's part of it a veil of violet."""
    greys = _colours(image, (0.0, 1.0), "ink", None, pen).astype(float)
    low, high = panel.colour_limits
    thick = _VEIL * np.clip((np.nan_to_num(panel.values) - low) / (high - low), 0, 1)[..., None]
    each = image.shape[0] // panel.values.shape[0]
    thick = thick.repeat(each, 0).repeat(each, 1)
    return (greys + thick * (np.array(_bytes(pen.accent)) - greys)).round().astype(np.uint8)


def _ring(colour: str, x: float, y: float, width: float, height: float, broad: float) -> str:
    return rect(x, y, width, height, "none", f' rx="4" stroke="{colour}" stroke-width="{broad}"')


def _labels(panel: MatrixPanel, pen: Pen, wide: float, high: float) -> str:
    """Draw labels beside rows and above columns, and the rail of the rows' role."""
    body, beside = "", LEFT - 4
    if panel.role:
        beside -= 6
        body += rect(LEFT - 6, TOP, 4, high * len(panel.rows.labels), pen.colour(panel.role))
    for row, label in () if pen.bare else _written(panel.rows, high * len(panel.rows.labels) / _LINE):
        colour = pen.muted if row in panel.rows.pale else pen.ink
        body += pen.text(beside, TOP + (row + 0.5) * high + 4, label, size=10, anchor="end", colour=colour)
    columns = _written(panel.columns, wide * len(panel.columns.labels) / _LINE)
    room = wide * (columns[1][0] - columns[0][0] if len(columns) > 1 else len(panel.columns.labels))
    level = all(text_width(label) < room - 2 for _, label in columns)
    for column, label in columns:
        x, colour = LEFT + (column + 0.5) * wide, pen.muted if column in panel.columns.pale else pen.ink
        if level:
            body += pen.text(x, TOP - 6, label, size=10, anchor="middle", colour=colour)
        else:
            slanted = pen.text(x + 0.1 * wide, TOP - 4, label, size=10, turn=-40, colour=colour)
            body += pen.stacked(x, label, above=TOP - 6) or slanted
    return body


def _borders(panel: MatrixPanel, pen: Pen, wide: float, high: float) -> str:
    """Between groups, and between cells that are large enough to stand apart."""
    rows, columns = panel.values.shape
    lines = "".join(f"M{LEFT} {TOP + at * high:.1f}h{columns * wide:.1f}" for at in _ends(panel.rows))
    lines += "".join(f"M{LEFT + at * wide:.1f} {TOP}v{rows * high:.1f}" for at in _ends(panel.columns))
    if min(wide, high) >= _APART and panel.cells != "allowed":
        lines += "".join(f"M{LEFT} {TOP + at * high:.1f}h{columns * wide:.1f}" for at in range(1, rows))
        lines += "".join(f"M{LEFT + at * wide:.1f} {TOP}v{rows * high:.1f}" for at in range(1, columns))
    return f'<path d="{lines}" stroke="{pen.paper}" stroke-width="2" fill="none"/>' if lines else ""


def _ends(axis: Axis) -> range:
    """The borders between groups."""
    return range(0, len(axis.labels), len(axis.labels) // max(1, len(axis.groups)))[1:]


def _numbers(panel: MatrixPanel, colours: Array, pen: Pen, wide: float, high: float) -> str:
    """Draw the numbers in the cells, if all of them fit."""
    (places,), seen = panel.decimals, zip(*np.nonzero(~panel.is_hidden), strict=True)
    texts = {at: format_cell(float(panel.values[at]), panel.cells, places) for at in seen}
    long = max(map(len, texts.values()), default=0)
    fit = (digits for digits in _DIGITS if 3 * digits <= min(wide, high) and long * _DIGIT * digits <= wide - 2)
    if not (size := next(fit, 0)):
        return ""
    if panel.image is not None:
        return _on_chips(texts, pen, wide, high)
    return "".join(
        pen.text(LEFT + (column + 0.5) * wide, TOP + (row + 0.5) * high + 0.36 * size, text, size=size,
                 anchor="middle", colour=ink_on(colours[row, column]))
        for (row, column), text in texts.items() if text
    )  # fmt: skip


def _on_chips(texts: dict[tuple[int, int], str], pen: Pen, wide: float, high: float) -> str:
    """Draw the numbers on chips of paper in a corner of their cells, where a picture stands below them."""
    size, body = min(13.0, 0.2 * high), ""
    for (row, column), text in texts.items():
        if text:
            x, y, across = LEFT + (column + 1) * wide, TOP + (row + 1) * high, text_width(text, size) + 6
            chip = f' rx="{size / 3:.1f}" fill-opacity="0.85"'
            body += rect(x - across - 3, y - 1.4 * size - 3, across, 1.4 * size, pen.paper, chip)
            body += pen.text(x - across / 2 - 3, y - 0.35 * size - 3, text, size=size, anchor="middle")
    return body


def _hatch(hidden: Array, pen: Pen, wide: float, high: float) -> str:
    """Slanted lines over all cells that are hidden, where cells are large enough to show them."""
    if min(wide, high) < 4 or not hidden.any():
        return ""
    lines = []
    for row, cells in enumerate(hidden):
        top, bottom = TOP + row * high, TOP + (row + 1) * high
        edges = np.flatnonzero(np.diff(np.concatenate([[False], cells, [False]]).astype(int)))
        for left, right in (LEFT + edges.reshape(-1, 2) * wide).tolist():
            lines += [_slant(at, left, right, top, bottom) for at in _slants(left + top, right + bottom)]
    return _hatching(pen, lines)


def _slants(low: float, high: float) -> range:
    return range(int(low // 5) + 1, ceil(high / 5))


def _slant(at: int, left: float, right: float, top: float, bottom: float) -> str:
    """The part within a box of the line where x + y = 5 · at."""
    up, down = max(top, at * 5 - right), min(bottom, at * 5 - left)
    return f"M{at * 5 - up:.1f} {up:.1f}L{at * 5 - down:.1f} {down:.1f}"


def _hatching(pen: Pen, lines: list[str]) -> str:
    return f'<path d="{"".join(lines)}" stroke="{pen.muted}" stroke-opacity="0.45" fill="none"/>'


def _dots(panel: MatrixPanel, pen: Pen, wide: float, high: float) -> str:
    """A dot in each cell that is allowed, as large as the share that allows it."""
    rows, columns = panel.values.shape
    most = 0.16 * min(wide, high)
    return rect(LEFT, TOP, columns * wide, rows * high, "none", f' stroke="{pen.grid}"') + "".join(
        f'<circle cx="{LEFT + (column + 0.5) * wide:.1f}" cy="{TOP + (row + 0.5) * high:.1f}" '
        f'r="{most * float(panel.values[row, column]) ** 0.5:.1f}" fill="{pen.ink}"/>'
        for row, column in np.argwhere(~panel.is_hidden).tolist()
    )


def ink_on(colour: Array) -> str:
    """White or black on a colour (3,) of 0 to 255, whichever reads better: at least 4.58 : 1."""
    linear = np.where(colour <= 10, colour / 255 / 12.92, ((colour / 255 + 0.055) / 1.055) ** 2.4)
    alike = (1.05 * 0.05) ** 0.5 - 0.05  # WCAG's relative luminance on which both read alike
    return "#FFFFFF" if linear @ np.array([0.2126, 0.7152, 0.0722]) < alike else "#000000"


def _axis_names(panel: MatrixPanel, pen: Pen) -> str:
    rows, columns = f"{panel.rows.title} ↓", f"{panel.columns.title} →"
    names = pen.formula(pen.start, 34, rows, size=10, weight=600, colour=pen.colour(panel.rows.role))
    x = pen.start + 12 + text_width(rows, 10.5)
    return names + pen.formula(x, 34, columns, size=10, weight=600, colour=pen.colour(panel.columns.role))


def _keys(panel: MatrixPanel, pen: Pen, y: float) -> tuple[str, float]:
    """Draw the legend of colours, dots and hidden cells; returns its lower end too."""
    quantity = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    if panel.cells == "allowed":
        body = disc(LEFT + 4, y + 4, 3, pen.ink) + pen.text(LEFT + 12, y + 8, quantity, size=10, colour=pen.muted)
        end = y + BELOW - 28
    else:
        low, high = panel.colour_limits
        ramp = _colours(np.linspace(low, high, 64)[None], (low, high), panel.palette, None, pen)
        place = f'x="{LEFT}" y="{y:.1f}" width="80" height="8" preserveAspectRatio="none"'
        body = f'<image {place} href="{png_url(ramp)}"/>'
        numbers = f"{format_number(low)} … {format_number(high)}"
        body += pen.text(LEFT + 86, y + 8, numbers, size=10, colour=pen.muted)
        body += pen.formula(LEFT, y + 22, quantity, size=10, colour=pen.muted)
        end = y + BELOW - 12
    if panel.is_hidden.any():
        top = end - 12
        body += rect(LEFT, top, 10, 10, pen.hidden)
        slants = [_slant(at, LEFT, LEFT + 10, top, top + 10) for at in _slants(LEFT + top, LEFT + top + 20)]
        body += _hatching(pen, slants) + pen.text(LEFT + 16, top + 9, panel.hidden_as, size=10, colour=pen.muted)
        end += 14
    return body, end
