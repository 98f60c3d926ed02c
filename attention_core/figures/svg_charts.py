"""Curves, bars and areas in SVG: what stands over an axis."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import numpy as np

from attention_core.figures.areas import AreasPanel
from attention_core.figures.lines import LinesPanel, Series, Stroke
from attention_core.figures.panels import Array, BarsPanel, Limits
from attention_core.figures.svg_pen import BELOW, LEFT, TOP, Pen, disc, rect, short, shown, text_width, ticks
from attention_core.figures.text import wrapped
from attention_core.figures.theme import SCALES
from attention_core.language import columns
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_tick

_NAMES_ROOM: Final = 60  # pixels of a plot that names beside it take, beside what is free there
_NAME: Final = 18  # columns of a line of these names
_BAR: Final = 16  # characters of the name of a bar
_DOTTED: Final = 24  # curves of up to this many points show each of them
_NEAR: Final = 6  # pixels from one point of a curve to the next that a name keeps clear of
_DASHES: Final[dict[Stroke, str]] = {
    "solid": "",
    "dashed": ' stroke-dasharray="5 4"',
    "dotted": ' stroke-dasharray="1.5 3.5"',
    "dashdot": ' stroke-dasharray="8 3 2 3"',
}
Label = tuple[float, float, str, str]  # x and y of a point, and a text for it with its colour


def _along(limits: Limits, length: float, *, log: bool) -> Callable[[Array], Array]:
    """Maps values of an axis to pixels from its beginning."""

    def place(values: Array) -> Array:
        low, high = (np.log10(limits) if log else limits) + np.zeros(2)
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.log10(values) if log else np.asarray(values, float)
        at = np.clip((scaled - low) / (high - low or 1.0), -0.02, 1.02) * length
        return np.where(np.isfinite(scaled), at, np.nan)

    return place


def _frame(pen: Pen, limits: Limits, titles: tuple[str, str], *, log: bool, across: float, below: float = 28) -> str:
    """Round numbers beside the plot, a line from each, and what both sides are."""
    up, body = _along(limits, pen.down, log=log), ""
    for tick in ticks(limits, 4 if log else 3, log=log):
        y = pen.bottom - float(up(np.array(tick)))
        body += pen.line(LEFT, y, LEFT + across, y, pen.grid if tick or log else pen.muted)
        body += pen.text(LEFT - 6, y + 3.5, format_tick(tick), size=10, anchor="end", colour=pen.muted)
    x_title, y_title = titles
    body += pen.formula(
        LEFT + across, pen.bottom + below, f"{x_title} →", size=10, anchor="end", colour=pen.muted, weight=600
    )
    return body + pen.formula(4, 34, y_title, size=10, colour=pen.muted, weight=600)


def _numbers(pen: Pen, span: Limits, across: float, *, log: bool, given: Sequence[float] = ()) -> str:
    """Round numbers below the plot, or those that are ``given`` where there are few."""
    place, most = _along(span, across, log=log), max(2, int(across // 56))
    each = [number for number in ticks(span, min(most, 5) if log else most, log=log) if span[0] <= number <= span[1]]
    if 1 <= len(given) <= 16:
        each = list(given[:: -(-len(given) // max(2, int(across // 32)))])
    return "".join(
        pen.text(LEFT + float(place(np.array(number))), pen.bottom + 14, format_tick(float(f"{number:.6g}")), size=10,
                 anchor="middle", colour=pen.muted) for number in each
    )  # fmt: skip


def _path(pen: Pen, x: Array, y: Array) -> str:
    """The points of a curve; where one is not finite the curve is broken."""
    made, before = [], False
    for at_x, at_y in zip(x, y, strict=True):
        if not np.isfinite([at_x, at_y]).all():
            before = False
            continue
        made.append(f"{'L' if before else 'M'}{LEFT + at_x:.1f} {pen.bottom - at_y:.1f}")
        before = True
    return "".join(made)


def _beside(pen: Pen, labels: Iterable[Label], taken: Array) -> str:
    """Texts beside their points, each where it covers as little as it can of the others and of what is drawn.

    Args:
        pen: Draws.
        labels: The texts.
        taken: (points, 2), x and y of what is drawn.
    """
    boxes, body = list[tuple[float, float, float, float]](), ""
    for x, y, text, colour in labels:
        long = text_width(text) + 4
        places = [(left, dy) for left in (x + 8, x - 8 - long) for dy in (0, *range(-52, 0, 13), *range(13, 65, 13))]
        places += [(x - long / 2, dy) for dy in (-14, 16)]

        def cost(place: tuple[float, float], y: float = y, long: float = long) -> float:
            left, top = place[0], y + place[1] - 7
            crossed = [box for box in boxes if left < box[2] and box[0] < left + long and abs(top - box[1]) < 13]
            inside = (abs(taken[:, 0] - left - long / 2) < long / 2) & (abs(taken[:, 1] - top - 7) < 7)
            leaves = left < LEFT or left + long > pen.width or top < TOP - 16 or top + 14 > pen.bottom + 6
            return 1000 * leaves + 100 * len(crossed) + 2 * float(inside.sum()) + 0.1 * abs(place[1])

        left, lower = min(places, key=cost)
        boxes.append((left, y + lower - 7, left + long, y + lower + 7))
        body += pen.text(left, y + lower + 4, text, size=10, colour=colour, weight=600)
    return body


# ---- curves ----


def _names(panel: LinesPanel) -> dict[int, list[str]]:
    """The names at the ends of two or three curves, in lines, if they find room; else none."""
    listed = {
        at: wrapped(each.name, _NAME) for at, each in enumerate(panel.series) if each.listed and not each.pointed
    }

    def fits(at: int, lines: list[str]) -> bool:
        is_whole = "".join(lines).replace(" ", "") == panel.series[at].name.replace(" ", "")
        return (
            is_whole and 1 <= len(lines) <= 3 and max(map(columns, lines)) <= _NAME and not panel.series[at].crosses
        )

    return listed if 2 <= len(listed) <= 3 and all(fits(at, lines) for at, lines in listed.items()) else {}


def _spread(wanted: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Middles of blocks as near to where they are wanted as they can be without touching."""
    at, edge, order = list(wanted), low, sorted(range(len(wanted)), key=lambda i: wanted[i])
    for i in order:
        at[i] = max(at[i], edge + heights[i] / 2)
        edge = at[i] + heights[i] / 2
    edge = high
    for i in reversed(order):
        at[i] = min(at[i], edge - heights[i] / 2)
        edge = at[i] - heights[i] / 2
    return at


def _written_names(
    pen: Pen, panel: LinesPanel, names: dict[int, list[str]], ends: dict[int, float], right: float
) -> str:
    """The names of curves in their colours, each beside where its curve ends, with a line to it.

    Args:
        pen: Draws.
        panel: The curves.
        names: What is written, by the number of the curve.
        ends: How high each curve ends, in pixels; at 0 if it has no number.
        right: Where the plot ends.
    """
    body, wanted = "", [pen.bottom - min(max(ends[at], 0.0), pen.down) for at in names]
    middles = _spread(wanted, [12.0 * len(lines) for lines in names.values()], TOP - 6, pen.bottom + 6)
    for (at, lines), end, middle in zip(names.items(), wanted, middles, strict=True):
        colour = pen.colour(panel.colours[at])
        body += pen.line(right + 2, end, right + 11, middle, colour, 1, _DASHES[panel.strokes[at]])
        first = middle + 3.5 - 6 * (len(lines) - 1)
        body += "".join(
            pen.formula(right + 14, first + 12 * i, line, size=10, colour=colour) for i, line in enumerate(lines)
        )
    return body


def lines_at(panel: LinesPanel, pen: Pen) -> tuple[str, float]:
    """Curves with what they are called, and how high that is."""
    limits, names = (float(panel.x[0]), float(panel.x[-1])), _names(panel)
    plot = pen.across - _NAMES_ROOM if names else pen.across
    up, x = _along(panel.y_limits, pen.down, log=panel.log_y), _along(limits, plot, log=panel.log_x)(panel.x)
    body = _frame(pen, panel.y_limits, (panel.x_title, panel.y_title), log=panel.log_y, across=plot)
    body += _numbers(pen, limits, plot, log=panel.log_x, given=panel.x.tolist())
    if panel.awaits:
        body += pen.text(
            LEFT + plot / 2, TOP + pen.down / 2, panel.awaits, size=13, anchor="middle", colour=pen.muted
        )
        return body, pen.bottom + BELOW
    if panel.marked is not None:
        at = LEFT + float(x[panel.marked])
        body += pen.line(at, TOP, at, pen.bottom, pen.muted)
    heights = [up(series.values) for series in panel.series]
    for series, stroke, worn, y in zip(panel.series, panel.strokes, panel.colours, heights, strict=True):
        body += _curve(pen, panel, series, (x, y), up, pen.colour(worn), _DASHES[stroke])
    ends = {at: next((y for y in heights[at][::-1] if np.isfinite(y)), 0.0) for at in names}
    body += _written_names(pen, panel, names, ends, LEFT + plot) + _pointed(pen, panel, x, heights)
    height = pen.bottom + BELOW - 4
    for at, series in enumerate(panel.series):
        if not series.listed or series.pointed or names:
            continue
        colour, y = pen.colour(panel.colours[at]), height - 4
        body += _cross(LEFT + 8, y, colour) if series.crosses else pen.line(
            LEFT, y, LEFT + 16, y, colour, 2, _DASHES[panel.strokes[at]])  # fmt: skip
        body += pen.formula(LEFT + 22, height, series.name, size=10, colour=pen.muted)
        height += 14
    return body, height + 4


def _curve(
    pen: Pen, panel: LinesPanel, series: Series, at: tuple[Array, Array], up: Callable[[Array], Array], colour: str,
    dash: str,
) -> str:  # fmt: skip
    """One curve, or its points, with its band; faint after the cursor where it unfolds."""
    (x, y), body = at, ""
    if series.band is not None:
        low, high = (up(border) for border in series.band)
        outline = _path(pen, np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]))
        body += f'<path d="{outline}Z" fill="{colour}" fill-opacity="0.18"/>'
    if series.crosses:
        points = zip(x, y, strict=True)
        return body + "".join(_cross(LEFT + a, pen.bottom - b, colour) for a, b in points if np.isfinite(b))
    until = panel.marked if panel.unfolds and not series.dashed else None
    for part, faint in ((slice(None), ""),) if until is None else (
        (slice(until + 1), ""), (slice(until, None), ' opacity="0.25"')
    ):  # fmt: skip
        way = _path(pen, x[part], y[part])
        body += f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}{faint}/>'
    seen = [] if series.dashed or len(x) > _DOTTED else np.flatnonzero(np.isfinite(y[:until]))
    body += "".join(disc(LEFT + x[i], pen.bottom - y[i], 2, colour) for i in seen)
    if panel.marked is not None and np.isfinite(y[panel.marked]):
        body += disc(LEFT + x[panel.marked], pen.bottom - y[panel.marked], 3.5, colour, pen.paper)
    return body


def _cross(x: float, y: float, colour: str) -> str:
    ends = f"M{x - 3:.1f} {y - 3:.1f}l6 6M{x + 3:.1f} {y - 3:.1f}l-6 6"
    return f'<path d="{ends}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def _pointed(pen: Pen, panel: LinesPanel, x: Array, heights: list[Array]) -> str:
    """The names that stand at a point of their curves."""
    labels, drawn = list[Label](), [np.empty((0, 2))]
    if panel.marked is not None:
        drawn.append(_sampled(np.full(2, LEFT + x[panel.marked]), np.array([TOP, pen.bottom])))
    for series, worn, y in zip(panel.series, panel.colours, heights, strict=True):
        drawn.append(_sampled(LEFT + x, pen.bottom - y))
        if series.pointed and (at := panel.point(series)) is not None:
            labels.append((LEFT + float(x[at]), pen.bottom - float(y[at]), panel.said(series), pen.colour(worn)))
    marks = "".join(disc(x, y, 3.5, colour, pen.paper) for x, y, _, colour in labels)
    return marks + _beside(pen, labels, np.concatenate(drawn))


def _sampled(x: Array, y: Array) -> Array:
    """(points, 2): places along a curve, near to each other."""
    seen = np.isfinite(y)
    if not seen.any():
        return np.empty((0, 2))
    x, y = x[seen], y[seen]
    length = np.concatenate([[0], np.hypot(np.diff(x), np.diff(y)).cumsum()])
    at = np.arange(0, length[-1] + _NEAR, _NEAR)
    return np.stack([np.interp(at, length, x), np.interp(at, length, y)], axis=1)


# ---- bars and areas ----


def bars_at(panel: BarsPanel, pen: Pen) -> tuple[str, float]:
    """Bars beside each other, or a histogram, with the curve over them; and how high that is."""
    limits, n, edges = panel.height_limits, panel.values.shape[-1], panel.edges
    span = (float(edges[0]), float(edges[-1])) if edges is not None else None
    up = _along(limits, pen.down, log=panel.log_y)
    borders = np.linspace(0, pen.across, n + 1)
    if span and edges is not None:
        borders = _along(span, pen.across, log=False)(edges)
    zero = float(up(np.array(limits[0] if panel.log_y else max(limits[0], min(0.0, limits[1])))))
    quantity = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    names = [short(label, _BAR) for label in panel.labels.labels] if span is None else []
    level = all(text_width(label, 9) < pen.across / n - 2 for label in names)
    stacked = max((11 * len(label) for label in names if pen.stacked(0, label, below=1)), default=0)
    slanted = 0 if level else 0.65 * max(map(partial(text_width, size=9), names))
    below = 30 + max(stacked, slanted)  # names of bars stand above what they are
    body = _frame(pen, limits, (panel.labels.title, quantity), log=panel.log_y, across=pen.across, below=below)
    body += _numbers(pen, span, pen.across, log=False) if span else ""
    plain = SCALES[pen.mode]["sequential"][3]
    for at, top in enumerate(up(panel.values)):
        role = panel.role[at] if isinstance(panel.role, tuple) else panel.role
        low, high = sorted((zero, float(top))) if np.isfinite(top) else (zero, zero)
        broad = float(borders[at + 1] - borders[at])
        body += rect(
            LEFT + borders[at] + 0.05 * broad, pen.bottom - high, max(0.5, 0.9 * broad), high - low,
            pen.colour(role) if role else plain,
        )  # fmt: skip
    if panel.overlay is not None:
        x, y = panel.overlay
        x = _along(span, pen.across, log=False)(x) if span else (x + 0.5) * pen.across / n
        body += f'<path d="{_path(pen, x, up(y))}" fill="none" stroke="{pen.ink}" stroke-width="1.4"/>'
    for at in shown(names):
        middle, label = LEFT + (at + 0.5) * pen.across / n, names[at]
        write = pen.formula if panel.labels.formulas else pen.text
        how = {"anchor": "middle"} if level else {"anchor": "end", "turn": -40}
        written = write(middle, pen.bottom + (14 if level else 12), label, size=9, **how)  # type: ignore[arg-type]
        body += pen.stacked(middle, label, below=pen.bottom + 14) or written
    height = pen.bottom + below + 16
    if panel.overlay is not None:
        body += pen.formula(LEFT, height, _("line: {name}", name=panel.overlay_name), size=10, colour=pen.muted)
        height += 14
    return body, height + 4


def areas_at(panel: AreasPanel, pen: Pen) -> tuple[str, float]:
    """Distributions one over the other, each with its text; and how high that is."""
    names = panel.labels.labels
    body = _frame(pen, panel.height_limits, (panel.labels.title, panel.quantity), log=False, across=pen.across)
    body += "" if names else _numbers(pen, panel.span, pen.across, log=False)
    across, up = _along(panel.span, pen.across, log=False), _along(panel.height_limits, pen.down, log=False)
    labels, drawn = list[Label](), list[Array]()
    for i, area in enumerate(panel.areas):
        colour, edges, tops = pen.colour(area.role), across(area.edges), up(area.values)
        middles = (edges[1:] + edges[:-1]) / 2
        if panel.smooth:
            x = np.concatenate([edges[:1], middles, edges[-1:]])
            way = _path(pen, x, np.pad(tops, 1))
            body += f'<path d="{way}Z" fill="{colour}" fill-opacity="{0.8 if i else 0.5}"/>'
        for left, right, top in () if panel.smooth else zip(edges, edges[1:], tops, strict=False):
            gap = (right - left) * (0.25 if i else 0.1)
            faint = f' fill-opacity="{1 if i else 0.5}"'
            body += rect(LEFT + left + gap, pen.bottom - top, right - left - 2 * gap, max(0, top), colour, faint)
        for x, top in zip(np.linspace(edges[:-1] + 1, edges[1:] - 1, 3, axis=1), tops, strict=True):
            heights = np.append(np.arange(0, top, _NEAR), top)
            drawn.append(np.stack(np.meshgrid(LEFT + x, pen.bottom - heights), axis=-1).reshape(-1, 2))
        at = panel.place(i)
        x, y = LEFT + float(across(np.array(at[0]))), pen.bottom - float(up(np.array(at[1])))
        if area.bracket is not None:
            start = LEFT + float(across(area.bracket)[0])
            body += pen.line(start, y, x, y, pen.ink, 1.5)
            body += "".join(pen.line(end, y - 4, end, y + 4, pen.ink, 1.5) for end in (start, x))
        labels.append((x, y, area.said[0], colour))
    for at in shown(names, 8):
        x = LEFT + float(across(np.array(at + 0.5)))
        body += pen.text(x, pen.bottom + 14, names[at], size=10, anchor="middle", colour=pen.muted)
    return body + _beside(pen, labels, np.concatenate(drawn)), pen.bottom + BELOW - 8
