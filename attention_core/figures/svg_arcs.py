"""Arcs above a matrix, and the switches of its rows, as SVG."""

from typing import Final

import numpy as np

from attention_core.figures.panels import Arcs, MatrixPanel
from attention_core.figures.svg_pen import Pen, disc, rect, text_width
from attention_core.language import gettext as _

RISE: Final = 64  # pixels of arcs and what is told of them, above a matrix
_SEEN: Final = 0.005  # of a weight: less is no arc
_HIGH: Final = 42  # pixels of the widest arc


def arcs_at(panel: MatrixPanel, arcs: Arcs, pen: Pen, left: float, base: float, cell: float) -> str:
    """From one column to the others, as broad as the numbers of a row; the broadest is told above it.

    Args:
        panel: The matrix.
        arcs: Which row's, and from which column.
        pen: Draws.
        left: Where the columns begin, in pixels.
        base: Where the arcs stand.
        cell: Width of a column.
    """
    values, body = panel.values[arcs.row], ""
    most, colour = int(np.nanargmax(values)), pen.muted if arcs.off else pen.accent
    dash = ' stroke-dasharray="1.5 3.5"' if arcs.off else ""

    def middle(column: float) -> float:
        return left + (column + 0.5) * cell

    def high(column: int) -> float:
        return _HIGH * (0.4 + 0.6 * abs(column - arcs.column) / max(1, len(values) - 1))

    start = middle(arcs.column)
    for at, value in enumerate(values.tolist()):
        if at == arcs.column or not value > _SEEN or (arcs.off and at != most):
            continue
        end, top = middle(at), base - 4 / 3 * high(at)
        way = f"M{start:.1f} {base}C{start:.1f} {top:.1f} {end:.1f} {top:.1f} {end:.1f} {base}"
        broad = 1.5 if arcs.off else max(1, 7 * value)
        faint = "" if arcs.off else f' opacity="{min(1, 0.3 + value):.2f}"'
        body += f'<path d="{way}" fill="none" stroke-width="{broad:.1f}" stroke="{colour}"{dash}{faint}/>'
    is_own = most == arcs.column
    half = text_width(arcs.label, 10.5) / 2
    x = min(max(middle((arcs.column + (arcs.column if is_own else most)) / 2), half + 4), pen.width - half)
    y = base - 6 - (0 if is_own else high(most))
    body += rect(x - half - 3, y - 16, 2 * half + 6, 16, pen.paper, ' rx="8"')
    return body + pen.text(x, y - 4, arcs.label, size=10, weight=600, anchor="middle", colour=colour)


def switches_at(panel: MatrixPanel, pen: Pen, x: float, top: float, high: float) -> str:
    """Whether each row is on, beside it."""
    if not panel.switches:
        return ""
    body = pen.text(x + 9, top - 8, _("on"), size=9, anchor="middle", colour=pen.muted)
    for row, on in enumerate(panel.switches):
        y = top + (row + 0.5) * high
        body += rect(x, y - 5, 18, 10, pen.accent if on else pen.muted, ' rx="5"')
        body += disc(x + (13 if on else 5), y, 3.5, pen.paper)
    return body
