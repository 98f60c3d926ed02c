"""What a panel says it draws is what Plotly, paper and tables get of it; what does not fit together is refused."""

import json
from collections.abc import Callable
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
    Sweep,
)
from attention_core.figures.panels import data_limits
from attention_core.figures.plot import escape
from attention_core.figures.svg import panel_svg
from attention_core.figures.table import panel_table
from tests.texts import TOKENS

WORDS = TOKENS[:3]
X = np.array([1.0, 10.0, 100.0])


def axis(title: str, labels: Any, role: Any = None) -> Axis:
    return Axis(title=title, labels=tuple(labels), role=role)


def matrix(values: Any = ((0, 1, 2), (3, 4, 5)), **given: Any) -> MatrixPanel:
    shape = np.shape(values)[-2:]
    shown = {
        "title": "Panel",
        "rows": axis("query", [f"q{i}" for i in range(shape[0])], "query"),
        "columns": axis("key", [f"k{i}" for i in range(shape[1])], "key"),
        "quantity": "weight",
        "scale": "sequential",
        "cells": "weight",
    }
    return MatrixPanel(values=np.asarray(values, dtype=float), **shown | given)


def bars(values: Any = (1.0, 2, 3), **given: Any) -> BarsPanel:
    labels = axis("token", ["a", "b", "c"][: np.shape(values)[-1]])
    return BarsPanel(**{"title": "Panel", "values": np.array(values), "labels": labels, "quantity": "height"} | given)


def histogram(**given: Any) -> BarsPanel:
    shown = {
        "values": np.array([[1.0, 2], [3, 4]]), "labels": axis("score", ()), "edges": np.array([0.0, 1, 3]),
        "overlay": (np.array([0.0, 3]), np.array([[1.0, 1], [2, 9]])), "overlay_name": "N(0, 1)",
    }  # fmt: skip
    return bars(**shown | given)


def lines(*values: Any, **given: Any) -> LinesPanel:
    series = (
        Series(name="one", values=X, role="value", band=(X / 2, X * 2)),
        Series(name="bound", values=X * 3, dashed=True, listed=False),
        Series(name="ends", values=np.array([np.nan, 5.0, np.nan]), crosses=True),
    )
    if values:
        series = (Series(name="s", values=np.array(values)),)
    return LinesPanel(**{"title": "Panel", "x": X, "x_title": "x", "y_title": "y", "series": series} | given)


def graph(**given: Any) -> GraphPanel:
    shown = {
        "title": "Panel",
        "values": np.arange(6).reshape(2, 3),
        "layers": axis("layer", ("inputs", "1")),
        "tokens": axis("token", WORDS),
        "quantity": "count",
        "edges": (Edges(ends=np.array([[1, 0, 2], [1, 1, 1]]), name="looks", role="key", lit=True),),
        "nodes": (
            Nodes(at=np.array([[0, 1], [1, 2]]), name="seen"),
            Nodes(at=np.array([[1, 2]]), name="chosen", role="query", large=True),
        ),
    }
    return GraphPanel(**shown | given)


def wide(tokens: int, layers: int = 1) -> GraphPanel:
    labels = {"layers": axis("t", map(str, range(layers))), "tokens": axis("t", map(str, range(tokens)))}
    return graph(values=np.zeros((layers, tokens)), edges=(), nodes=(), **labels)


SWEEP = Sweep(name="d", label="Size", values=("1", "2", "4"))


def view(*panels: Panel, **given: Any) -> MatrixView:
    return MatrixView(**{"panels": panels, "summary": "s"} | given)


LEAVES, FEW = "leave its layers or its window", "at most 256 tokens"
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: matrix(rows=axis("query", ("one",))), "Panel"),
    (lambda: matrix(hidden=np.zeros((1, 2), bool)), "Panel"), (lambda: matrix(limits=(1.0, 1.0)), "Panel"),
    (lambda: matrix(limits=(0.0, float("nan"))), "Panel"), (lambda: histogram(edges=np.array([0.0, 1.0])), "Panel"),
    (lambda: histogram(edges=None), "Panel"), (lambda: histogram(overlay_name=""), "Panel"),
    (lambda: histogram(overlay=(np.array([0.0, 1.0]), np.array([0.5]))), "Panel"),
    (lambda: histogram(labels=axis("score", ("one",))), "Panel"), (lambda: bars(np.ones((1, 1, 3))), "Panel"),
    (lambda: bars(log_y=True, limits=(0.0, 1.0)), "above 0 on a log axis"),
    (lambda: bars(role=("query",)), "one for each of the 3"), (lambda: lines(x=np.array([1.0, 1, 2])), "Panel"),
    (lambda: lines(x=np.array([0.0, 1, 2]), log_x=True), "Panel"), (lambda: lines(x=np.array([1.0, 2])), "Panel"),
    (lambda: lines(limits=(2.0, 1.0)), "Panel"), (lambda: lines(limits=(0.0, 1.0), log_y=True), "Panel"),
    (lambda: lines(marked=3), "Panel"), (lambda: lines(marked=-1), "Panel"),
    (lambda: Series(name="s", values=X, band=(X, X[:1])), "band"),
    (lambda: graph(values=np.zeros((3, 2))), r"values \(3, 2\) of 'Panel' do not fit its labels \(2, 3\)"),
    *((lambda ends=ends: graph(edges=(Edges(ends=np.array([ends])),)), LEAVES)
      for ends in ((0, 1, 1), (2, 1, 1), (1, 1, 3))),
    (lambda: graph(nodes=(Nodes(at=np.array([[0, -1]])),)), LEAVES), (lambda: graph(window=(1, 1)), LEAVES),
    (lambda: graph(window=(0, 3), edges=(), nodes=()), FEW),
    (lambda: graph(window=(2, 1), edges=(), nodes=()), FEW), (lambda: wide(257), FEW),
    (lambda: wide(2048, 6), "layers × tokens² = 25,165,824"),
    *((lambda ends=ends: Edges(ends=ends), r"must be \(edges, 3\), and at most 10,000 edges")
      for ends in (np.zeros((3, 2)), np.zeros(3), np.ones((10_001, 3)))),
    (lambda: Nodes(at=np.zeros((2, 3))), r"must be \(nodes, 2\)"),
    (lambda: view(matrix(np.zeros((3, 2, 2)))), "3 steps"),
    (lambda: view(matrix(np.zeros((2, 2, 2))), sweep=SWEEP), "2 steps"), (view, "at least one panel"),
    (lambda: view(matrix(), summary=""), "at least one panel"), (lambda: view(matrix(), front=0), "front"),
    (lambda: view(matrix(), front=2), "front"), (lambda: Sweep(name="d", label="Size", values=()), "no steps"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
def test_what_does_not_fit_together_is_refused(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


# ---- ranges, and what has no place in them ----


def test_numbers_are_kept_as_a_read_only_float32_copy() -> None:
    given = np.arange(6, dtype=np.float64).reshape(2, 3)
    kept = matrix(given).values
    given[0, 0] = 99
    assert kept.dtype == np.float32
    assert kept[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 1


@pytest.mark.parametrize(
    ("values", "scale", "limits"),
    [
        ([[0.2, 0.7]], "sequential", (0.0, 0.7)), ([[0.0, 0.0]], "sequential", (0.0, 1.0)),
        ([[-1e-9, 0.5]], "sequential", (-1e-9, 0.5)), ([[-3.0, -1.0]], "sequential", (-3.0, 0.0)),
        ([[-1.0, 3.0]], "diverging", (-3.0, 3.0)), ([[0.0, 0.0]], "diverging", (-1.0, 1.0)),
        ([[np.nan, np.inf, 2.0]], "diverging", (0.0, 4.0)), ([[np.nan, -np.inf]], "sequential", (0.0, 1.0)),
        ([[[1.0, 9.0]], [[4.0, 9.0]]], "sequential", (0.0, 9.0)), ([[0.25, 0.25]], "sequential", (0.0, 0.5)),
        ([[1.0, 3.0]], "diverging", (0.0, 3.0)), ([[-3.0, 0.0]], "diverging", (-3.0, 0.0)),
        ([[[1.0, 3.0]], [[-2.0, 3.0]]], "diverging", (-3.0, 3.0)), ([[-2.0, -2.0]], "diverging", (-4.0, 0.0)),
    ],
)  # fmt: skip
def test_the_range_of_colours_comes_from_the_data_of_all_steps(values: Any, scale: str, limits: Any) -> None:
    assert matrix(values, scale=scale).colour_limits == pytest.approx(limits, rel=1e-6)
    assert matrix(values, scale=scale, limits=(0.0, 7.0)).colour_limits == (0.0, 7.0), "given limits win"


@pytest.mark.parametrize(
    ("first", "second", "reach"),
    [([1.0, 5.0], [-3.0, 2.0], 5.0), ([-7.0, -1.0], [-3.0, 2.0], 7.0), ([1, 3], [2, -4], 4)],
)
def test_two_views_side_by_side_have_one_scale_whose_middle_is_0(first: Any, second: Any, reach: float) -> None:
    above, both = (view(matrix([values], scale="diverging", cells="score")) for values in (first, second))
    for one, other in ((above, both), (both, above)):
        (panel,) = one.beside(other).panels
        assert (panel.palette, panel.colour_limits) == ("diverging", (-reach, reach))


def test_a_sweep_that_has_both_signs_at_some_step_keeps_its_colours_at_all() -> None:
    swept = matrix([[[1.0, 5.0]], [[-3.0, 2.0]]], scale="diverging", cells="score")
    one = view(swept, sweep=Sweep(name="d", label="d", values=("1", "2")))
    assert [swept.palette, one.at(0).panels[0].palette] == ["diverging", "diverging"]


def test_hidden_cells_are_no_news_and_other_infinities_are_named() -> None:
    assert matrix([[[1.0, 9.0]], [[4.0, 9.0]]], hidden=np.array([[False, True]])).colour_limits == (0.0, 4.0)
    assert matrix([[0.0, -np.inf]], hidden=np.array([[False, True]])).warning == ""
    named = "values 1 is NaN and 2 are infinite: no colour stands for them."
    assert matrix([[0.0, -np.inf], [np.nan, np.inf]]).warning == f"Of 4 {named}"
    swept = matrix([[[0.0, 1.0]], [[np.nan, 1.0]], [[np.nan, np.nan]]])
    assert swept.warning == "At 2 of 3 steps values are NaN: no colour stands for them."
    assert data_limits(np.array([], np.float32), "diverging") == (-1.0, 1.0)


def test_bars_take_their_range_from_bars_and_curve() -> None:
    assert histogram().height_limits == (0.0, 9.0)
    assert (histogram().steps, bars().steps) == (2, None)
    assert bars([np.nan, 1.0]).warning == "Of 2 values 1 is NaN: no colour stands for them."
    assert bars([np.nan, 1.0]).height_limits == (0.0, 1.0)
    assert bars([0.0, 2e-3, 5.0], log_y=True).height_limits == pytest.approx((1e-3, 5.0))
    assert bars([1e-3, 5.0], log_y=True).height_limits == pytest.approx((1e-4, 5.0)), "the smallest can be seen"
    for nothing in ([], [0.0], [np.nan]):
        low, high = bars(nothing, log_y=True).height_limits
        assert 0 < low < high < np.inf


def test_curves_take_their_range_from_what_their_axis_can_show_and_name_the_rest() -> None:
    curve = lines(0.0, 1e-3, 10.0, log_y=True)
    assert curve.y_limits == pytest.approx((1e-3, 10.0))
    assert curve.warning == "1 of 3 values are not above 0, so a log axis cannot show them."
    assert lines(0.0, 1e-3, 10.0).y_limits == (0.0, 10.0)
    assert lines(5.0, 5.0, 5.0, log_y=True).y_limits == pytest.approx((5 / 3, 15.0))
    assert lines(1.0, np.nan, np.inf).warning.startswith("Of 3 values 1 is NaN and 1 is infinite")
    assert "2 of 3 values are not above 0" in lines(1.0, np.nan, 0.0, log_y=True).warning
    assert lines(log_y=True).warning == lines().warning == "", "a cross that is not there is not missed"
    assert lines().y_limits == (0.0, 300.0)
    banded = Series(name="s", values=X, band=(X / 2, X * 4))
    assert lines(series=(banded,)).y_limits == (0.0, 400.0)


def test_a_view_knows_its_steps_and_its_cells() -> None:
    assert view(matrix()).steps == 1
    assert view(matrix(np.zeros((3, 2, 2))), sweep=SWEEP).steps == 3
    shown = view(matrix(), lines(), graph())
    assert shown.cell_exists(0, 1, 2)
    assert shown.cell_exists(2, 1, 2)
    for cell in [(0, 2, 0), (0, 0, 3), (0, -1, 0), (-1, 0, 0), (1, 0, 0), (2, 2, 0), (2, 0, 3), (3, 0, 0)]:
        assert not shown.cell_exists(*cell)
    assert graph().numbered(graph().edges[0].ends).tolist() == [(1 * 3 + 0) * 3 + 2, (1 * 3 + 1) * 3 + 1]
    assert graph().numbered(graph().nodes[0].at).tolist() == [1, 5]
    assert wide(256, 9).drawn == (0, 255)


# ---- Plotly ----


def test_no_text_of_a_panel_is_markup_or_what_svg_cannot_hold() -> None:
    text = "<b>%{z}\uffff"
    said = {"title": text, "note": text, "quantity": text}
    here = axis(text, (text,) * 2)
    curve = Series(name=text, values=X)
    panels = (
        matrix(np.eye(2), rows=here, columns=here, unit=text, hidden=np.eye(2), hidden_as=text, **said),
        bars(np.ones(2), labels=here, unit=text, overlay=(X, X), overlay_name=text, **said),
        lines(title=text, note=text, x_title=text, y_title=text, series=(curve,)),
        graph(
            values=np.eye(2), layers=here, tokens=here, nodes=(Nodes(at=np.zeros((1, 2)), name=text),),
            edges=(Edges(ends=np.array([[1, 0, 1]]), name=text),), **said,
        ),
    )  # fmt: skip
    for figure in [*map(panel_figure, panels), view_figure(view(*panels, summary=text))]:
        content = json.dumps(figure.to_dict(), ensure_ascii=False, default=repr)
        assert escape(text) in content
        assert not any(bad in content for bad in ("\uffff", "<b>", "%{z}\ufffd"))


def test_three_curves_of_one_colour_to_compare_with_have_strokes_of_their_own() -> None:
    kinds = [("a", None), ("b", "key"), ("c", None), ("d", "key"), ("e", None)]
    series = tuple(Series(name=name, values=X, dashed=True, role=role) for name, role in kinds)
    unlisted = lines(series=(Series(name="bound", values=X, dashed=True, listed=False), *series))
    assert unlisted.strokes == ("dashed", "dashed", "dashed", "dotted", "dotted", "dashdot"), "as no legend names it"
    panel = lines(series=(Series(name="measured", values=X), *series))
    assert panel.strokes == ("solid", "dashed", "dashed", "dotted", "dotted", "dashdot")
    dashes = ["solid", "dash", "dash", "dot", "dot", "dashdot"]
    assert [trace.line.dash for trace in panel_figure(panel).data] == dashes
    assert panel_svg(panel).count('stroke-dasharray="1.5 3.5"') == 4, "both, and their keys"


# ---- tables ----

TABLES: list[tuple[Panel, int | None, tuple[str, ...], tuple[Any, ...]]] = [
    (
        matrix(rows=axis("query", "aa"), columns=axis("key", "xxy"), hidden=np.array([[0, 1, 0], [0, 0, 0]], bool)),
        None, ("query / key", "x", "x (2)", "y"), ("a", 0.0, "hidden", 2.0),
    ),
    (matrix(np.arange(12).reshape(2, 2, 3)), 1, ("query / key", "k0", "k1", "k2"), ("q0", 6.0, 7.0, 8.0)),
    (bars(), None, ("token", "height"), ("a", 1.0)),
    (histogram(edges=np.array([[0.0, 1, 2], [0, 3, 4]])), 1, ("score", "height"), ("0 to 3", 3.0)),
    (
        lines(series=lines().series[:2]), None,
        ("x", "one", "one, low", "one, high", "bound"), (1.0, 1.0, 0.5, 2.0, 3.0),
    ),
    (graph(), None, ("token", "inputs", "1"), (WORDS[0], 0.0, 3.0)),
]  # fmt: skip


@pytest.mark.parametrize(("panel", "step", "columns", "first"), TABLES)
def test_the_table_holds_the_panels_numbers(panel: Panel, step: int | None, columns: tuple, first: tuple) -> None:
    table = panel_table(panel, step)
    assert table.columns == columns
    assert table.rows[0] == first


def test_a_curve_that_unfolds_has_a_step_for_each_x_and_is_faint_after_the_cursor() -> None:
    one = Series(name="typical", values=X, pointed=True)
    panel = lines(series=(one, Series(name="bound", values=X, dashed=True, pointed=True)), unfolds=True)
    whole = MatrixView(panels=(panel,), summary="It grows.", sweep=Sweep(name="n", label="n", values=("1", "2", "3")))
    assert (lines().steps, panel.steps) == (None, 3)
    (still,) = whole.at(1).panels
    assert isinstance(still, LinesPanel)
    assert (still.steps, still.marked) == (None, 1)
    assert [still.said(each) for each in still.series] == ["typical: 10", "bound"]
    assert [still.point(each) for each in still.series] == [1, 2], "what is compared with goes on to the end"
    drawn = panel_svg(still)
    assert drawn.count('opacity="0.25"') == 1
    assert "typical: 10" in drawn
    faint = [trace for trace in panel_figure(panel, 1).data if trace.opacity == 0.25]
    assert [trace.x.tolist() for trace in faint] == [[10, 100]]
    with pytest.raises(ValueError, match="3 steps"):
        MatrixView(panels=(panel,), summary="It grows.", sweep=Sweep(name="n", label="n", values=("1", "2")))


def test_what_is_a_second_look_must_leave_the_picture() -> None:
    panels = (lines(), bars(), matrix())
    assert MatrixView(panels=panels, summary="Three.", front=2, second=1).second == 1
    for front, second in ((2, 2), (None, 3), (1, -1)):
        with pytest.raises(ValueError, match="second"):
            MatrixView(panels=panels, summary="Three.", front=front, second=second)
