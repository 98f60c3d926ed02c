"""A picture as a file: all panels of a view, or of two that stand beside each other, on one sheet as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from attention_core.figures.matrix import MatrixView, Panel, Sweep
from attention_core.figures.places import assembled, in_columns, in_rows
from attention_core.figures.svg_pen import LETTER, Pen, rect
from attention_core.figures.table import panel_table
from attention_core.figures.text import escape_xml, wrapped
from attention_core.figures.theme import Mode
from attention_core.language import current
from attention_core.measuring.number_format import format_number

SCALE: Final = 1.25  # of a panel's pixels: words are 12 pixels high then
_MARGIN: Final = 16
_GAP: Final = 18  # pixels between views
FAMILY: Final = "'Source Sans', 'Source Sans 3', sans-serif"


@dataclass(frozen=True, slots=True)
class Shown:
    """A view as it stands on a screen.

    Attributes:
        view: What it shows.
        step: The step of its sweep.
        cell: Panel, row and column of the cell that is chosen; None for none.
        name: What stands above it; empty for nothing.
    """

    view: MatrixView
    step: int = 0
    cell: tuple[int, int, int] | None = None
    name: str = ""


def sheet_svg(
    shown: Sequence[Shown], *, below: Sequence[Shown] = (), mode: Mode = "light", faces: tuple[str, str] = ("", "")
) -> str:
    """Views beside each other as one picture, each with its panels, its step and its summary.

    Args:
        shown: The views.
        below: Others, below them.
        mode: The theme.
        faces: CSS that it carries along of the typeface ``Source Sans``, upright, and italic where something is.
    """
    body, x, height = "", 0.0, 0.0
    for each in shown:
        drawn, wide, high = _view(each, Pen(mode), alone=len(shown) == 1)
        body += f'<g transform="translate({x:g} 0)">{drawn}</g>'
        x, height = x + wide + 2 * _GAP, max(height, high)
    width = x - 2 * _GAP
    for each in below:
        drawn, wide, high = _view(each, Pen(mode), alone=True)
        body += f'<g transform="translate(0 {height + 2 * _GAP:g})">{drawn}</g>'
        width, height = max(width, wide), height + 2 * _GAP + high
    width, height = (4 * ceil((side + 2 * _MARGIN) / 4) for side in (width, height))  # whole pixels
    style = "".join(faces) if 'font-style="italic"' in body else faces[0]
    size = f'viewBox="0 0 {width} {height}" width="{SCALE * width:.0f}" height="{SCALE * height:.0f}"'
    summary = escape_xml(" ".join(str(each.view.summary) for each in (*shown, *below)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{summary}" font-family="{FAMILY}" '
        f'text-rendering="geometricPrecision">'
        f"<title>{summary}</title><style>{style}</style>"
        f'{rect(0, 0, width, height, Pen(mode).paper)}<g transform="translate({_MARGIN} {_MARGIN})">{body}</g></svg>'
    )


def sheet_html(
    shown: Sequence[Shown], *, below: Sequence[Shown] = (), mode: Mode = "light", faces: tuple[str, str] = ("", "")
) -> str:
    """The views as a self-contained HTML page, with the numbers of each panel as a table below.

    Args:
        shown: The views.
        below: Others, below them.
        mode: The theme.
        faces: As of ``sheet_svg``.
    """
    pen = Pen(mode)
    tables = "".join(_table(panel, each) for each in (*shown, *below) for panel in each.view.at(each.step).panels)
    title = escape_xml(" ".join(str(each.view.summary) for each in (*shown, *below)))
    look = (
        f"body {{ margin: 1.5rem; background: {pen.paper}; color: {pen.ink}; font-family: {FAMILY} }} "
        "svg { max-width: 100%; height: auto } details { margin: .5rem 0; overflow-x: auto } "
        f"table {{ border-collapse: collapse }} th, td {{ padding: .2rem .6rem; border: 1px solid {pen.grid}; "
        "text-align: right; font-variant-numeric: tabular-nums }"
    )
    return (
        f'<!doctype html>\n<html lang="{current()}"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{look}</style></head><body>'
        f"{sheet_svg(shown, below=below, mode=mode, faces=faces)}{tables}</body></html>"
    )


def _table(panel: Panel, shown: Shown) -> str:
    table = panel_table(panel)
    named = f"{shown.name}: {panel.title}" if shown.name else panel.title

    def row(tag: str, cells: Sequence[object]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape_xml(_plain(cell))}</{tag}>' for cell in cells)}</tr>"

    body = "".join(row("td", cells) for cells in table.rows)
    head = f"<thead>{row('th', table.columns)}</thead>"
    return f"<details><summary>{escape_xml(named)}</summary><table>{head}<tbody>{body}</tbody></table></details>"


def _plain(value: object) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


def _view(shown: Shown, pen: Pen, *, alone: bool) -> tuple[str, float, float]:
    """A view with its step and its summary, and how wide and how high that is."""
    view, body, top = shown.view, "", 0.0
    if shown.name:
        body += pen.text(4, 12, shown.name, size=11, colour=pen.muted)
        top += 24
    if view.sweep:
        body += step_at(view.sweep, shown.step, pen, top)
        top += 30
    panels = view.at(shown.step).panels
    if view.flow and alone:
        places, flowing = in_columns(view.flow, panels, pen), True
    else:
        places, flowing = in_rows(view, panels, pen, alone=alone), False
    drawn, wide, high = assembled(view, places, pen, chosen=shown.cell, flowing=flowing)
    body += f'<g transform="translate(0 {top:g})">{drawn}</g>'
    top += high + 18
    for line in wrapped(str(view.summary), int(wide / (13 * LETTER))):
        body += pen.formula(4, top, line, size=13)
        top += 18
    return body, wide, top - 8


def step_at(sweep: Sweep, step: int, pen: Pen, top: float) -> str:
    """Draw the sweep's setting and its value."""
    return pen.formula(4, top + 12, sweep.label, size=12, beside=sweep.values[step])
