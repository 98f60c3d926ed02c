"""Arcs above a matrix, and the switches of its rows, as SVG."""

from typing import Final

import numpy as np

from attention_core.figures.panels import Arcs, MatrixPanel
from attention_core.figures.svg_text import text_at
from attention_core.figures.theme import MUTED, SCALES

_SEEN: Final = 0.005  # of a weight: less is no arc
_MUTED, _ACCENT = MUTED["light"], SCALES["light"]["sequential"][4]


def arcs_at(panel: MatrixPanel, arcs: Arcs, left: float, base: float, wide: float) -> str:
    """From one column to the others, as broad as the numbers of a row; the broadest is told.

    Args:
        panel: The matrix.
        arcs: Which row's, and from which column.
        left: Where the columns begin, in pixels.
        base: Where the arcs stand.
        wide: Width of a column.
    """
    values, start, body = panel.values[arcs.row], left + (arcs.column + 0.5) * wide, ""
    most, colour = int(np.nanargmax(values)), _MUTED if arcs.off else _ACCENT
    dash = ' stroke-dasharray="1.5 3.5"' if arcs.off else ""
    for at, value in enumerate(values.tolist()):
        if at == arcs.column or not value > _SEEN or (arcs.off and at != most):
            continue
        end, top = left + (at + 0.5) * wide, base - 44
        way = f"M{start:.1f} {base}C{start:.1f} {top:.1f} {end:.1f} {top:.1f} {end:.1f} {base}"
        broad = 1.5 if arcs.off else max(1, 7 * value)
        body += f'<path d="{way}" fill="none" stroke-width="{broad:.1f}" stroke="{colour}"{dash}/>'
    return body + text_at(left, 34, arcs.label, size=10, weight=600, colour=colour)


def switches_at(panel: MatrixPanel, x: float, top: float, high: float) -> str:
    """Whether each row is on, beside it."""
    body = ""
    for row, on in enumerate(panel.switches):
        y, colour = top + (row + 0.5) * high, _ACCENT if on else _MUTED
        body += f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="18" height="10" rx="5" fill="{colour}"/>'
        body += f'<circle cx="{x + (13 if on else 5):.1f}" cy="{y:.1f}" r="3.5" fill="#FFFFFF"/>'
    return body
