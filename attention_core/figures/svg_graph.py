"""A graph of tokens and layers in SVG."""

from typing import Final

import numpy as np

from attention_core.figures.graph import GraphPanel, Nodes
from attention_core.figures.svg_pen import LEFT, Pen, disc, rect, short, shown, text_width

_BOX: Final = 18  # pixels of a node that is a box
_COUNTS: Final = 34  # pixels beside the graph for what stands at the ends of its layers


def graph_at(panel: GraphPanel, pen: Pen, chosen: tuple[int, int] | None = None) -> tuple[str, float]:
    """The graph with its labels and what its colours are, and how high that is.

    Args:
        panel: What is drawn; outside a sweep.
        pen: Draws.
        chosen: Layer and token of the node that is chosen; None for none.
    """
    first, last = panel.drawn
    layers, count = len(panel.layers.labels), last - first + 1
    right = pen.width - (_COUNTS if any(panel.counts) else 16)
    apart, rise = (right - LEFT) / max(1, count - 1), pen.down / max(1, layers - 1)

    def place(layer: float, token: float) -> tuple[float, float]:
        return LEFT + (token - first) * apart, pen.bottom - layer * rise

    body = pen.text(4, 34, f"{panel.layers.title} ↑", size=10, colour=pen.muted, weight=600)
    for edges in (each for each in panel.edges if each.lit or panel.has_boxes):  # others are seen where one points
        for level, upper, lower in edges.ends:
            body += pen.line(*place(level, upper), *place(level - 1, lower), pen.colour(edges.role), 1.4)
    radius = min(3.0, max(1.0, 0.25 * apart))
    dots = () if panel.has_boxes else np.ndindex(layers, count)
    faint = "".join(disc(*place(layer, token + first), radius, pen.muted) for layer, token in dots)
    body += f'<g opacity="0.5">{faint}</g>' if faint else ""
    for nodes in panel.nodes:
        for layer, token in nodes.at:
            x, y = place(layer, token)
            if nodes.boxes:
                part = _BOX / len(nodes.boxes)
                body += "".join(
                    rect(x - _BOX / 2 + part * i, y - _BOX / 2, part, _BOX, pen.colour(role))
                    for i, role in enumerate(nodes.boxes)
                )
                continue
            colour = pen.colour(nodes.role) if nodes.role else pen.ink
            body += disc(x, y, 5 if nodes.large else max(radius, 2.6), colour)
    if chosen is not None and first <= chosen[1] <= last:
        x, y = place(*chosen)
        body += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="{pen.accent}" stroke-width="2"/>'
    for layer, count_text in enumerate(panel.counts):
        body += pen.text(right + 12, place(layer, last)[1] + 4, count_text, size=10, weight=600)
    for layer, label in enumerate(panel.layers.labels):
        body += pen.text(LEFT - 12, place(layer, first)[1] + 4, short(label), size=10, anchor="end")
    labels = panel.tokens.labels[first : last + 1]
    fit = max(2, int((right - LEFT) / (max(text_width(short(label), 9) for label in labels) + 6)))
    for at in shown(labels, min(16, fit)):
        label = short(labels[at])
        x, y = place(0, at + first)[0], pen.bottom + 20
        body += pen.stacked(x, label, below=y) or pen.text(x, y, label, size=9, anchor="middle")
    tall = max((len(label) for label in labels if pen.stacked(0, short(label), below=1)), default=1)
    below = pen.bottom + 34 + 11 * (tall - 1)
    body += pen.text(right, below, f"{panel.tokens.title} →", size=10, anchor="end", colour=pen.muted, weight=600)
    named = [group for group in (*panel.edges, *panel.nodes) if group.name]
    x, y = float(LEFT), below + 18
    for group in named:
        long = 22 + text_width(group.name) + 14
        if x > LEFT and x + long > pen.width:
            x, y = LEFT, y + 14
        if isinstance(group, Nodes):
            body += disc(x + 8, y - 4, 3.5, pen.colour(group.role) if group.role else pen.ink)
        else:
            body += pen.line(x, y - 4, x + 16, y - 4, pen.colour(group.role), 2)
        body += pen.formula(x + 22, y, group.name, size=10, colour=pen.muted)
        x += long
    height = (y if named else below) + 18
    if panel.gauge:
        (value,), (says,) = panel.gauge.values.tolist(), panel.gauge.says
        body += rect(LEFT, height, pen.width - LEFT - 16, 10, pen.grid)
        body += rect(LEFT, height, (pen.width - LEFT - 16) * value / panel.gauge.most, 10, pen.accent)
        body += pen.text(LEFT, height + 24, says, size=10)
        height += 42
    return body, height
