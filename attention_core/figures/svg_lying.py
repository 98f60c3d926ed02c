"""Bars that lie below each other, as SVG."""

from collections.abc import Callable
from typing import Final

import numpy as np

from attention_core.figures.cells import format_cell
from attention_core.figures.panels import BarsPanel, Whole
from attention_core.figures.theme import MUTED, SCALES, Role, Tone, colour_of
from attention_core.measuring.number_format import format_number, percent

_WIDTH, _LEFT = 320, 96
_MUTED: Final = MUTED["light"]
_ACCENT: Final = SCALES["light"]["sequential"][3]


def _colour(worn: Role | Tone | None) -> str:
    return colour_of(worn, "light") if worn else _MUTED


def lying(panel: BarsPanel, text: Callable[..., str]) -> tuple[str, float]:
    """Bars below each other, each with its number, and above them the one that all share; and how high that is.

    Args:
        panel: What is drawn; outside a sweep.
        text: Writes at x and y.
    """
    limits, body, top = panel.height_limits, "", 30.0
    if panel.whole is not None:
        body, top = _whole(panel.whole, text)
    room = _WIDTH - _LEFT - 48

    def along(value: float) -> float:
        return room * min(1.0, max(0.0, value / limits[1])) if np.isfinite(value) else 0.0

    for at, value in enumerate(panel.values.tolist()):
        role, y = panel.role[at] if isinstance(panel.role, tuple) else panel.role, top + 18 * at
        colour = _colour(role) if role or isinstance(panel.role, tuple) else _ACCENT
        body += text(_LEFT - 4, y + 11, panel.labels.labels[at], size=10, anchor="end")
        body += f'<rect x="{_LEFT}" y="{y + 2}" width="{max(1, along(value)):.1f}" height="12" fill="{colour}"/>'
        ends = along(value)
        if panel.before is not None:
            was = along(float(panel.before[at]))
            outline = f'fill="none" stroke="{colour}" stroke-dasharray="5 4"'
            body += f'<rect x="{_LEFT}" y="{y + 2}" width="{was:.1f}" height="12" {outline}/>'
            ends = max(ends, was)
        if panel.whole is not None and panel.whole.of_bars:
            said = format_cell(value, "weight")
        else:
            said = percent(value) if panel.percent else format_number(value)
        body += text(_LEFT + ends + 4, y + 11, said, size=10, colour=_MUTED)
    return body, top + 18 * len(panel.values) + 12


def _whole(whole: Whole, text: Callable[..., str]) -> tuple[str, float]:
    """The bar that parts share, what it was before, and below both the names of what is too narrow for its own."""
    body, below = "", 58 if whole.before is None else 66
    for values, y, high in ((whole.values, 28, 22), (whole.before, 52, 5)):
        x, total = 4.0, (_WIDTH - 8) / max(1e-9, float(0 if values is None else values.sum()))
        for at, value in enumerate([] if values is None else values.tolist()):
            role, name, wide = whole.role[at], whole.names[at], value * total
            faint = ' fill-opacity="0.4"' if high < 10 else ""
            body += f'<rect x="{x:.1f}" y="{y}" width="{max(1, wide - 1):.1f}" height="{high}" '
            body += f'fill="{_colour(role)}"{faint}/>'
            said = f"{name} {percent(value)}"
            if high > 10 and len(said) * 5.6 < wide:
                body += text(x + 4, y + 15, said, size=10, colour="#FFFFFF", weight=600)
            elif high > 10 and not whole.of_bars:
                body += text(4, below + 8, said, size=10, colour=_colour(role))
                below += 14
            x += wide
    return body, below + 8
