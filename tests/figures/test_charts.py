"""What a panel says it draws is what Plotly and the table get of it, and what cannot be drawn is refused."""

import json
import re
from typing import Any

import numpy as np
import pytest

from attention_core.figures.charts import panel_figure, view_figure
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    Edges,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Nodes,
    Panel,
    Series,
)
from attention_core.figures.plot import escape
from attention_core.figures.svg import panel_svg
from attention_core.figures.table import panel_table
from attention_core.figures.theme import GRID, ROLE_COLOURS

HOSTILE = ("<b>", "%{z}", "$x$")
X = np.array([1.0, 10.0, 100.0])


def graph(**given: Any) -> GraphPanel:
    return GraphPanel(
        **{
            "title": "Graph",
            "values": np.arange(6).reshape(2, 3),
            "layers": Axis(title="layer", labels=("inputs", "1")),
            "tokens": Axis(title="token", labels=HOSTILE),
            "quantity": "count",
            "edges": (Edges(ends=np.array([[1, 0, 2], [1, 1, 1]]), name="looks", role="key", lit=True),),
            "nodes": (
                Nodes(at=np.array([[0, 1], [1, 2]]), name="seen"),
                Nodes(at=np.array([[1, 2]]), name="chosen", role="query", large=True),
            ),
        }
        | given
    )


def matrix(values: Any = None, **given: Any) -> MatrixPanel:
    axes = {"rows": Axis(title="query", labels=("a", "a")), "columns": Axis(title="key", labels=("x", "x", "y"))}
    shown = np.arange(6.0).reshape(2, 3) if values is None else values
    return MatrixPanel(title="M", values=shown, quantity="q", scale="sequential", **axes, **given)


def bars(**given: Any) -> BarsPanel:
    labels = Axis(title="token", labels=HOSTILE)
    return BarsPanel(
        **{"title": "B", "values": np.array([1.0, 2, 3]), "labels": labels, "quantity": "height"} | given
    )


def lines(**given: Any) -> LinesPanel:
    series = (
        Series(name="one", values=X, role="value", band=(X / 2, X * 2)),
        Series(name="bound", values=X * 3, dashed=True, listed=False),
        Series(name="ends", values=np.array([np.nan, 5.0, np.nan]), crosses=True),
    )
    return LinesPanel(**{"title": "L", "x": X, "x_title": "x", "y_title": "y", "series": series} | given)


def test_no_text_of_a_panel_is_markup_or_what_svg_cannot_hold() -> None:
    text = "<b>%{z}\uffff"
    axis = Axis(title=text, labels=(text,) * 2)
    said = {"title": text, "note": text, "quantity": text}
    shown = {"values": np.eye(2), "rows": axis, "columns": axis, "scale": "sequential", "unit": text}
    curves = {"x_title": text, "y_title": text, "series": (Series(name=text, values=X),)}
    panels = (
        MatrixPanel(**said, **shown, hidden=np.eye(2), hidden_as=text),
        BarsPanel(**said, values=np.ones(2), labels=axis, unit=text, overlay=(X, X), overlay_name=text),
        LinesPanel(title=text, note=text, x=X, **curves),
        GraphPanel(
            **said, values=np.eye(2), layers=axis, tokens=axis, nodes=(Nodes(at=np.zeros((1, 2)), name=text),),
            edges=(Edges(ends=np.array([[1, 0, 1]]), name=text),),
        ),
    )  # fmt: skip
    drawn = [panel_figure(panel) for panel in panels] + [view_figure(MatrixView(panels=panels, summary=text))]
    for figure in drawn:
        content = json.dumps(figure.to_dict(), ensure_ascii=False, default=repr)
        assert escape(text) in content
        assert not re.search("\uffff|<b>|%{z}\ufffd", content)


# ---- refusals ----


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"values": np.zeros((3, 2))}, r"values \(3, 2\) of 'Graph' do not fit its labels \(2, 3\)"),
        ({"edges": (Edges(ends=np.array([[0, 1, 1]])),)}, "leave its layers or its window"),
        ({"edges": (Edges(ends=np.array([[2, 1, 1]])),)}, "leave its layers or its window"),
        ({"edges": (Edges(ends=np.array([[1, 1, 3]])),)}, "leave its layers or its window"),
        ({"nodes": (Nodes(at=np.array([[0, -1]])),)}, "leave its layers or its window"),
        ({"window": (1, 1)}, "leave its layers or its window"),
        ({"window": (0, 3), "edges": (), "nodes": ()}, "at most 256 tokens"),
        ({"window": (2, 1), "edges": (), "nodes": ()}, "at most 256 tokens"),
    ],
)
def test_a_graph_that_cannot_be_drawn_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        graph(**wrong)


def test_a_graph_wider_than_its_window_or_than_a_float_counts_is_refused() -> None:
    def wide(tokens: int, layers: int = 1) -> GraphPanel:
        labels = [Axis(title="t", labels=tuple(map(str, range(n)))) for n in (layers, tokens)]
        return graph(values=np.zeros((layers, tokens)), layers=labels[0], tokens=labels[1], edges=(), nodes=())

    assert wide(256, 9).drawn == (0, 255)
    with pytest.raises(ValueError, match="at most 256 tokens"):
        wide(257)
    with pytest.raises(ValueError, match="layers × tokens² = 25,165,824"):
        wide(2048, 6)


@pytest.mark.parametrize("ends", [np.zeros((3, 2)), np.zeros(3), np.ones((10_001, 3))])
def test_edges_have_three_ends_and_are_not_too_many(ends: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"must be \(edges, 3\), and at most 10,000 edges"):
        Edges(ends=ends)
    with pytest.raises(ValueError, match=r"must be \(nodes, 2\)"):
        Nodes(at=np.zeros((2, 3)))


def test_a_node_is_a_cell_of_the_view() -> None:
    view = MatrixView(panels=(graph(),), summary="s")
    assert view.cell_exists(0, 1, 2)
    assert not any(view.cell_exists(*cell) for cell in [(0, 2, 0), (0, 0, 3), (0, -1, 0), (1, 0, 0)])


def test_nodes_and_edges_as_numbers() -> None:
    assert graph().numbered(graph().edges[0].ends).tolist() == [(1 * 3 + 0) * 3 + 2, (1 * 3 + 1) * 3 + 1]
    assert graph().numbered(graph().nodes[0].at).tolist() == [1, 5]


# ---- Plotly ----


def test_the_graph_in_plotly_has_each_node_once_in_the_colour_of_its_last_group() -> None:
    figure = panel_figure(graph(), mode="dark")
    edges, *nodes = figure.data
    assert edges.x.tolist()[:2] + edges.y.tolist()[:2] == [0, 2, 1, 0]
    assert edges.line.color == ROLE_COLOURS["dark"]["key"]
    places = [tuple(place) for trace in nodes for place in trace.customdata]
    assert sorted(places) == [(layer, token) for layer in range(2) for token in range(3)]
    colours = {tuple(place): trace.marker.color for trace in nodes for place in trace.customdata}
    assert colours[1, 2] == ROLE_COLOURS["dark"]["query"]
    assert colours[0, 0] == GRID["dark"] != colours[0, 1]
    assert figure.layout.xaxis.ticktext == tuple(map(escape, HOSTILE))
    assert f"token {escape('$x$')}, layer 1 · count 5" in {text for trace in nodes for text in trace.text}


def test_two_curves_of_one_colour_to_compare_with_have_strokes_of_their_own() -> None:
    kinds = [("a", None), ("b", "key"), ("c", None), ("d", "key")]
    series = tuple(Series(name=name, values=X, dashed=True, role=role) for name, role in kinds)
    panel = lines(series=(Series(name="measured", values=X), *series))
    assert panel.strokes == ("solid", "dashed", "dashed", "dotted", "dotted")
    assert [trace.line.dash for trace in panel_figure(panel).data] == ["solid", "dash", "dash", "dot", "dot"]
    assert panel_svg(panel).count('stroke-dasharray="1.5 3.5"') == 4, "both, and their keys"


def test_lines_in_plotly_keep_band_bound_crosses_axes_and_mark() -> None:
    figure = panel_figure(lines(log_x=True, log_y=True, marked=1))
    named = {trace.name: trace for trace in figure.data}
    np.testing.assert_array_equal(named["one"].y, X)
    np.testing.assert_array_equal(named["one, band"].y, X / 2)
    assert named["one"].line.color == ROLE_COLOURS["light"]["value"]
    assert (named["bound"].line.dash, named["bound"].showlegend) == ("dash", False)
    assert (named["ends"].mode, named["ends"].marker.symbol) == ("markers", "x")
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.shapes[0].x0 == 10
    assert not figure.layout.annotations


def test_a_cross_that_is_not_there_is_not_missed() -> None:
    assert lines(log_y=True).warning == lines().warning == ""
    missing = Series(name="gap", values=np.array([1.0, np.nan, 0.0]))
    assert "2 of 3 values are not above 0" in lines(log_y=True, series=(missing,)).warning


def test_bars_in_plotly_keep_labels_edges_overlay_and_the_step() -> None:
    plain = panel_figure(bars(role=("query", "key", "value"), log_y=True))
    assert list(plain.data[0].marker.color) == [ROLE_COLOURS["light"][role] for role in ("query", "key", "value")]
    assert plain.layout.xaxis.ticktext == tuple(map(escape, HOSTILE))
    assert plain.layout.yaxis.type == "log"
    histogram = bars(
        values=np.array([[1.0, 2], [3, 4]]),
        labels=Axis(title="score", labels=()),
        edges=np.array([0.0, 1, 3]),
        overlay=(np.array([0.0, 3]), np.array([[1.0, 1], [2, 2]])),
        overlay_name="N(0, 1)",
    )
    drawn, curve = panel_figure(histogram, 1).data
    assert (drawn.x.tolist(), drawn.y.tolist(), drawn.width.tolist()) == ([0.5, 2], [3, 4], [1, 2])
    assert curve.y.tolist() == [2, 2]


# ---- tables ----

TABLES: list[tuple[Panel, int | None, tuple[str, ...], tuple[Any, ...]]] = [
    (
        matrix(hidden=np.array([[False, True, False], [False] * 3])),
        None,
        ("query / key", "x", "x (2)", "y"),
        ("a", 0.0, "hidden", 2.0),
    ),
    (matrix(np.arange(12.0).reshape(2, 2, 3)), 1, ("query / key", "x", "x (2)", "y"), ("a", 6.0, 7.0, 8.0)),
    (bars(), None, ("token", "height"), ("<b>", 1.0)),
    (
        bars(values=np.ones((2, 2)), labels=Axis(title="score", labels=()), edges=np.array([[0.0, 1, 2], [0, 3, 4]])),
        1,
        ("score", "height"),
        ("0 to 3", 1.0),
    ),
    (
        lines(series=lines().series[:2]),
        None,
        ("x", "one", "one, low", "one, high", "bound"),
        (1.0, 1.0, 0.5, 2.0, 3.0),
    ),
    (graph(), None, ("token", "inputs", "1"), ("<b>", 0.0, 3.0)),
]


@pytest.mark.parametrize(("panel", "step", "columns", "first"), TABLES)
def test_the_table_holds_the_panels_numbers(panel: Panel, step: int | None, columns: tuple, first: tuple) -> None:
    table = panel_table(panel, step)
    assert table.columns == columns
    assert table.rows[0] == first
