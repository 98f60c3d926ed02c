"""Every kind of panel as a Plotly figure, for exports and notebooks."""

from math import ceil, log10
from textwrap import wrap
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from attention_core.figures.graph import Edges, GraphPanel
from attention_core.figures.lines import LinesPanel, Series, Stroke
from attention_core.figures.matrix import MatrixView, Panel, matrix_heatmap
from attention_core.figures.panels import BarsPanel, Limits, MatrixPanel
from attention_core.figures.plot import NUMBER, Mode, add_border, axis, base_figure, escape, say, token_axis
from attention_core.figures.theme import GRID, INK, MUTED, ROLE_COLOURS, SCALES

# Panels in a row of an exported figure; of each the most ticks on a side, and the letters of a line below it.
_IN_A_ROW, _TICKS, _LETTERS = 4, 12, 48
_DOTTED = 24  # curves of up to this many points show each of them
_DASHES: Final[dict[Stroke, str]] = {"solid": "solid", "dashed": "dash", "dotted": "dot"}


def panel_figure(panel: Panel, step: int | None = None, mode: Mode = "light") -> go.Figure:
    """The panel as a Plotly figure: the same numbers, ranges and colours as on screen, all text literal.

    Args:
        panel: What is drawn.
        step: Which step of a sweep; the first unless given.
        mode: Light or dark.
    """
    match panel:
        case MatrixPanel():
            return matrix_heatmap(panel, step, mode)
        case BarsPanel():
            figure = _bars(panel, step or 0, mode)
        case LinesPanel():
            figure = _lines(panel, mode)
        case GraphPanel():
            figure = _graph(panel, mode)
    return say(figure, " ".join(text for text in (panel.note, panel.warning) if text))


def view_figure(view: MatrixView, step: int = 0, mode: Mode = "light") -> go.Figure:
    """All that a view shows as one Plotly figure: its panels in rows of four, each with its own scale beside it.

    Args:
        view: What is on screen.
        step: Which step of its sweep.
        mode: Light or dark.
    """
    alone = [panel_figure(panel, step, mode) for panel in view.panels]
    columns = min(_IN_A_ROW, len(alone))
    rows = ceil(len(alone) / columns)
    figure = make_subplots(
        rows, columns, subplot_titles=[escape(panel.title) for panel in view.panels],
        horizontal_spacing=0.28 / columns, vertical_spacing=0.5 / rows if rows > 1 else 0,
    )  # fmt: skip
    said = dict.fromkeys(text for one in view.panels for text in (one.note, one.warning) if text)
    wide = max(2, columns)
    lines = wrap(" ".join((view.summary, *said)), _LETTERS * wide)
    figure.update_layout(base_figure(mode=mode).layout, height=200 + 340 * rows, width=60 + 340 * wide)
    figure.update_layout(
        margin={"t": 80, "b": 80 + 18 * len(lines)}, legend={"y": 1, "yref": "container", "yanchor": "top"}
    )
    figure.add_annotation(
        text="<br>".join(map(escape, lines)), x=0, y=0, yshift=-60, xref="paper", yref="paper", xanchor="left",
        yanchor="top", align="left", showarrow=False,
    )  # fmt: skip
    for i, one in enumerate(alone):
        row, column = i // columns + 1, i % columns + 1
        number = str(i + 1) if i else ""
        figure.add_traces(one.data, rows=row, cols=column)
        own: Any = one.layout
        figure.update_xaxes(own.xaxis, row=row, col=column)
        figure.update_yaxes(own.yaxis, row=row, col=column)
        across: Any = figure.layout[f"xaxis{number}"]
        up: Any = figure.layout[f"yaxis{number}"]
        if up.scaleanchor:
            up.scaleanchor = f"x{number}"
        for trace in figure.data[-len(one.data) :]:
            if trace.type == "heatmap" and trace.showscale is not False:
                trace.colorbar.update(
                    x=across.domain[1], y=sum(up.domain) / 2, len=up.domain[1] - up.domain[0], xpad=4, title_text=""
                )
        for shape in own.shapes:
            figure.add_shape(shape, xref=f"x{number}", yref=f"y{number} domain")
        for side in (across, up):
            every = ceil(len(side.tickvals or ()) / _TICKS)
            if every > 1:
                side.update(tickvals=side.tickvals[::every], ticktext=side.ticktext[::every])
    return figure


def _range(limits: Limits, *, log: bool) -> dict[str, object]:
    if not log:
        return {"range": list(limits)}
    low, high = map(log10, limits)
    return {"range": [low - 0.05 * (high - low), high + 0.05 * (high - low)], "dtick": ceil((high - low) / 7)}


def _bars(panel: BarsPanel, step: int, mode: Mode) -> go.Figure:
    def part(values: np.ndarray) -> np.ndarray:
        return values[step] if values.ndim == 2 else values

    values, n = part(panel.values), panel.values.shape[-1]
    edges = np.arange(n + 1) - 0.5 if panel.edges is None else part(panel.edges)
    roles = panel.role if isinstance(panel.role, tuple) else (panel.role,) * n
    colours = [ROLE_COLOURS[mode][role] if role else SCALES[mode]["sequential"][3] for role in roles]
    figure = base_figure(title=panel.title, mode=mode)
    figure.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=values,
        width=None if panel.edges is None else np.diff(edges),
        marker_color=colours,
        name=escape(panel.quantity),
        showlegend=False,
        text=[escape(label) for label in panel.labels.labels] or None,
        textposition="none",
        hovertemplate=f"%{{text}} · %{{y:{NUMBER}}}<extra></extra>"
        if panel.labels.labels
        else f"%{{x:{NUMBER}}} · %{{y:{NUMBER}}}<extra></extra>",
    )
    if panel.overlay is not None:
        x, y = map(part, panel.overlay)
        figure.add_scatter(x=x, y=y, mode="lines", name=escape(panel.overlay_name), line={"color": INK[mode]})
    title = f"{panel.quantity} ({panel.unit})" if panel.unit else panel.quantity
    names = panel.labels
    across = token_axis(names.title, names.labels, role=names.role, mode=mode) if names.labels else axis(names.title)
    up = axis(title, log=panel.log_y, mode=mode) | _range(panel.height_limits, log=panel.log_y)
    return figure.update_layout(xaxis=across, yaxis=up)


def _lines(panel: LinesPanel, mode: Mode) -> go.Figure:
    figure = base_figure(title=panel.title, mode=mode)
    for i, (one, stroke) in enumerate(zip(panel.series, panel.strokes, strict=True)):
        _series(figure, panel, one, i, stroke, mode)
    if panel.marked is not None:
        figure.add_vline(x=float(panel.x[panel.marked]), line={"color": MUTED[mode], "width": 1.5, "dash": "dot"})
    across = axis(panel.x_title, log=panel.log_x, mode=mode)
    up = axis(panel.y_title, log=panel.log_y, mode=mode) | _range(panel.y_limits, log=panel.log_y)
    return figure.update_layout(xaxis=across, yaxis=up)


def _series(figure: go.Figure, panel: LinesPanel, one: Series, i: int, stroke: Stroke, mode: Mode) -> None:
    plain = MUTED[mode] if one.dashed else (SCALES[mode]["sequential"][4], INK[mode], MUTED[mode])[i % 3]
    colour = ROLE_COLOURS[mode][one.role] if one.role else plain
    if one.band is not None:
        low, high = one.band
        add_border(figure, name=f"{one.name}, band", group=one.name, x=panel.x, low=low, high=high, colour=colour)
    dots = not one.dashed and panel.x.size <= _DOTTED
    figure.add_scatter(
        x=panel.x,
        y=np.where(one.values > 0, one.values, np.nan) if panel.log_y else one.values,
        name=escape(one.name),
        showlegend=one.listed,
        mode="markers" if one.crosses else "lines+markers" if dots else "lines",
        line={"color": colour, "dash": _DASHES[stroke], "width": 2},
        marker={"symbol": "x", "size": 10, "color": colour} if one.crosses else {"size": 6, "color": colour},
        hovertemplate=f"{escape(one.name)} · %{{x:{NUMBER}}} → %{{y:{NUMBER}}}<extra></extra>",
    )


def _graph(panel: GraphPanel, mode: Mode) -> go.Figure:
    first, last = panel.drawn
    roles = ROLE_COLOURS[mode]
    figure = base_figure(title=panel.title, mode=mode)
    for edges in panel.edges:
        x, y = _segments(edges)
        colour = roles[edges.role] if edges.role else MUTED[mode] if edges.lit else GRID[mode]
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": colour, "width": 1.2 if edges.lit else 0.7},
            name=escape(edges.name),
            showlegend=bool(edges.name),
            hoverinfo="skip",
        )
    small = 5 if last - first < 64 else 3
    free = np.ones(panel.values.shape, dtype=np.bool_)
    free[:, :first] = free[:, last + 1 :] = False
    groups = []
    for nodes in reversed(panel.nodes):  # each node is one point: that of the last group that has it
        at = nodes.at[free[nodes.at[:, 0], nodes.at[:, 1]]]
        free[at[:, 0], at[:, 1]] = False
        colour = roles[nodes.role] if nodes.role else INK[mode]
        groups.append((nodes.name, at, colour, 13 if nodes.large else small + 3 * bool(nodes.role)))
    groups.append(("", np.argwhere(free), GRID[mode], small))
    for name, at, colour, size in reversed(groups):
        level, token = at.T
        figure.add_scatter(
            x=token,
            y=level,
            mode="markers",
            marker={"color": colour, "size": size},
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            # As lists: of a typed array the browser would send an object back.
            customdata=at.tolist(),
            text=[_told(panel, *node) for node in at.tolist()],
            name=escape(name),
            showlegend=bool(name) and len(at) > 0,
            hovertemplate="%{text}<extra></extra>",
        )
    margin = 0.02 * (last - first) + 0.3
    tokens = token_axis(panel.tokens.title, panel.tokens.labels, mode=mode) | {
        "range": [first - margin, last + margin]
    }
    layers = token_axis(panel.layers.title, panel.layers.labels, mode=mode)
    layers |= {"range": [-0.4, len(panel.layers.labels) - 0.6]}
    return figure.update_layout(xaxis=tokens, yaxis=layers, dragmode=False, clickmode="event+select", height=400)


def _told(panel: GraphPanel, level: int, token: int) -> str:
    where = f"{panel.tokens.title} {panel.tokens.labels[token]}, {panel.layers.title} {panel.layers.labels[level]}"
    return escape(f"{where} · {panel.quantity} {panel.values[level, token]:.4g}")


def _segments(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    """The edges as x and y of one line with a gap after each."""
    level, upper, lower = edges.ends.T
    gap = np.full(len(level), np.nan)
    x = np.stack((upper, lower, gap), axis=1).ravel()
    y = np.stack((level, level - 1, gap), axis=1).ravel()
    return x.astype(np.float32), y.astype(np.float32)
