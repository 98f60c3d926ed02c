"""The look of every Plotly figure, and text that Plotly shows exactly as it was typed."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from html import escape as escape_html
from threading import Lock
from typing import Any, Final, ParamSpec, TypeVar

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from attention_core.figures.text import fit_for_xml, wrapped
from attention_core.figures.theme import GRID, INK, MUTED, ROLE_COLOURS, TONES, Mode, Role
from attention_core.language import current

Figure = go.Figure

FONT: Final = "Source Sans, Source Sans Pro, Segoe UI, Helvetica Neue, Arial, sans-serif"
# Three significant digits, trailing zeros trimmed (d3-format).
NUMBER: Final = ".3~g"
KEPT: Final = 16
# Characters by which Plotly takes text for LaTeX or for a template; entities reach the screen as the character.
_LITERAL: Final = str.maketrans({"$": "&#36;", "%": "&#37;", "\n": " "})


Given = ParamSpec("Given")
Drawn = TypeVar("Drawn", bound=go.Figure | None)


def drawn_once(draw: Callable[Given, Drawn]) -> Callable[Given, Drawn]:
    """Keep the last 16 figures of ``draw`` for all who look at the same result in one language.

    Building one takes longer than the rest of a page.

    Numbers, text and tuples of them count by value, everything else by identity. A kept figure is shared, so nobody
    changes it.

    Args:
        draw: Makes a figure from results, which do not change, and settings.
    """
    cached: OrderedDict[Any, tuple[Any, Drawn]] = OrderedDict()
    lock = Lock()

    @wraps(draw)
    def drawn(*args: Given.args, **options: Given.kwargs) -> Drawn:
        given = (*args, *options, *options.values())
        values = (each if isinstance(each, str | int | float | tuple) else id(each) for each in given)
        key = (current(), *values)
        with lock:
            if key in cached:
                cached.move_to_end(key)
                return cached[key][1]
        figure = draw(*args, **options)
        with lock:
            cached[key] = (given, figure)  # while the arguments are kept, nothing else can have their identity
            while len(cached) > KEPT:
                cached.popitem(last=False)
        return figure

    return drawn


def escape(text: str) -> str:
    """``text`` as Plotly markup that shows exactly ``text``: ``<b>``, ``%{z}`` and ``$x$`` stay what they are.

    A character that a figure saved as SVG cannot hold is shown as U+FFFD.
    """
    return escape_html(fit_for_xml(text), quote=False).translate(_LITERAL)


@dataclass(slots=True)
class Drawing:
    """A figure in Plotly's words that Plotly has not checked yet.

    To change one word of a figure that it has checked takes Plotly milliseconds; so a drawing is made whole first.

    Attributes:
        data: The traces.
        layout: The layout.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def figure(self) -> go.Figure:
        """The figure."""
        return go.Figure(self.data, self.layout)


@cache
def template(mode: Mode) -> Mapping[str, Any]:
    """Fonts, colours, margins and gridlines of a mode, on a transparent background; nobody changes it."""
    axis = {
        "gridcolor": GRID[mode],
        "linecolor": GRID[mode],
        "zerolinecolor": GRID[mode],
        "tickcolor": GRID[mode],
        "tickfont": {"color": MUTED[mode], "size": 12},
        "title": {"font": {"color": MUTED[mode], "size": 13}, "standoff": 10},
        "automargin": True,
        "exponentformat": "power",
    }
    layout = {
        "font": {"family": FONT, "size": 13, "color": INK[mode]},
        "title": {"font": {"size": 15, "weight": 600}, "x": 0, "xref": "paper", "xanchor": "left"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": [*TONES[mode].values()],
        "margin": {"l": 56, "r": 16, "t": 40, "b": 48},
        "xaxis": axis,
        "yaxis": axis,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
        "hoverlabel": {"font": {"family": FONT, "size": 13}, "align": "left"},
        "bargap": 0.15,
    }
    return {"layout": layout}


def base_layout(*, title: str = "", mode: Mode = "light") -> dict[str, Any]:
    """The layout that all figures share; ``title`` is shown literally."""
    return {"template": template(mode)} | ({"title": {"text": escape(title)}} if title else {})


def base_figure(*, title: str = "", mode: Mode = "light") -> go.Figure:
    """An empty figure that looks like all others; ``title`` is shown literally."""
    return go.Figure(layout=base_layout(title=title, mode=mode))


def axis(title: str, *, log: bool = False, role: Role | None = None, mode: Mode = "light") -> dict[str, Any]:
    """Layout of an axis: a literal title, in its role's colour, decades on a log axis."""
    layout: dict[str, Any] = {"title": {"text": escape(title)}}
    if role:
        layout["title"]["font"] = {"color": ROLE_COLOURS[mode][role]}
    if log:
        layout |= {"type": "log", "dtick": 1}
    return layout


def token_axis(
    title: str, labels: tuple[str, ...], *, role: Role | None = None, mode: Mode = "light"
) -> dict[str, Any]:
    """Layout of an axis of tokens: literal tick texts on the positions 0 … n − 1, so that equal tokens stay apart."""
    every = -(-len(labels) // 64)  # more ticks than 64 print over one another
    shown = range(0, len(labels), every)
    layout = axis(title, role=role, mode=mode)
    layout |= {"tickvals": list(shown), "ticktext": [escape(labels[i]) for i in shown], "showgrid": False}
    layout |= {"zeroline": False, "showline": False, "ticks": ""}
    if role:
        layout["tickfont"] = {"color": ROLE_COLOURS[mode][role]}
    return layout


def border(*, name: str, group: str, x: ArrayLike, low: ArrayLike, high: ArrayLike, colour: str) -> list[Any]:
    """Traces that fill what lies between ``low`` and ``high``."""
    both = {
        "type": "scatter",
        "x": x,
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "legendgroup": group,
    }
    filled = {"name": escape(name), "fill": "tonexty", "fillcolor": _faint(colour)}
    return [both | {"y": high, "showlegend": False}, both | filled | {"y": low}]


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def footnote(text: str) -> dict[str, Any]:
    """Layout of a sentence below the axes; nothing where there is none."""
    if not text:
        return {}
    lines = wrapped(text)
    place = {"x": 0, "y": -0.2, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    note = {"text": "<br>".join(map(escape, lines)), "showarrow": False, "align": "left"}
    return {"annotations": [place | note], "margin": {"b": 72 + 18 * len(lines)}}


def words_at(x: float, y: float, text: str, colour: str) -> dict[str, Any]:
    """A text where it is about what is drawn there."""
    written = {"x": [x], "y": [y], "text": [escape(text)], "textposition": "top right", "textfont": {"color": colour}}
    return written | {"type": "scatter", "mode": "text", "showlegend": False, "hoverinfo": "skip"}
