"""A picture as a file: all panels of a view, or of two that stand beside each other, on one sheet as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Final

from attention_core.figures.matrix import Flow, GraphPanel, MatrixView, Panel, Sweep, Tally
from attention_core.figures.panels import MatrixPanel
from attention_core.figures.svg import panel_at
from attention_core.figures.svg_matrix import cell_size, cells_top
from attention_core.figures.svg_pen import LEFT, LETTER, Pen, rect, short, text_width
from attention_core.figures.table import panel_table
from attention_core.figures.text import escape_xml, wrapped
from attention_core.figures.theme import GREEN, Mode
from attention_core.language import current
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number

SCALE: Final = 1.25  # of a panel's pixels: words are 12 pixels high then
_WHOLE: Final = 1300  # pixels that panels share from left to right
_LEAST, _MOST = 190, 380  # of what the values of a panel take
_ACROSS: Final = 4  # panels beside each other where nothing else is said
_WIDE_GRAPH: Final = 12  # tokens of a graph that is as wide as two panels
_MARGIN: Final = 16
_GAP: Final = 18  # pixels between panels
_BANDS: Final = 110  # and between two with bands
_BAND: Final = 0.6  # of a row's height
_COLUMN: Final = 100  # pixels of values from top to bottom where panels of a flow stand below each other
_TALLY: Final = 110
_SQUARES: Final = 16  # rows and columns of squares that can be told apart
_FAMILY: Final = "'Source Sans', 'Source Sans 3', sans-serif"


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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a panel stands on the sheet, and what draws it."""

    x: float
    y: float
    pen: Pen
    panel: Panel

    def row(self, at: float) -> float:
        """The middle of a row."""
        assert isinstance(self.panel, MatrixPanel)
        return self.y + cells_top(self.panel) + (at + 0.5) * self.high

    @property
    def high(self) -> float:
        """Height of a row."""
        assert isinstance(self.panel, MatrixPanel)
        return cell_size(self.panel, self.pen)[1]

    @property
    def ends(self) -> tuple[float, float]:
        """Where its cells begin and end, from left to right."""
        assert isinstance(self.panel, MatrixPanel)
        left = self.x + LEFT
        return left, left + len(self.panel.columns.labels) * cell_size(self.panel, self.pen)[0]


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
    for one in shown:
        drawn, wide, high = _view(one, Pen(mode), alone=len(shown) == 1)
        body += f'<g transform="translate({x:g} 0)">{drawn}</g>'
        x, height = x + wide + 2 * _GAP, max(height, high)
    width = x - 2 * _GAP
    for one in below:
        drawn, wide, high = _view(one, Pen(mode), alone=True)
        body += f'<g transform="translate(0 {height + 2 * _GAP:g})">{drawn}</g>'
        width, height = max(width, wide), height + 2 * _GAP + high
    width, height = (4 * ceil((side + 2 * _MARGIN) / 4) for side in (width, height))  # whole pixels
    style = "".join(faces) if 'font-style="italic"' in body else faces[0]
    size = f'viewBox="0 0 {width} {height}" width="{SCALE * width:.0f}" height="{SCALE * height:.0f}"'
    said = escape_xml(" ".join(str(one.view.summary) for one in (*shown, *below)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{said}" font-family="{_FAMILY}" '
        f'text-rendering="geometricPrecision">'
        f"<title>{said}</title><style>{style}</style>"
        f'{rect(0, 0, width, height, Pen(mode).paper)}<g transform="translate({_MARGIN} {_MARGIN})">{body}</g></svg>'
    )


def sheet_html(
    shown: Sequence[Shown], *, below: Sequence[Shown] = (), mode: Mode = "light", faces: tuple[str, str] = ("", "")
) -> str:
    """The same as a page, with the numbers of each panel as a table below it; it needs nothing from elsewhere.

    Args:
        shown: The views.
        below: Others, below them.
        mode: The theme.
        faces: As of ``sheet_svg``.
    """
    pen = Pen(mode)
    tables = "".join(_table(panel, one) for one in (*shown, *below) for panel in one.view.at(one.step).panels)
    title = escape_xml(" ".join(str(one.view.summary) for one in (*shown, *below)))
    look = (
        f"body {{ margin: 1.5rem; background: {pen.paper}; color: {pen.ink}; font-family: {_FAMILY} }} "
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
    found = panel_table(panel)
    named = f"{shown.name}: {panel.title}" if shown.name else panel.title

    def row(tag: str, cells: Sequence[object]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape_xml(_plain(one))}</{tag}>' for one in cells)}</tr>"

    body = "".join(row("td", cells) for cells in found.rows)
    head = f"<thead>{row('th', found.columns)}</thead>"
    return f"<details><summary>{escape_xml(named)}</summary><table>{head}<tbody>{body}</tbody></table></details>"


def _plain(value: object) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


# ---- where panels stand ----


def _view(shown: Shown, pen: Pen, *, alone: bool) -> tuple[str, float, float]:
    """A view with its step and its summary, and how wide and how high that is."""
    view, body, top = shown.view, "", 0.0
    if shown.name:
        body += pen.text(4, 12, shown.name, size=11, colour=pen.muted)
        top += 24
    if view.sweep:
        body += _step(view.sweep, shown.step, pen, top)
        top += 30
    panels = view.at(shown.step).panels
    flowing = view.flow and alone
    places = _flowing(view.flow, panels, pen) if view.flow and flowing else _rows(view, panels, pen, alone=alone)
    drawn, wide, high = "", 0.0, 0.0
    for at, place in enumerate(places):
        chosen = shown.cell[1:] if shown.cell and shown.cell[0] == at else None
        one, bottom = panel_at(place.panel, place.pen, chosen)
        drawn += f'<g transform="translate({place.x:.1f} {place.y:.1f})">{one}</g>'
        wide, high = max(wide, place.x + place.pen.width), max(high, place.y + bottom)
    below = _ribbons(view.flow, places, pen) if view.flow and flowing else ""
    below += _bands(view.bands, places, pen) + _signs(view.signs, places, pen)
    if view.tally:
        drawn += f'<g transform="translate({wide:.1f} 40)">{_tally(view.tally, pen)}</g>'
        wide += _TALLY
    body += f'<g transform="translate(0 {top:g})">{below}{drawn}</g>'
    top += high + 18
    for line in wrapped(str(view.summary), int(wide / (13 * LETTER))):
        body += pen.formula(4, top, line, size=13)
        top += 18
    return body, wide, top - 8


def _step(sweep: Sweep, step: int, pen: Pen, top: float) -> str:
    """What is swept, and where it stands."""
    return pen.formula(4, top + 12, sweep.label, size=12, beside=sweep.values[step])


def _share(panel: Panel) -> int:
    """How many panels' width it takes."""
    first, last = panel.drawn if isinstance(panel, GraphPanel) else (0, 0)
    return 2 if last - first >= _WIDE_GRAPH else 1


def _rows(view: MatrixView, panels: Sequence[Panel], pen: Pen, *, alone: bool) -> list[_Place]:
    """Panels in lines: those that are the picture, and below them, no larger, those that are a second look."""
    front, most = view.front or len(panels), _ACROSS if alone else 2
    if view.signs or len(panels) - view.second <= most:
        front = len(panels) - view.second
    most = front if view.signs else most
    blocks = [panels] if front > most else [panels[:front], panels[front:]]
    gap = _BANDS if view.bands else _GAP
    places, y, across = list[_Place](), 0.0, float(_MOST)
    for block in filter(None, blocks):
        lines = [block[at : at + most] for at in range(0, len(block), most)]
        count = max(sum(map(_share, line)) for line in lines) * (1 if alone else 2)
        across = min(across, max(_LEAST, _WHOLE / count - gap - Pen().width + Pen().across))
        for line in lines:
            x, below = 0.0, 0.0
            for panel in line:
                own = replace(pen, across=across, down=across, bare=bool(view.signs and x))
                own = replace(own, across=across + (_share(panel) - 1) * own.width)
                places.append(_Place(x, y, own, panel))
                x += own.width + gap
                below = max(below, panel_at(panel, own)[1])
            y += below + _GAP
    return places


def _flowing(flow: Flow, panels: Sequence[Panel], pen: Pen) -> list[_Place]:
    """Panels in the columns of a flow: alone in the middle of it, and above what passes it."""
    columns = [[at for at, column in enumerate(flow.columns) if column == one] for one in sorted({*flow.columns})]
    alone, several = replace(pen, across=_LEAST, down=_LEAST), replace(pen, across=_LEAST, down=_COLUMN)
    pens = {
        at: replace(alone if len(column) == 1 else several, bare=number > 0)
        for number, column in enumerate(columns) for at in column
    }  # fmt: skip
    highs = {at: panel_at(panels[at], pens[at])[1] for at in pens}
    whole = max(sum(highs[at] + _GAP for at in column) for column in columns)
    places = dict[int, _Place]()
    for number, column in enumerate(columns):
        passed = any(flow.columns[a] < number < flow.columns[b] for a, b, _ in flow.ribbons)
        y = 0.0 if len(column) > 1 or passed else (whole - highs[column[0]]) / 2
        for at in column:
            places[at] = _Place(number * alone.width, y, pens[at], panels[at])
            y += highs[at] + _GAP
    return [places[at] for at in range(len(panels))]


# ---- what stands between panels ----


def _ribbons(flow: Flow, places: Sequence[_Place], pen: Pen) -> str:
    """The ways from panel to panel: a band for each row, straight below what lies between, and then up."""
    body = ""
    for start, end, role in flow.ribbons:
        one, other = places[start], places[end]
        x0, x1 = (
            one.ends[1] + 3,
            other.ends[0] - (8 if isinstance(other.panel, MatrixPanel) and other.panel.role else 3),
        )
        bend = max(x0, x1 - _BANDS)
        middle = (bend + x1) / 2
        for row in range(one.panel.values.shape[0] if isinstance(one.panel, MatrixPanel) else 0):
            (a, b), (c, d) = (
                [place.row(row) + side * _BAND / 2 * place.high for place in (one, other)] for side in (-1, 1)
            )
            way = f"M{x0:.1f} {a:.1f}H{bend:.1f}C{middle:.1f} {a:.1f} {middle:.1f} {b:.1f} {x1:.1f} {b:.1f}V{d:.1f}"
            way += f"C{middle:.1f} {d:.1f} {middle:.1f} {c:.1f} {bend:.1f} {c:.1f}H{x0:.1f}Z"
            body += f'<path d="{way}" fill="{pen.colour(role) if role else pen.accent}" fill-opacity="0.3"/>'
    return body


def _bands(bands: Sequence[int], places: Sequence[_Place], pen: Pen) -> str:
    """From where each row of the second matrix stood in the first to where it stands."""
    if not bands or places[0].y != places[1].y:
        return ""
    one, other = places
    assert isinstance(other.panel, MatrixPanel)
    labels = max(text_width(short(label)) for label in other.panel.rows.labels)
    x0, x1 = one.ends[1] + 6, other.ends[0] - labels - 12
    middle, style = (x0 + x1) / 2, f'fill="none" stroke="{pen.colour("query")}" stroke-opacity="0.16"'
    return "".join(
        f'<path d="M{x0:.1f} {one.row(was):.1f}C{middle:.1f} {one.row(was):.1f} {middle:.1f} {other.row(row):.1f} '
        f'{x1:.1f} {other.row(row):.1f}" stroke-width="{_BAND * one.high:.1f}" {style}/>'
        for row, was in enumerate(bands)
    )


def _signs(signs: Sequence[str], places: Sequence[_Place], pen: Pen) -> str:
    """What stands between panels that read as one line."""
    return "".join(
        pen.text((one.ends[1] + other.ends[0]) / 2 - 16, one.row((len(one.panel.rows.labels) - 1) / 2) + 6, sign,
                 size=18, weight=600, anchor="middle", colour=pen.muted)
        for sign, (one, other) in zip(signs, pairwise(places), strict=False)
        if sign and one.y == other.y and isinstance(one.panel, MatrixPanel) and isinstance(other.panel, MatrixPanel)
    )  # fmt: skip


def _tally(tally: Tally, pen: Pen) -> str:
    """How many numbers are the same, with a square for each, and how many are if a switch is turned."""
    same, middle = tally.same, _TALLY / 2
    number, count = (None, 0) if same is None else (int(same.sum()), same.size)
    green = GREEN[pen.mode]

    def said(y: float, text: str, size: float = 10, colour: str = pen.muted, weight: int = 400) -> str:
        return pen.text(middle, y, text, size=size, anchor="middle", colour=colour, weight=weight)

    body = said(48, "?" if number is None else str(number), 38, green if number == count else pen.ink, 700)
    words = _("of {count} the same", count=count) if count else _("this precision cannot tell how many")
    y = 66.0
    for line in wrapped(words, 18):
        body += said(y, line)
        y += 13
    if same is not None and max(same.shape) <= _SQUARES:
        step = min(9.0, (_TALLY - 20) / same.shape[1])
        left = middle - step * same.shape[1] / 2
        for row, cells in enumerate(same):
            for column, is_same in enumerate(cells):
                colour = green if is_same else pen.hidden
                body += rect(left + column * step, y + row * step, step - 2, step - 2, colour, ' rx="1"')
        y += step * same.shape[0] + 8
    y += 10
    body += said(y, tally.other)
    body += said(y + 24, "?" if tally.other_same is None else str(tally.other_same), 20, pen.muted, 700)
    y += 38
    if count:
        body += said(y, _("of {count}", count=count))
    return rect(0, 0, _TALLY, y + 14, green, ' fill-opacity="0.05" rx="10"') + body
