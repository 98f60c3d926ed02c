"""Every kind of panel as a Plotly figure, for exports and notebooks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import ceil, log10
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from attention_core.figures.areas import AreasPanel
from attention_core.figures.charts_graph import graph_drawing
from attention_core.figures.graph import GraphPanel
from attention_core.figures.lines import LinesPanel, Series, Stroke
from attention_core.figures.matrix import MatrixView, Panel
from attention_core.figures.panels import BarsPanel, Limits, MatrixPanel
from attention_core.figures.plot import (
    NUMBER,
    Drawing,
    Mode,
    axis,
    base_layout,
    border,
    escape,
    footnote,
    token_axis,
    words_at,
)
from attention_core.figures.text import wrapped
from attention_core.figures.theme import HIDDEN, INK, MUTED, SCALES, Stops, colour_of
from attention_core.language import gettext as _
from attention_core.language import sentences

# Panels in a row of an exported figure; of each the most ticks on a side, and the letters of a line below it.
_IN_A_ROW, _TICKS, _LETTERS = 4, 12, 48
_NAMED_CELLS = 128 * 128  # above this a hover text for each cell weighs more than the numbers themselves
_DOTTED = 24  # curves of up to this many points show each of them
_DASHES: Final[dict[Stroke, str]] = {"solid": "solid", "dashed": "dash", "dotted": "dot", "dashdot": "dashdot"}


def panel_figure(panel: Panel, step: int | None = None, mode: Mode = "light") -> go.Figure:
    """The panel as a Plotly figure: the same numbers, ranges and colours as on screen, all text literal.

    Args:
        panel: What is drawn.
        step: Which step of a sweep; the first unless given.
        mode: Light or dark.
    """
    return _drawing(panel, step or 0, mode).figure


def _drawing(panel: Panel, step: int, mode: Mode) -> Drawing:
    match panel:
        case MatrixPanel():
            drawing = _matrix(panel, step, mode)
        case BarsPanel():
            drawing = _bars(panel, step, mode)
        case LinesPanel():
            drawing = _lines(panel if panel.steps is None else replace(panel, marked=step), mode)
        case GraphPanel():
            drawing = graph_drawing(
                panel if panel.steps is None or panel.unfolds is not None else panel.at(step), mode
            )
        case AreasPanel():
            drawing = _areas(panel if panel.steps is None else panel.at(step), mode)
    note = footnote(str(sentences((panel.note, panel.warning))))
    return Drawing(drawing.data, base_layout(title=panel.title, mode=mode) | drawing.layout | note)


def view_figure(view: MatrixView, step: int = 0, mode: Mode = "light") -> go.Figure:
    """All that a view shows as one Plotly figure: its panels in rows of four, each with its own scale beside it.

    Args:
        view: What is on screen.
        step: Which step of its sweep.
        mode: Light or dark.
    """
    columns = min(_IN_A_ROW, len(view.panels))
    rows = ceil(len(view.panels) / columns)
    notes = dict.fromkeys(text for panel in view.panels for text in (panel.note, panel.warning) if text)
    wide = max(2, columns)
    lines = wrapped(str(sentences((view.summary, *notes))), _LETTERS * wide)
    grid = _grid(rows, columns)
    titles = [
        place | {"text": escape(panel.title)} for place, panel in zip(grid["annotations"], view.panels, strict=False)
    ]
    below = {
        "text": "<br>".join(map(escape, lines)), "x": 0, "y": 0, "yshift": -60, "xref": "paper", "yref": "paper",
        "xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False,
    }  # fmt: skip
    layout = {
        **base_layout(mode=mode),
        **grid,
        "height": 200 + 340 * rows,
        "width": 60 + 340 * wide,
        "margin": {"t": 80, "b": 80 + 18 * len(lines)},
        "legend": {"y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [*titles, below],
        "shapes": [],
        "barmode": "overlay",  # what bars were before lies behind them
    }
    data: list[dict[str, Any]] = []
    for i, panel in enumerate(view.panels):
        drawing, number = _drawing(panel, step, mode), str(i + 1) if i else ""
        across = layout[f"xaxis{number}"] = layout[f"xaxis{number}"] | _thinned(drawing.layout["xaxis"])
        up = layout[f"yaxis{number}"] = layout[f"yaxis{number}"] | _thinned(drawing.layout["yaxis"])
        if "scaleanchor" in up:
            up["scaleanchor"] = f"x{number}"
        low, high = up["domain"]
        beside = {
            "x": across["domain"][1],
            "y": (low + high) / 2,
            "len": high - low,
            "xpad": 4,
            "title": {"text": ""},
        }
        for trace in drawing.data:
            if "colorbar" in trace:
                trace["colorbar"] |= beside
            data.append(trace | {"xaxis": f"x{number}", "yaxis": f"y{number}"})
        for shape in drawing.layout.get("shapes", ()):
            layout["shapes"].append(shape | {"xref": f"x{number}", "yref": f"y{number} domain"})
    return Drawing(data, layout).figure


@cache
def _grid(rows: int, columns: int) -> Mapping[str, Any]:
    """The layout that Plotly makes for so many panels and titles; nobody changes it."""
    titles = [str(i) for i in range(rows * columns)]  # an empty one would have no place
    figure = make_subplots(
        rows, columns, subplot_titles=titles,
        horizontal_spacing=0.4 / columns, vertical_spacing=0.5 / rows if rows > 1 else 0,
    )  # fmt: skip
    layout = figure.layout.to_plotly_json()
    return {name: value for name, value in layout.items() if name != "template"}


def _thinned(side: dict[str, Any]) -> dict[str, Any]:
    """An axis with at most a dozen of its ticks."""
    every = max(1, ceil(len(side.get("tickvals", ())) / _TICKS))
    return side | {name: side[name][::every] for name in ("tickvals", "ticktext") if name in side}


def _matrix(panel: MatrixPanel, step: int, mode: Mode) -> Drawing:
    values = panel.values if panel.steps is None else panel.values[step]
    low, high = panel.colour_limits
    label = escape(f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity)
    cells = {"type": "heatmap", "hoverongaps": False, "xgap": 1, "ygap": 1}
    data: list[dict[str, Any]] = [
        {
            **cells,
            "z": values if panel.hidden is None else np.where(panel.hidden, np.float32(np.nan), values),
            "zmin": low,
            "zmax": high,
            "colorscale": _colour_scale(SCALES[mode][panel.palette]),
            "colorbar": {
                "title": {"text": label, "side": "right"},
                "thickness": 12,
                "outlinewidth": 0,
                "exponentformat": "power",
            },
            **_hover(panel, label),
        }
    ]
    if panel.hidden is not None and panel.hidden.any():
        data.append(
            {
                **cells,
                "z": np.where(panel.hidden, np.float32(0), np.float32(np.nan)),
                "colorscale": [[0, HIDDEN[mode]], [1, HIDDEN[mode]]],
                "showscale": False,
                "hovertemplate": f"{escape(panel.hidden_as)}<extra></extra>",
            }
        )
    rows, columns = panel.rows, panel.columns
    across = token_axis(columns.title, columns.labels, role=columns.role, mode=mode) | {"constrain": "domain"}
    up = token_axis(rows.title, rows.labels, role=rows.role, mode=mode)
    up |= {"autorange": "reversed", "scaleanchor": "x", "constrain": "domain"}
    return Drawing(data, {"xaxis": across, "yaxis": up})


def _colour_scale(stops: Stops) -> list[list[float | str]]:
    """Evenly spaced stops as a Plotly colour scale."""
    return [[i / (len(stops) - 1), stop] for i, stop in enumerate(stops)]


def _hover(panel: MatrixPanel, label: str) -> dict[str, object]:
    """The readout of a cell, with the tokens it belongs to where naming each cell stays cheap."""
    if panel.values.shape[-1] * panel.values.shape[-2] > _NAMED_CELLS:
        place = _("row {row}, column {column}", row="%{y}", column="%{x}")
        return {"hovertemplate": f"{place}<br>{label} %{{z:{NUMBER}}}<extra></extra>"}
    rows, columns = escape(panel.rows.title), escape(panel.columns.title)
    text = [
        [f"{rows} {escape(row)} · {columns} {escape(column)}" for column in panel.columns.labels]
        for row in panel.rows.labels
    ]
    return {"text": text, "hovertemplate": f"%{{text}}<br>{label} %{{z:{NUMBER}}}<extra></extra>"}


def _range(limits: Limits, *, log: bool) -> dict[str, object]:
    if not log:
        return {"range": list(limits)}
    low, high = map(log10, limits)
    return {"range": [low - 0.05 * (high - low), high + 0.05 * (high - low)], "dtick": ceil((high - low) / 7)}


def _bars(panel: BarsPanel, step: int, mode: Mode) -> Drawing:
    def part(values: np.ndarray) -> np.ndarray:
        return values[step] if values.ndim == 2 else values

    if panel.lying:
        return _lying(panel, part(panel.values), mode)
    values, n = part(panel.values), panel.values.shape[-1]
    edges = np.arange(n + 1) - 0.5 if panel.edges is None else part(panel.edges)
    roles = panel.role if isinstance(panel.role, tuple) else (panel.role,) * n
    colours = [colour_of(role, mode) if role else SCALES[mode]["sequential"][3] for role in roles]
    hover = f"%{{text}} · %{{y:{NUMBER}}}" if panel.labels.labels else f"%{{x:{NUMBER}}} · %{{y:{NUMBER}}}"
    data: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": (edges[1:] + edges[:-1]) / 2,
            "y": values,
            "width": None if panel.edges is None else np.diff(edges),
            "marker": {"color": colours},
            "name": escape(panel.quantity),
            "showlegend": False,
            "text": [escape(label) for label in panel.labels.labels] or None,
            "textposition": "none",
            "hovertemplate": f"{hover}<extra></extra>",
        }
    ]
    if panel.overlay is not None:
        x, y = map(part, panel.overlay)
        line = {"type": "scatter", "mode": "lines", "line": {"color": INK[mode]}}
        data.append(line | {"x": x, "y": y, "name": escape(panel.overlay_name)})
    title = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    names = panel.labels
    across = token_axis(names.title, names.labels, role=names.role, mode=mode) if names.labels else axis(names.title)
    up = axis(title, log=panel.log_y, mode=mode) | _range(panel.height_limits, log=panel.log_y)
    return Drawing(data, {"xaxis": across, "yaxis": up})


def _lying(panel: BarsPanel, values: np.ndarray, mode: Mode) -> Drawing:
    """Bars below each other, from the first down; what they were before is outlined."""
    names, n = panel.labels.labels, len(values)
    roles = panel.role if isinstance(panel.role, tuple) else (panel.role,) * n
    plain = MUTED[mode] if isinstance(panel.role, tuple) else SCALES[mode]["sequential"][3]
    shared = {"type": "bar", "orientation": "h", "y": np.arange(n), "showlegend": False}
    number = ".0%" if panel.percent else NUMBER
    hover = {"text": [escape(name) for name in names], "textposition": "none"}
    hover |= {"hovertemplate": f"%{{text}} · %{{x:{number}}}<extra></extra>"}
    colours = [colour_of(role, mode) if role else plain for role in roles]
    data: list[dict[str, Any]] = [shared | hover | {"x": values, "marker": {"color": colours}}]
    if panel.before is not None:
        line = {"color": "rgba(0,0,0,0)", "line": {"color": MUTED[mode], "width": 1}}
        before = {"x": panel.before, "marker": line, "name": _("as before"), "hoverinfo": "skip"}
        data.append(shared | before)
    title = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    up = token_axis(panel.labels.title, names, role=panel.labels.role, mode=mode) | {"autorange": "reversed"}
    across = axis(title, mode=mode) | _range(panel.height_limits, log=False)
    return Drawing(data, {"xaxis": across, "yaxis": up, "barmode": "overlay"})


def _lines(panel: LinesPanel, mode: Mode) -> Drawing:
    drawn = zip(panel.series, panel.strokes, (colour_of(colour, mode) for colour in panel.colours), strict=True)
    data = [trace for series, stroke, colour in drawn for trace in _series(panel, series, stroke, colour)]
    shapes = []
    if panel.marked is not None:
        cursor, line = float(panel.x[panel.marked]), {"color": MUTED[mode], "width": 1.5, "dash": "dot"}
        place = {"x0": cursor, "x1": cursor, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
        shapes.append({"type": "line", "line": line, **place})
    if panel.awaits:
        middle = _middle((float(panel.x[0]), float(panel.x[-1])), log=panel.log_x)
        data.append(words_at(middle, _middle(panel.y_limits, log=panel.log_y), panel.awaits, MUTED[mode]))
    across = axis(panel.x_title, log=panel.log_x, mode=mode)
    up = axis(panel.y_title, log=panel.log_y, mode=mode) | _range(panel.y_limits, log=panel.log_y)
    return Drawing(data, {"xaxis": across, "yaxis": up, "shapes": shapes})


def _middle(limits: Limits, *, log: bool) -> float:
    low, high = limits
    return (low * high) ** 0.5 if log else (low + high) / 2


def _areas(panel: AreasPanel, mode: Mode) -> Drawing:
    data: list[dict[str, Any]] = []
    for i, area in enumerate(panel.areas):
        colour, edges = colour_of(area.role, mode), area.edges
        drawn = {"name": escape(area.name), "x": (edges[1:] + edges[:-1]) / 2, "y": area.values}
        drawn["hovertemplate"] = f"{escape(area.name)} · %{{x:{NUMBER}}} → %{{y:{NUMBER}}}<extra></extra>"
        if panel.smooth:
            data.append(drawn | {"type": "scatter", "mode": "lines", "fill": "tozeroy", "line": {"color": colour}})
        else:
            width = np.diff(edges) * (0.8 - 0.3 * bool(i))
            data.append(drawn | {"type": "bar", "width": width, "opacity": 0.9, "marker": {"color": colour}})
        x, y = panel.place(i)
        if area.bracket is not None:
            line = {"type": "scatter", "mode": "lines", "showlegend": False, "hoverinfo": "skip"}
            data.append(line | {"x": area.bracket, "y": [y, y], "line": {"color": INK[mode]}})
        data.append(words_at(x, y, area.said[0], colour))
    names = panel.labels
    across = token_axis(names.title, names.labels, mode=mode) if names.labels else axis(names.title, mode=mode)
    if names.labels:
        across["tickvals"] = [at + 0.5 for at in across["tickvals"]]
    across["range"] = list(panel.span)
    up = axis(panel.quantity, mode=mode) | _range(panel.height_limits, log=False)
    return Drawing(data, {"xaxis": across, "yaxis": up, "barmode": "overlay"})


def _series(panel: LinesPanel, series: Series, stroke: Stroke, colour: str) -> list[dict[str, Any]]:
    band: list[dict[str, Any]] = []
    if series.band is not None:
        low, high = series.band
        band = border(
            name=_("{name}, band", name=series.name), group=series.name, x=panel.x, low=low, high=high, colour=colour
        )
    dots = not series.dashed and panel.x.size <= _DOTTED
    line = {
        "type": "scatter",
        "x": panel.x,
        "y": np.where(series.values > 0, series.values, np.nan) if panel.log_y else series.values,
        "name": escape(series.name),
        "showlegend": series.listed,
        "mode": "markers" if series.crosses else "lines+markers" if dots else "lines",
        "line": {"color": colour, "dash": _DASHES[stroke], "width": 2},
        "marker": {"symbol": "x", "size": 10, "color": colour} if series.crosses else {"size": 6, "color": colour},
        "hovertemplate": f"{escape(series.name)} · %{{x:{NUMBER}}} → %{{y:{NUMBER}}}<extra></extra>",
    }
    if panel.unfolds and panel.marked is not None and not series.dashed:
        at, later = panel.marked, {"opacity": 0.25, "showlegend": False, "hoverinfo": "skip"}
        line, rest = ({**line, "x": panel.x[cut], "y": line["y"][cut]} for cut in (slice(at + 1), slice(at, None)))
        band.append(rest | later)
    if series.pointed and (at := panel.point(series)) is not None:
        band.append(words_at(float(panel.x[at]), float(series.values[at]), panel.said(series), colour))
    return [*band, line]
