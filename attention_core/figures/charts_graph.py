"""A graph of tokens and layers as a Plotly figure."""

from typing import Any

import numpy as np

from attention_core.figures.graph import Edges, GraphPanel
from attention_core.figures.plot import (
    Drawing,
    Mode,
    escape,
    token_axis,
    words_at,
)
from attention_core.figures.theme import GRID, INK, MUTED, ROLE_COLOURS
from attention_core.measuring.number_format import format_number


def graph_drawing(panel: GraphPanel, mode: Mode) -> Drawing:
    """Tokens from left to right, layers from bottom to top, and the edges between them."""
    first, last = panel.drawn
    roles = ROLE_COLOURS[mode]
    data: list[dict[str, Any]] = []
    for edges in panel.edges:
        if not edges.lit:  # seen on a page only, where one points
            continue
        x, y = _segments(edges)
        colour = roles[edges.role] if edges.role else MUTED[mode]
        data.append(
            {
                "type": "scatter",
                "x": x,
                "y": y,
                "mode": "lines",
                "line": {"color": colour, "width": 1.2},
                "name": escape(edges.name),
                "showlegend": bool(edges.name),
                "hoverinfo": "skip",
            }
        )
    small = 5 if last - first < 64 else 3
    free = np.ones(panel.values.shape, dtype=np.bool_)
    free[:, :first] = free[:, last + 1 :] = False
    groups = []
    for nodes in reversed(panel.nodes):  # each node is one point: that of the last group that has it
        at = nodes.at
        if not (at % 1).any():  # between tokens there is nothing else
            level, token = at.astype(int).T
            at = at[free[level, token]]
            free[level, token] = False
        colour = roles[nodes.role or nodes.boxes[0]] if nodes.role or nodes.boxes else INK[mode]
        size = 20 if nodes.boxes else 13 if nodes.large else small + 3 * bool(nodes.role)
        groups.append((nodes.name, at, colour, size, "square" if nodes.boxes else "circle"))
    groups.append(("", np.argwhere(free & (not panel.has_boxes)), GRID[mode], small, "circle"))
    for name, at, colour, size, symbol in reversed(groups):
        level, token = at.T
        data.append(
            {
                "type": "scatter",
                "x": token,
                "y": level,
                "mode": "markers",
                "marker": {"color": colour, "size": size, "symbol": symbol},
                "selected": {"marker": {"opacity": 1}},
                "unselected": {"marker": {"opacity": 1}},
                # As lists: of a typed array the browser would send an object back.
                "customdata": at.astype(int).tolist(),
                "text": [_hover_text(panel, *node) for node in at.astype(int).tolist()],
                "name": escape(name),
                "showlegend": bool(name) and len(at) > 0,
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    data += [words_at(last, level, text, INK[mode]) for level, text in enumerate(panel.counts) if text]
    margin = 0.02 * (last - first) + 0.3
    tokens = token_axis(panel.tokens.title, panel.tokens.labels, mode=mode) | {
        "range": [first - margin, last + margin]
    }
    layers = token_axis(panel.layers.title, panel.layers.labels, mode=mode)
    layers |= {"range": [-0.4, len(panel.layers.labels) - 0.6]}
    layout = {"xaxis": tokens, "yaxis": layers, "dragmode": False, "clickmode": "event+select", "height": 400}
    return Drawing(data, layout)


def _hover_text(panel: GraphPanel, level: int, token: int) -> str:
    where = f"{panel.tokens.title} {panel.tokens.labels[token]}, {panel.layers.title} {panel.layers.labels[level]}"
    return escape(f"{where} · {panel.quantity} {format_number(float(panel.values[level, token]))}")


def _segments(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    """The edges as x and y of one line with a gap after each."""
    level, upper, lower = edges.ends.T
    gap = np.full(len(level), np.nan)
    x = np.stack((upper, lower, gap), axis=1).ravel()
    y = np.stack((level, level - 1, gap), axis=1).ravel()
    return x.astype(np.float32), y.astype(np.float32)
