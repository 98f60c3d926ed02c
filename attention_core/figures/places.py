"""A view as one drawing: where its panels stand, and what stands between them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Final

from attention_core.figures.matrix import Flow, GraphPanel, MatrixView, Panel, Tally
from attention_core.figures.panels import MatrixPanel
from attention_core.figures.svg import panel_at
from attention_core.figures.svg_matrix import cell_size, cells_top
from attention_core.figures.svg_pen import LEFT, RIGHT, Pen, rect, short, text_width
from attention_core.figures.text import wrapped
from attention_core.figures.theme import GREEN
from attention_core.language import gettext as _

_WHOLE: Final = 1300  # pixels that panels share from left to right
_LEAST, _MOST = 190, 380  # of what the values of a panel take
_ACROSS: Final = 4  # panels beside each other where nothing else is said
_WIDE_GRAPH: Final = 12  # tokens of a graph that is as wide as two panels
_GAP: Final = 18  # pixels between panels
_SIGN: Final = 28  # and where a sign stands between two
_NARROW, _NARROWEST = 110, 84  # pixels of values that a panel has where a box has no room; of one among signs
_TALL: Final = 2  # times its width that a cell is high at most
_FEW: Final = 7  # cells from top to bottom that a panel has room for, or its few would be small
_SCALES: Final = (1.25, 1.0, 0.8, 0.625)  # of the words that are read with ease, which are tried in a box
_BANDS: Final = 110  # and between two with bands
_BAND: Final = 0.6  # of a row's height
_COLUMN: Final = 100  # pixels of values from top to bottom where panels of a flow stand below each other
_TALLY, _TALLY_TOP = 110, 40
_SQUARES: Final = 16  # rows and columns of squares that can be told apart


@dataclass(frozen=True, slots=True)
class Place:
    """A panel's place in a picture, and its pen."""

    x: float
    y: float
    pen: Pen
    panel: Panel

    def row(self, at: float) -> float:
        """The middle of a row."""
        assert isinstance(self.panel, MatrixPanel)
        return self.y + cells_top(self.panel) + (at + 0.5) * self.high

    @property
    def down(self) -> float:
        """Height of its values."""
        return self.high * len(self.panel.rows.labels) if isinstance(self.panel, MatrixPanel) else self.pen.down

    @property
    def high(self) -> float:
        """Height of a row."""
        assert isinstance(self.panel, MatrixPanel)
        return cell_size(self.panel, self.pen)[1]

    @property
    def ends(self) -> tuple[float, float]:
        """The left and the right end of its cells."""
        assert isinstance(self.panel, MatrixPanel)
        left = self.x + LEFT
        return left, left + len(self.panel.columns.labels) * cell_size(self.panel, self.pen)[0]


def assembled(
    view: MatrixView, places: Sequence[Place], pen: Pen, *, chosen: tuple[int, int, int] | None, flowing: bool
) -> tuple[str, float, float]:
    """Panels at their places, with what stands between and beside them, and how wide and how high that is.

    Args:
        view: What the panels are of.
        places: Where they stand.
        pen: Draws what stands between them.
        chosen: Panel, row and column of the cell that is chosen; None for none.
        flowing: Whether they stand in the columns of the view's flow.
    """
    drawn, wide, high = "", 0.0, 0.0
    for at, place in enumerate(places):
        drawing, bottom = panel_at(place.panel, place.pen, chosen[1:] if chosen and chosen[0] == at else None)
        drawn += f'<g transform="translate({place.x:.1f} {place.y:.1f})">{drawing}</g>'
        wide, high = max(wide, place.x + place.pen.width), max(high, place.y + bottom)
    below = _ribbons(view.flow, places, pen) if view.flow and flowing else ""
    below += _bands(view.bands, places, pen) + _signs(view.signs, places, pen)
    if view.tally:
        tally, below_it = _tally(view.tally, pen)
        drawn += f'<g transform="translate({wide:.1f} {_TALLY_TOP})">{tally}</g>'
        wide, high = wide + _TALLY, max(high, _TALLY_TOP + below_it)
    return below + drawn, wide, high


def _share(panel: Panel) -> int:
    """The width of a panel as a multiple of the usual one."""
    first, last = panel.drawn if isinstance(panel, GraphPanel) else (0, 0)
    return 2 if last - first >= _WIDE_GRAPH else 1


def in_rows(view: MatrixView, panels: Sequence[Panel], pen: Pen, *, alone: bool) -> list[Place]:
    """Panels in lines: those that are the picture, and below them, no larger, those that are a second look."""
    front, most = view.front or len(panels), _ACROSS if alone else 2
    if view.signs or len(panels) - view.second <= most:
        front = len(panels) - view.second
    most = front if view.signs else most
    blocks = [panels] if front > most else [panels[:front], panels[front:]]
    gap = _BANDS if view.bands else _GAP
    places, y, across = list[Place](), 0.0, float(_MOST)
    for block in filter(None, blocks):
        lines = [block[at : at + most] for at in range(0, len(block), most)]
        count = max(sum(map(_share, line)) for line in lines) * (1 if alone else 2)
        across = min(across, max(_LEAST, _WHOLE / count - gap - Pen().width + Pen().across))
        for line in lines:
            x, below = 0.0, 0.0
            for panel in line:
                panel_pen = replace(pen, across=across, down=across, bare=bool(view.signs and x))
                panel_pen = replace(panel_pen, across=across + (_share(panel) - 1) * panel_pen.width)
                places.append(Place(x, y, panel_pen, panel))
                x += panel_pen.width + gap
                below = max(below, panel_at(panel, panel_pen)[1])
            y += below + _GAP
    return places


def in_columns(flow: Flow, panels: Sequence[Panel], pen: Pen, across: float = _LEAST) -> list[Place]:
    """Panels in the columns of a flow: alone in the middle of it, and above what passes it.

    Args:
        flow: The columns.
        panels: The panels.
        pen: Draws.
        across: Pixels that the values of each take from left to right.
    """
    columns = [[at for at, column in enumerate(flow.columns) if column == which] for which in sorted({*flow.columns})]
    alone, several = replace(pen, across=across, down=_LEAST), replace(pen, across=across, down=_COLUMN)
    pens = {
        at: replace(alone if len(column) == 1 else several, bare=number > 0)
        for number, column in enumerate(columns) for at in column
    }  # fmt: skip
    highs = {at: panel_at(panels[at], pens[at])[1] for at in pens}
    whole = max(sum(highs[at] + _GAP for at in column) for column in columns)
    places = dict[int, Place]()
    for number, column in enumerate(columns):
        passed = any(flow.columns[a] < number < flow.columns[b] for a, b, _ in flow.ribbons)
        y = 0.0 if len(column) > 1 or passed else (whole - highs[column[0]]) / 2
        for at in column:
            places[at] = Place(number * alone.width, y, pens[at], panels[at])
            y += highs[at] + _GAP
    return [places[at] for at in range(len(panels))]


def in_box(
    view: MatrixView, panels: Sequence[Panel], pen: Pen, wide: float, high: float, readable: float
) -> list[Place]:
    """Panels in lines that fill a box once the whole is enlarged to its size.

    Of several ways it is the one whose values take most of the box; one with small words counts for less.

    Args:
        view: What the panels are of.
        panels: Those that are drawn.
        pen: Draws.
        wide: The width of the box, in pixels.
        high: Its height.
        readable: By how much words have to be enlarged to be read with ease.
    """
    lines = (1,) if view.signs or view.bands else range(1, len(panels) + 1)
    ways = (
        _filling(view, panels, pen, ceil(len(panels) / of), wide / (readable * scale), high / (readable * scale))
        for of in lines for scale in _SCALES
    )  # fmt: skip
    return max(ways, key=lambda places: _worth(view, places, wide, high, readable))


def _worth(view: MatrixView, places: Sequence[Place], wide: float, high: float, readable: float) -> float:
    """The pixels that values take in a box, less where words are small."""
    across = max(place.x + place.pen.width for place in places) + (_TALLY if view.tally else 0)
    down = max(place.y + panel_at(place.panel, place.pen)[1] for place in places)
    if view.tally:
        down = max(down, _TALLY_TOP + _tally(view.tally, Pen())[1])
    scale = min(wide / across, high / down)
    values = sum(place.pen.across * place.down for place in places)
    return values * scale**2 * min(1, scale / readable) ** 2


def _filling(view: MatrixView, panels: Sequence[Panel], pen: Pen, most: int, wide: float, high: float) -> list[Place]:
    """Panels in lines of so many, in a box."""
    lines = [panels[at : at + most] for at in range(0, len(panels), most)]
    gap, tuck = (0, LEFT - _SIGN) if view.signs else (_BANDS if view.bands else _GAP, 0)
    narrow = _NARROWEST if view.signs else _NARROW
    shared = wide - (_TALLY if view.tally else 0) - (most - 1) * (gap - tuck)
    across = max(narrow, shared / most - pen.width + pen.across)
    pen = replace(pen, across=across, down=across)
    down = high - _GAP * (len(lines) - 1)
    for line in lines:
        down -= max(panel_at(panel, pen)[1] - Place(0, 0, pen, panel).down for panel in line)
    pen = replace(pen, down=max(_NARROWEST, down / len(lines)))
    places, y = list[Place](), 0.0
    for line in lines:
        x, below = 0.0, 0.0
        for panel in line:
            own = replace(pen, bare=bool(view.signs and x))
            if isinstance(panel, MatrixPanel):
                rows, columns = panel.values.shape
                own = replace(own, down=min(own.down, max(_TALL * rows, _FEW) * across / columns))
                title = text_width(panel.title, 13) + own.start - LEFT - RIGHT
                own = replace(own, across=max(narrow, title, columns * cell_size(panel, own)[0]))
            x -= tuck if own.bare else 0
            places.append(Place(x, y, own, panel))
            x, below = x + own.width + gap, max(below, panel_at(panel, own)[1])
        y += below + _GAP
    return places


# ---- what stands between panels ----


def _ribbons(flow: Flow, places: Sequence[Place], pen: Pen) -> str:
    """Draw the ways from panel to panel: a band for each row, straight below what lies between, and then up."""
    body = ""
    for start, end, role in flow.ribbons:
        left, right = places[start], places[end]
        x0, x1 = (
            left.ends[1] + 3,
            right.ends[0] - (8 if isinstance(right.panel, MatrixPanel) and right.panel.role else 3),
        )
        bend = max(x0, x1 - _BANDS)
        middle = (bend + x1) / 2
        for row in range(left.panel.values.shape[0] if isinstance(left.panel, MatrixPanel) else 0):
            (a, b), (c, d) = (
                [place.row(row) + side * _BAND / 2 * place.high for place in (left, right)] for side in (-1, 1)
            )
            way = f"M{x0:.1f} {a:.1f}H{bend:.1f}C{middle:.1f} {a:.1f} {middle:.1f} {b:.1f} {x1:.1f} {b:.1f}V{d:.1f}"
            way += f"C{middle:.1f} {d:.1f} {middle:.1f} {c:.1f} {bend:.1f} {c:.1f}H{x0:.1f}Z"
            body += f'<path d="{way}" fill="{pen.colour(role) if role else pen.accent}" fill-opacity="0.3"/>'
    return body


def _bands(bands: Sequence[int], places: Sequence[Place], pen: Pen) -> str:
    """Draw a band from each row's place in the first matrix to its place in the second."""
    if not bands or places[0].y != places[1].y:
        return ""
    left, right = places
    assert isinstance(right.panel, MatrixPanel)
    labels = max(text_width(short(label)) for label in right.panel.rows.labels)
    x0, x1 = left.ends[1] + 6, right.ends[0] - labels - 12
    middle, style = (x0 + x1) / 2, f'fill="none" stroke="{pen.colour("query")}" stroke-opacity="0.16"'
    return "".join(
        f'<path d="M{x0:.1f} {left.row(was):.1f}C{middle:.1f} {left.row(was):.1f} {middle:.1f} {right.row(row):.1f} '
        f'{x1:.1f} {right.row(row):.1f}" stroke-width="{_BAND * left.high:.1f}" {style}/>'
        for row, was in enumerate(bands)
    )


def _signs(signs: Sequence[str], places: Sequence[Place], pen: Pen) -> str:
    """Draw the signs between panels that read as one line."""
    return "".join(
        pen.text((left.ends[1] + right.ends[0]) / 2 - 16, left.row((len(left.panel.rows.labels) - 1) / 2) + 6, sign,
                 size=18, weight=600, anchor="middle", colour=pen.muted)
        for sign, (left, right) in zip(signs, pairwise(places), strict=False)
        if sign and left.y == right.y and isinstance(left.panel, MatrixPanel) and isinstance(right.panel, MatrixPanel)
    )  # fmt: skip


def _tally(tally: Tally, pen: Pen) -> tuple[str, float]:
    """Draw how many numbers are the same, a square for each, and how many after a switch; and how high that is."""
    same, middle = tally.same, _TALLY / 2
    number, count = (None, 0) if same is None else (int(same.sum()), same.size)
    green = GREEN[pen.mode]

    def line_at(y: float, text: str, size: float = 10, colour: str = pen.muted, weight: int = 400) -> str:
        return pen.text(middle, y, text, size=size, anchor="middle", colour=colour, weight=weight)

    body = line_at(48, "?" if number is None else str(number), 38, green if number == count else pen.ink, 700)
    words = _("of {count} the same", count=count) if count else _("this precision cannot tell how many")
    y = 66.0
    for line in wrapped(words, 18):
        body += line_at(y, line)
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
    body += line_at(y, tally.other)
    body += line_at(y + 24, "?" if tally.other_same is None else str(tally.other_same), 20, pen.muted, 700)
    y += 38
    if count:
        body += line_at(y, _("of {count}", count=count))
    return rect(0, 0, _TALLY, y + 14, green, ' fill-opacity="0.05" rx="10"') + body, y + 14
