"""Panels for paper: each as SVG that needs nothing from elsewhere, in the colours of the light theme.

A matrix's cells are one small image, a pixel for each, because thousands of rectangles make a heavy file.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from attention_core.figures.areas import AreasPanel
from attention_core.figures.graph import GraphPanel, Nodes
from attention_core.figures.lines import LinesPanel, Stroke
from attention_core.figures.matrix import MatrixView, Panel
from attention_core.figures.panels import Array, BarsPanel, Limits, MatrixPanel
from attention_core.figures.svg_lying import lying
from attention_core.figures.svg_matrix import matrix_at
from attention_core.figures.svg_text import (
    BELOW,
    LEFT,
    PLOT,
    TOP,
    WIDTH,
    line_at,
    role_colour,
    set_at,
    short,
    shown,
    stacked_at,
    text_at,
)
from attention_core.figures.text import escape_xml, wrapped
from attention_core.figures.theme import GRID, HIDDEN, INK, MUTED, ROLE_COLOURS, SCALES, colour_of
from attention_core.language import columns, sentences
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number

_BOX: Final = 18  # pixels of a node that is a box
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
            body, height = matrix_at(panel)
        case BarsPanel(lying=True):
            body, height = lying(panel, text_at)
        case BarsPanel():
            body, height = _bars(panel)
        case LinesPanel():
            body, height = _lines(panel)
        case GraphPanel():
            body, height = _graph(panel)
        case AreasPanel():
            body, height = _areas(panel)
    said = wrapped(str(sentences((panel.note, panel.warning))))
    body += "".join(set_at(4, height + 14 * i, line, size=10, colour=_MUTED) for i, line in enumerate(said))
    height += 14 * len(said)
    role = panel.role if isinstance(panel, MatrixPanel) else None
    title = set_at(4, 16, panel.title, weight=600, size=13, coloured=True, colour=role_colour(role) if role else _INK)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape_xml(panel.title)}" font-family="sans-serif">{title}{body}</svg>'
    )


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
    body = line_at(LEFT, TOP, LEFT, TOP + PLOT) + line_at(LEFT, TOP + PLOT, LEFT + wide, TOP + PLOT)
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
        body += line_at(right + 2, end, right + 11, middle, colour, 1, dash)
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
    if panel.awaits:
        body += text_at(LEFT + wide / 2, TOP + PLOT / 2, panel.awaits, size=13, anchor="middle", colour=_MUTED)
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
            until = panel.marked if panel.unfolds and not one.dashed else None
            for part, faint in ((slice(None), ""),) if until is None else (
                (slice(until + 1), ""), (slice(until, None), ' opacity="0.25"')
            ):  # fmt: skip
                path = f'<path d="{_path(x[part], y[part])}" fill="none" stroke="{colour}" stroke-width="1.8"'
                body += f"{path}{_DASHES[stroke]}{faint}/>"
        if one.pointed and (at := panel.point(one)) is not None:
            body += f'<circle cx="{LEFT + x[at]:.1f}" cy="{TOP + PLOT - y[at]:.1f}" r="3.5" fill="{colour}"/>'
            body += _beside(x[at], y[at] + 8, panel.said(one), colour)
        elif one.listed and not names:
            body += line_at(LEFT, height - 4, LEFT + 16, height - 4, colour, 2, _DASHES[stroke])
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
    for at in shown(panel.labels.labels) if span is None else ():
        middle, label = LEFT + (at + 0.5) * PLOT / n, short(panel.labels.labels[at])
        write = set_at if panel.labels.formulas else text_at
        turned = write(middle, TOP + PLOT + 12, label, size=9, anchor="end", turn=-40)
        body += stacked_at(middle, label, below=TOP + PLOT + 14) or turned
    height = TOP + PLOT + (BELOW if span else BELOW + 16)
    if panel.overlay is not None:
        body += set_at(LEFT, height, _("line: {name}", name=panel.overlay_name), size=10, colour=_MUTED)
        height += 14
    return body, height + 4


def _beside(x: float, y: float, text: str, colour: str) -> str:
    """A text to the right of a point of the plot, or to its left where it would leave it."""
    side, anchor = (8, "start") if x + 8 + 5.5 * columns(text) < PLOT + 40 else (-8, "end")
    return text_at(LEFT + x + side, TOP + PLOT - y + 4, text, size=10, anchor=anchor, colour=colour, weight=600)


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
            body += line_at(start, TOP + PLOT - y, LEFT + x, TOP + PLOT - y, _INK, 1.5)
            for end in (start, LEFT + x):
                body += line_at(end, TOP + PLOT - y - 4, end, TOP + PLOT - y + 4, _INK, 1.5)
        body += _beside(x, y, one.said[0], colour)
    for at in shown(panel.labels.labels, 8):
        x = LEFT + float(across(np.array(at + 0.5)))
        body += text_at(x, TOP + PLOT + 14, panel.labels.labels[at], size=10, anchor="middle", colour=_MUTED)
    return body, TOP + PLOT + BELOW


def _graph(panel: GraphPanel) -> tuple[str, float]:
    first, last = panel.drawn
    layers, count = len(panel.layers.labels), last - first + 1
    step, rise = (WIDTH - LEFT - 16) / max(1, count - 1), PLOT / max(1, layers - 1)

    def place(layer: int, token: int) -> tuple[float, float]:
        return LEFT + (token - first) * step, TOP + PLOT - layer * rise

    body = ""
    for edges in (one for one in panel.edges if one.lit or panel.has_boxes):  # others are seen where one points
        colour, width = role_colour(edges.role), 1.4
        for level, upper, lower in edges.ends:
            body += line_at(*place(level, upper), *place(level - 1, lower), colour, width)
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
    for layer, said in enumerate(panel.counts):
        body += text_at(WIDTH - 4, place(layer, last)[1] - 8, said, size=10, anchor="end", weight=600)
    for layer, label in enumerate(panel.layers.labels):
        body += text_at(LEFT - 8, place(layer, first)[1] + 4, short(label), size=10, anchor="end")
    for at in shown(panel.tokens.labels[first : last + 1], 12):
        body += text_at(place(0, at + first)[0], TOP + PLOT + 16, short(panel.tokens.labels[at + first]), size=9,
                      anchor="middle")  # fmt: skip
    named = [one for one in (*panel.edges, *panel.nodes) if one.name]
    for i, one in enumerate(named):
        y = TOP + PLOT + 32 + 14 * i
        if isinstance(one, Nodes):
            colour = ROLE_COLOURS["light"][one.role] if one.role else _INK
            body += f'<circle cx="{LEFT + 8}" cy="{y - 4}" r="3.5" fill="{colour}"/>'
        else:
            body += line_at(LEFT, y - 4, LEFT + 16, y - 4, role_colour(one.role), 2)
        body += set_at(LEFT + 22, y, one.name, size=10, colour=_MUTED)
    height = TOP + PLOT + 40 + 14 * len(named)
    if panel.gauge:
        (value,), (says,) = panel.gauge.values.tolist(), panel.gauge.says
        wide = (WIDTH - LEFT - 16) * value / panel.gauge.most
        body += f'<rect x="{LEFT}" y="{height - 8}" width="{wide:.1f}" height="10" fill="{_ACCENT}"/>'
        body += text_at(LEFT, height + 16, says, size=10)
        height += 32
    return body, height
