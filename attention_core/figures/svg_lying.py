"""Bars that lie below each other, as SVG."""

from typing import Final

import numpy as np

from attention_core.figures.cells import format_cell
from attention_core.figures.panels import BarsPanel, Whole
from attention_core.figures.svg_pen import Pen, rect, short, text_width
from attention_core.measuring.number_format import format_number, percent

_LEFT: Final = 96
_NAME: Final = 14  # characters beside a bar


def lying_at(panel: BarsPanel, pen: Pen) -> tuple[str, float]:
    """Bars below each other, each with its number, and above them the one that all share; and how high that is.

    Args:
        panel: What is drawn; outside a sweep.
        pen: Draws.
    """
    limits, body, top = panel.height_limits, "", 30.0
    if panel.whole is not None:
        body, top = _whole(panel.whole, pen)
    room = pen.width - _LEFT - 48

    def along(value: float) -> float:
        return room * min(1.0, max(0.0, value / limits[1])) if np.isfinite(value) else 0.0

    for at, value in enumerate(panel.values.tolist()):
        role, y = panel.role[at] if isinstance(panel.role, tuple) else panel.role, top + 18 * at
        colour = pen.colour(role) if role or isinstance(panel.role, tuple) else pen.accent
        body += pen.text(_LEFT - 6, y + 11, short(panel.labels.labels[at], _NAME), size=10, anchor="end")
        body += rect(_LEFT, y + 2, max(1, along(value)), 12, colour, ' rx="2"')
        ends = along(value)
        if panel.before is not None:
            was = along(float(panel.before[at]))
            body += rect(_LEFT, y + 2, was, 12, "none", f' stroke="{colour}" stroke-dasharray="5 4"')
            ends = max(ends, was)
        if panel.whole is not None and panel.whole.of_bars:
            number = format_cell(value, "weight")
        else:
            number = percent(value) if panel.percent else format_number(value)
        body += pen.text(_LEFT + ends + 5, y + 11, number, size=10, colour=pen.muted)
    return body, top + 18 * len(panel.values) + 12


def _whole(whole: Whole, pen: Pen) -> tuple[str, float]:
    """The bar that parts share, what it was before, and below both the names of what is too narrow for its own."""
    body, below = "", 58 if whole.before is None else 66
    for values, y, high in ((whole.values, 28, 22), (whole.before, 52, 5)):
        x, total = 4.0, (pen.width - 8) / max(1e-9, float(0 if values is None else values.sum()))
        for at, value in enumerate([] if values is None else values.tolist()):
            role, name, long = whole.role[at], whole.names[at], value * total
            faint = ' fill-opacity="0.4"' if high < 10 else ""
            body += rect(x, y, max(1, long - 1), high, pen.colour(role), faint)
            text = f"{name} {percent(value)}"
            if high > 10 and text_width(text) < long - 4:
                body += pen.text(x + 4, y + 15, text, size=10, colour=pen.paper, weight=600)
            elif high > 10 and not whole.of_bars:
                body += pen.text(4, below + 8, text, size=10, colour=pen.colour(role))
                below += 14
            x += long
    return body, below + 8
