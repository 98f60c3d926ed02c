"""A panel of every kind as SVG and as Plotly draws it, approved element by element."""

import base64
import re
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core.figures.charts import panel_figure, view_figure
from attention_core.figures.matrix import (
    Arcs,
    Area,
    AreasPanel,
    Axis,
    BarsPanel,
    Edges,
    Gauge,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Nodes,
    Panel,
    Series,
    Whole,
)
from attention_core.figures.plot import template
from attention_core.figures.svg import panel_svg
from attention_core.studies.complexity.draw import times_curves
from tests.approved import lines
from tests.figures.times import CURVES, SHARES

QUERIES = Axis(title="query", labels=("the", "<b>", "猫"), role="query")
KEYS = Axis(title="key", labels=("the", "<b>", "猫", "d_head"), role="key")
SIZES = Axis(title="size", labels=("W_Q", "b_K", "2"), formulas=True)
X = np.array([1.0, 10.0, 100.0])
HIDDEN = np.array([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]], bool)
WEIGHTS = np.array([[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.1, 0.004, 0.896, 0]])


def matrix(values: Any, **more: Any) -> MatrixPanel:
    given = {"title": "Weights", "rows": QUERIES, "columns": KEYS, "quantity": "weight", "scale": "sequential"}
    return MatrixPanel(values=np.array(values), **given | more)


def bars(values: Any, **more: Any) -> BarsPanel:
    return BarsPanel(**{"title": "Bars", "values": np.array(values), "labels": SIZES, "quantity": "height"} | more)


def curves(*series: Series, **more: Any) -> LinesPanel:
    return LinesPanel(**{"title": "Curves", "x": X, "x_title": "d_head", "y_title": "y", "series": series} | more)


AREAS = (
    Area(name="grey", values=[1, 2], edges=[0, 1, 2], role="muted", said=("σ = 1",), bracket=[0.5, 1.5]),
    Area(name="violet", values=[4, 0], edges=[0, 1, 2], role="accent", said=("best: 4",)),
)
LYING = {"labels": Axis(title="word", labels=("are", "is", "on")), "lying": True}
PANELS: dict[str, Panel] = {
    "weights under a mask": matrix(WEIGHTS, cells="weight", hidden=HIDDEN, note="A note.", unit="1"),
    "scores of queries": matrix([[-1, 2, 0, 0.5]] * 3, scale="diverging", role="query", title="Queries q_i"),
    "shares of two, one not a number": matrix([[0, 0.5, 1, np.nan]] * 3, scale="compared", cells="percent"),
    "scores below 0": matrix([[-1, -2, -3, 0]] * 3, scale="diverging"),
    "what is allowed": matrix(np.where(HIDDEN, 0, [[1, 1, 1, 1], [0.25, 1, 1, 1], [1] * 4]), cells="allowed",
        hidden=HIDDEN),
    "arcs and switches": matrix(
        WEIGHTS, cells="percent", arcs=Arcs(row=2, column=1, label="head 3: 90% on “猫”"), switches=(True, True,
            False),
    ),
    "arcs of a row that is off": matrix(WEIGHTS[2:], rows=Axis(title="head", labels=("3",)), switches=(False,),
                                        arcs=Arcs(row=0, column=1, label="head 3 is off", off=True)),
    "a grid of matrices": matrix(
        np.eye(4), rows=Axis(title="layer", labels=tuple("abab"), groups=("1", "2")),
        columns=Axis(title="head", labels=tuple("abab"), groups=("1", "2")),
    ),
    "bars below 0": bars([1.0, -2.0, np.nan], role=("query", None, "pale"), unit="ms"),
    "bars on a log axis": bars([1e-3, 0.5, 0.0], log_y=True, overlay=(np.array([-0.5, 2.5]), np.full(2, 0.01)),
                               overlay_name="bound"),
    "a histogram": bars([1.0, 3.0], labels=Axis(title="score", labels=()), edges=np.array([0.0, 1, 3]),
                        overlay=(np.array([0.0, 3]), np.array([1.0, 2])), overlay_name="N(0, 1)"),
    "lying bars": bars([0.4, 0.25, 0.001], before=np.array([0.2, 0.3, 0.002]), percent=True,
                       role=("accent", "ink", None), whole=Whole(
                           names=("plural verbs", "others"), values=np.array([0.9, 0.1]),
                           before=np.array([0.5, 0.5]), role=("accent", None)), **LYING),
    "bars that share one": bars([1.0, 0.25, 0.002], **LYING, whole=Whole(
        names=("are", "is", "on"), values=np.array([0.8, 0.198, 0.002]), role=("accent",) * 3, of_bars=True)),
    "lying numbers": bars([4.0, 0.25, 0.0], **LYING),
    "curves": curves(
        Series(name="measured", values=X, band=(X / 2, X * 2)), Series(name="bound", values=X * 3, dashed=True),
        Series(name="value", values=[1, np.nan, 5], role="value"), Series(name="of keys", values=X, dashed=True),
        Series(name="ends", values=np.array([np.nan, 5, np.nan]), crosses=True), log_x=True, log_y=True, marked=1,
    ),
    "two curves": curves(Series(name="softmax", values=X), Series(name="the whole pass again", values=X / 2)),
    "curves that unfold": curves(
        Series(name="typical", values=X, pointed=True), Series(name="chance", values=X / 9, dashed=True,
            pointed=True),
        unfolds=True, marked=1,
    ),
    "curves that are awaited": curves(awaits="your guess?", limits=(0.0, 1.0)),
    "areas": AreasPanel(title="Smooth", areas=AREAS, labels=Axis(title="score", labels=()), span=(0.0, 2.0),
                        quantity="count", smooth=True),
    "columns": AreasPanel(title="Columns", areas=AREAS, labels=Axis(title="rank", labels=("1", "2")), span=(0.0, 2.0),
                          quantity="weight"),
    "a graph": GraphPanel(
        title="Graph", values=np.arange(8).reshape(2, 4), layers=Axis(title="layer", labels=("inputs", "1")),
        tokens=KEYS, quantity="count", counts=("2", "1"),
        edges=(Edges(ends=[[1, 3, 1]]), Edges(ends=[[1, 2, 0]], name="looks at", role="key", lit=True)),
        nodes=(Nodes(at=[[0, 0]], name="seen", role="key"), Nodes(at=[[1, 2]], name="chosen", role="query",
            large=True)),
    ),
    "boxes and a gauge": GraphPanel(
        title="Wires", values=np.zeros((2, 2)), layers=Axis(title="heads of", labels=("keys", "queries")),
        tokens=Axis(title="head", labels=("1", "2")), quantity="head", edges=(Edges(ends=[[1, 0, 0.5]], lit=True),),
        nodes=(Nodes(at=[[0, 0.5]], boxes=("key", "value")),),
        gauge=Gauge(values=np.array(1.0), most=4.0, says=("1 byte",)),
    ),
}  # fmt: skip


_WIDE = 360


def elements(svg: str) -> str:
    """Elements of a kind in lines, without what they usually have, and images as the colours of their pixels."""
    text = re.sub(r'data:image/png;base64,([^"]+)', lambda found: _pixels(found[1]), svg)
    for usual in (' font-weight="400"', ' text-anchor="start"', ' fill="#1B1F27"', ' fill="none"', "</text>", "/>"):
        text = text.replace(usual, "")
    found = [""]
    for element in re.split(r"(?=<(?!/?tspan))", text)[1:]:
        same_kind = element[:5] == found[-1][:5] and len(found[-1]) + len(element) < _WIDE
        found[-1:] = [f"{found[-1]} {element}"] if same_kind else [found[-1], element]
    return "\n".join(found[1:])


def _pixels(png: str) -> str:
    data = base64.b64decode(png)
    columns, rows = struct.unpack(">II", data[16:24])
    content = zlib.decompress(data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8])
    pixels = np.frombuffer(content, np.uint8).reshape(rows, 1 + 3 * columns)[:, 1:]
    kept = pixels if columns < 64 else pixels[:, [*range(3), *range(93, 96), *range(189, 192)]]
    return " ".join(row.tobytes().hex() for row in kept)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_on_paper(name: str, approved: SnapshotAssertion) -> None:
    assert elements(panel_svg(PANELS[name])) == approved


def traces(figure: Any) -> str:
    """A line for each trace of a figure, and one for its layout but for the template of all figures."""
    made = figure.to_plotly_json()
    layout = {name: value for name, value in made["layout"].items() if name != "template"}
    return "\n".join(map(_inline, (*made["data"], layout)))


def _inline(value: Any) -> str:
    match value:
        case {"dtype": dtype, "bdata": encoded}:
            return _inline(np.frombuffer(base64.b64decode(encoded), dtype).tolist())
        case dict():
            return f"({', '.join(f'{name}={_inline(one)}' for name, one in value.items())})"
        case np.ndarray() | list() | tuple():
            return f"[{' '.join(map(_inline, value))}]"
    return lines(value).replace(",", ", ") if isinstance(value, str) and value.startswith("rgba(") else lines(value)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_in_plotly(name: str, approved: SnapshotAssertion) -> None:
    assert traces(panel_figure(PANELS[name], mode="dark")) == approved


def test_a_view_in_plotly(approved: SnapshotAssertion) -> None:
    some = ("weights under a mask", "lying bars", "curves", "a graph", "columns")
    view = MatrixView(panels=tuple(PANELS[name] for name in some), summary="Five panels, <b>as</b> they are.")
    figure = view_figure(view)
    figure.data = ()  # as those of each panel
    assert traces(figure) == approved


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_look_of_all_figures_in_plotly(mode: Any, approved: SnapshotAssertion) -> None:
    assert _inline(dict(template(mode)["layout"])) == approved


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_measured_times_in_plotly(mode: Any, approved: SnapshotAssertion) -> None:
    assert "\n".join(traces(times_curves(one, mode=mode)) for one in (CURVES, SHARES)) == approved
