"""Panels for paper: each as SVG that needs nothing from elsewhere, in the colours of the light theme.

A matrix's cells are one small image, a pixel for each, because thousands of rectangles make a heavy file.
"""

import base64
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.experiments.words import characters, is_unspaced_letter
from attention_core.figures.areas import AreasPanel
from attention_core.figures.graph import GraphPanel, Nodes
from attention_core.figures.lines import LinesPanel, Stroke
from attention_core.figures.matrix import MatrixView, Panel
from attention_core.figures.panels import Array, Axis, BarsPanel, Limits, MatrixPanel
from attention_core.figures.text import escape_xml, wrapped
from attention_core.figures.theme import GRID, HIDDEN, INK, MUTED, ROLE_COLOURS, SCALES, Role, Scale, colour_of
from attention_core.language import columns, sentences
from attention_core.language import gettext as _

WIDTH: Final = 320
PLOT: Final = 210  # pixels that a panel's values take at most, across and down
LEFT, TOP, BELOW = 64, 66, 44
_CELL: Final = 34
_MOST_STACKED: Final = 4  # characters that have room below each other
_MOST_LABELS: Final = 24
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
        case BarsPanel():
            body, height = _bars(panel)
        case LinesPanel():
            body, height = _lines(panel)
        case GraphPanel():
            body, height = _graph(panel)
        case AreasPanel():
            body, height = _areas(panel)
    said = wrapped(str(sentences((panel.note, panel.warning))))
    body += "".join(_text(4, height + 14 * i, line, size=10, colour=_MUTED) for i, line in enumerate(said))
    height += 14 * len(said)
    title = _text(4, 16, panel.title, weight=600, size=13)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape_xml(panel.title)}" font-family="sans-serif">{title}{body}</svg>'
    )


def _text(
    x: float, y: float, text: str, *, size: int = 11, anchor: str = "start", colour: str = _INK, weight: int = 400,
    turn: int = 0,
) -> str:  # fmt: skip
    place = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}{place}>{escape_xml(text)}</text>'


def _stacked(x: float, label: str, *, above: float = 0, below: float = 0) -> str:
    """A label whose characters stand one below the other, as Chinese is read; empty for others and long ones.

    Args:
        x: Its middle.
        label: The label.
        above: Where its last character stands, if it stands above something.
        below: Where its first one does otherwise.
    """
    letters = characters(label)
    if len(letters) > _MOST_STACKED or not any(map(is_unspaced_letter, label)):
        return ""
    first = below or above - 11 * (len(letters) - 1)
    # A place for each character; where one is several units of UTF-16, SVG counts these.
    places = [first + 11 * at for at, one in enumerate(letters) for _ in range(len(one.encode("utf-16-le")) // 2)]
    told = f'x="{" ".join(f"{x:.1f}" for _ in places)}" y="{" ".join(f"{y:.1f}" for y in places)}"'
    return _text(x, first, label, size=10, anchor="middle").replace(f'x="{x:.1f}" y="{first:.1f}"', told, 1)


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


def _colour_of(role: Role | None) -> str:
    return ROLE_COLOURS["light"][role] if role else _MUTED


def _colours(values: Array, limits: Limits, scale: Scale, hidden: Array | None) -> Array:
    """(rows, columns, 3) bytes: the colour of each cell; white where no colour stands for the number."""
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in SCALES["light"][scale]], float)
    known = np.isfinite(values)
    at = np.clip((np.where(known, values, limits[0]) - limits[0]) / (limits[1] - limits[0]), 0, 1) * (len(stops) - 1)
    low = np.minimum(at.astype(int), len(stops) - 2)
    mixed = stops[low] + (at - low)[..., None] * (stops[low + 1] - stops[low])
    mixed[~known] = 255
    if hidden is not None:
        mixed[hidden] = [int(_HIDDEN[i : i + 2], 16) for i in (1, 3, 5)]
    return mixed.round().astype(np.uint8)


def _png(pixels: Array) -> str:
    """(rows, columns, 3) bytes as the address of a PNG."""
    rows, columns, _ = pixels.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode()


def _matrix(panel: MatrixPanel) -> tuple[str, float]:
    rows, columns = panel.values.shape
    wide, high = min(_CELL, PLOT / columns), min(_CELL, PLOT / rows)
    across, down, limits = wide * columns, high * rows, panel.colour_limits
    colours = _colours(panel.values, limits, panel.scale, panel.hidden)
    place = f'x="{LEFT}" y="{TOP}" width="{across:.1f}" height="{down:.1f}"'
    body = f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated" href="{_png(colours)}"/>'
    body += _axis_names(panel.rows, panel.columns)
    for row, label in _written(panel.rows):
        body += _text(LEFT - 4, TOP + (row + 0.5) * high + 4, label, size=10, anchor="end")
    for column, label in _written(panel.columns):
        x = LEFT + (column + 0.5) * wide
        body += _stacked(x, label, above=TOP - 6) or _text(x + 0.1 * wide, TOP - 4, label, size=10, turn=-40)
    body += "".join(f'<path d="M{LEFT} {TOP + at * high:.1f}h{across:.1f}" stroke="#FFFFFF" stroke-width="2"/>'
                    for at in _borders(panel.rows))  # fmt: skip
    body += "".join(f'<path d="M{LEFT + at * wide:.1f} {TOP}v{down:.1f}" stroke="#FFFFFF" stroke-width="2"/>'
                    for at in _borders(panel.columns))  # fmt: skip
    if min(wide, high) >= 28:
        body += "".join(_number(panel, colours, row, column, wide, high) for row, column in np.ndindex(rows, columns))
    return body + _scale_bar(panel, TOP + down + 12), TOP + down + BELOW


def _number(panel: MatrixPanel, colours: Array, row: int, column: int, wide: float, high: float) -> str:
    if panel.hidden is not None and panel.hidden[row, column]:
        return ""
    x, y = LEFT + (column + 0.5) * wide, TOP + (row + 0.5) * high + 3
    said = format_number(float(panel.values[row, column]), digits=2)
    return _text(x, y, said, size=8, anchor="middle", colour=ink_on(colours[row, column]))


def ink_on(colour: Array) -> str:
    """White or black on a colour (3,) of 0 to 255, whichever reads better: at least 4.58 : 1."""
    linear = np.where(colour <= 10, colour / 255 / 12.92, ((colour / 255 + 0.055) / 1.055) ** 2.4)
    alike = (1.05 * 0.05) ** 0.5 - 0.05  # WCAG's relative luminance on which both read alike
    return "#FFFFFF" if linear @ np.array([0.2126, 0.7152, 0.0722]) < alike else "#000000"


def _axis_names(rows: Axis, columns: Axis) -> str:
    names = _text(4, 34, f"{rows.title} ↓", size=10, colour=_colour_of(rows.role))
    return names + _text(LEFT + 16, 34, f"{columns.title} →", size=10, colour=_colour_of(columns.role))


def _scale_bar(panel: MatrixPanel, y: float) -> str:
    low, high = panel.colour_limits
    ramp = _colours(np.linspace(low, high, 64)[None], (low, high), panel.scale, None)
    said = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    bar = f'<image x="{LEFT}" y="{y}" width="80" height="8" preserveAspectRatio="none" href="{_png(ramp)}"/>'
    numbers = f"{format_number(low)} … {format_number(high)}"
    return bar + _text(LEFT + 86, y + 8, numbers, size=10, colour=_MUTED) + _text(LEFT, y + 22, said, size=10)


def _along(limits: Limits, length: float, *, log: bool) -> Callable[[Array], Array]:
    """Maps values of an axis to pixels from its beginning."""

    def place(values: Array) -> Array:
        low, high = (np.log10(limits) if log else limits) + np.zeros(2)
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.log10(values) if log else np.asarray(values, float)
        at = np.clip((scaled - low) / (high - low or 1.0), -0.02, 1.02) * length
        return np.where(np.isfinite(scaled), at, np.nan)

    return place


def _frame(x: Limits | None, y: Limits, x_title: str, y_title: str) -> str:
    body = _line(LEFT, TOP, LEFT, TOP + PLOT) + _line(LEFT, TOP + PLOT, LEFT + PLOT, TOP + PLOT)
    for value, at in ((y[0], TOP + PLOT), (y[1], TOP + 8)):
        body += _text(LEFT - 4, at, format_number(value), size=10, anchor="end", colour=_MUTED)
    for value, at in ((x[0], LEFT), (x[1], LEFT + PLOT)) if x else ():
        body += _text(at, TOP + PLOT + 14, format_number(value), size=10, anchor="middle", colour=_MUTED)
    below = TOP + PLOT + (28 if x else 42)  # names of bars stand slanted above it
    body += _text(LEFT + PLOT / 2, below, x_title, size=10, anchor="middle", colour=_MUTED)
    return body + _text(4, 34, y_title, size=10, colour=_MUTED)


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


def _lines(panel: LinesPanel) -> tuple[str, float]:
    limits = (float(panel.x[0]), float(panel.x[-1]))
    across, up = _along(limits, PLOT, log=panel.log_x), _along(panel.y_limits, PLOT, log=panel.log_y)
    body, height, x = (
        _frame(limits, panel.y_limits, panel.x_title, panel.y_title),
        TOP + PLOT + BELOW,
        across(panel.x),
    )
    if panel.awaits:
        body += _text(LEFT + PLOT / 2, TOP + PLOT / 2, panel.awaits, size=13, anchor="middle", colour=_MUTED)
    for one, stroke, worn in zip(panel.series, panel.strokes, panel.colours, strict=True):
        colour = colour_of(worn, "light")
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
            until = panel.marked if panel.unfolds and not one.dashed else None
            for part, faint in ((slice(None), ""),) if until is None else (
                (slice(until + 1), ""), (slice(until, None), ' opacity="0.25"')
            ):  # fmt: skip
                path = f'<path d="{_path(x[part], y[part])}" fill="none" stroke="{colour}" stroke-width="1.8"'
                body += f"{path}{_DASHES[stroke]}{faint}/>"
        if one.pointed and (at := panel.point(one)) is not None:
            body += f'<circle cx="{LEFT + x[at]:.1f}" cy="{TOP + PLOT - y[at]:.1f}" r="3.5" fill="{colour}"/>'
            body += _beside(x[at], y[at] + 8, panel.said(one), colour)
        elif one.listed:
            body += _line(LEFT, height - 4, LEFT + 16, height - 4, colour, 2, _DASHES[stroke])
            body += _text(LEFT + 22, height, one.name, size=10, colour=_MUTED)
            height += 14
    return body, height + 4


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
        turned = _text(middle, TOP + PLOT + 12, label, size=9, anchor="end", turn=-40)
        body += _stacked(middle, label, below=TOP + PLOT + 14) or turned
    height = TOP + PLOT + (BELOW if span else BELOW + 16)
    if panel.overlay is not None:
        body += _text(LEFT, height, _("line: {name}", name=panel.overlay_name), size=10, colour=_MUTED)
        height += 14
    return body, height + 4


def _beside(x: float, y: float, text: str, colour: str) -> str:
    """A text to the right of a point of the plot, or to its left where it would leave it."""
    side, anchor = (8, "start") if x + 8 + 5.5 * columns(text) < PLOT + 40 else (-8, "end")
    return _text(LEFT + x + side, TOP + PLOT - y + 4, text, size=10, anchor=anchor, colour=colour, weight=600)


def _areas(panel: AreasPanel) -> tuple[str, float]:
    named = bool(panel.labels.labels)
    body = _frame(None if named else panel.span, panel.height_limits, panel.labels.title, panel.quantity)
    across, up = _along(panel.span, PLOT, log=False), _along(panel.height_limits, PLOT, log=False)
    for i, one in enumerate(panel.areas):
        colour, edges, tops = colour_of(one.role, "light"), across(one.edges), up(one.values)
        if panel.smooth:
            x = np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2, edges[-1:]])
            body += f'<path d="{_path(x, np.pad(tops, 1))}Z" fill="{colour}" fill-opacity="{0.8 if i else 0.5}"/>'
        for left, right, top in () if panel.smooth else zip(edges, edges[1:], tops, strict=False):
            gap = (right - left) * (0.25 if i else 0.1)
            place = f'x="{LEFT + left + gap:.1f}" width="{right - left - 2 * gap:.1f}"'
            place += f' y="{TOP + PLOT - top:.1f}" height="{max(0, top):.1f}"'
            body += f'<rect {place} fill="{colour}" fill-opacity="{1 if i else 0.5}"/>'
        at = panel.place(i)
        x, y = float(across(np.array(at[0]))), float(up(np.array(at[1])))
        if one.bracket is not None:
            start = LEFT + float(across(one.bracket)[0])
            body += _line(start, TOP + PLOT - y, LEFT + x, TOP + PLOT - y, _INK, 1.5)
            for end in (start, LEFT + x):
                body += _line(end, TOP + PLOT - y - 4, end, TOP + PLOT - y + 4, _INK, 1.5)
        body += _beside(x, y, one.said[0], colour)
    for at in _shown(panel.labels.labels, 8):
        x = LEFT + float(across(np.array(at + 0.5)))
        body += _text(x, TOP + PLOT + 14, panel.labels.labels[at], size=10, anchor="middle", colour=_MUTED)
    return body, TOP + PLOT + BELOW


def _graph(panel: GraphPanel) -> tuple[str, float]:
    first, last = panel.drawn
    layers, count = len(panel.layers.labels), last - first + 1
    step, rise = (WIDTH - LEFT - 16) / max(1, count - 1), PLOT / max(1, layers - 1)

    def place(layer: int, token: int) -> tuple[float, float]:
        return LEFT + (token - first) * step, TOP + PLOT - layer * rise

    body = ""
    for edges in (one for one in panel.edges if one.lit):  # the others are seen on a page only, where one points
        colour, width = _colour_of(edges.role), 1.4
        for level, upper, lower in edges.ends:
            body += _line(*place(level, upper), *place(level - 1, lower), colour, width)
    for layer, token in np.ndindex(layers, count):
        x, y = place(layer, token + first)
        body += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{_GRID}"/>'
    for nodes in panel.nodes:
        colour = ROLE_COLOURS["light"][nodes.role] if nodes.role else _INK
        for layer, token in nodes.at:
            x, y = place(layer, token)
            body += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if nodes.large else 2.6}" fill="{colour}"/>'
    for layer, said in enumerate(panel.counts):
        body += _text(WIDTH - 4, place(layer, last)[1] - 8, said, size=10, anchor="end", weight=600)
    for layer, label in enumerate(panel.layers.labels):
        body += _text(LEFT - 8, place(layer, first)[1] + 4, _short(label), size=10, anchor="end")
    for at in _shown(panel.tokens.labels[first : last + 1], 12):
        body += _text(place(0, at + first)[0], TOP + PLOT + 16, _short(panel.tokens.labels[at + first]), size=9,
                      anchor="middle")  # fmt: skip
    named = [one for one in (*panel.edges, *panel.nodes) if one.name]
    for i, one in enumerate(named):
        y = TOP + PLOT + 32 + 14 * i
        if isinstance(one, Nodes):
            colour = ROLE_COLOURS["light"][one.role] if one.role else _INK
            body += f'<circle cx="{LEFT + 8}" cy="{y - 4}" r="3.5" fill="{colour}"/>'
        else:
            body += _line(LEFT, y - 4, LEFT + 16, y - 4, _colour_of(one.role), 2)
        body += _text(LEFT + 22, y, one.name, size=10, colour=_MUTED)
    return body, TOP + PLOT + 40 + 14 * len(named)
