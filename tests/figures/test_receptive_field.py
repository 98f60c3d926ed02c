"""What is drawn of the receptive field is what was measured: cones, matrices, curve and tables."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core.experiments.receptive_field import (
    Looks,
    ReceptiveFieldConfig,
    ReceptiveFieldResult,
    run_looks,
    run_table,
)
from attention_core.figures.charts import panel_figure
from attention_core.figures.matrix import Edges, GraphPanel, MatrixPanel
from attention_core.figures.plot import Mode
from attention_core.figures.receptive_field import (
    cone,
    curve_view,
    graph_view,
    reach_view,
    receptive_field_table,
    table_view,
)
from attention_core.figures.receptive_field.graph import MAX_EDGES, MAX_OTHERS
from attention_core.figures.theme import ROLE_COLOURS
from tests.experiments.receptive_field_runs import run_all


@pytest.fixture(scope="module")
def small() -> ReceptiveFieldResult:
    return run_all(ReceptiveFieldConfig(heads=2, layers=2, tokens=9))


@pytest.fixture(scope="module")
def wide() -> ReceptiveFieldResult:
    return run_all(ReceptiveFieldConfig(heads=3, layers=4, tokens=256, dtype="float32"))


@pytest.fixture(scope="module")
def drawn() -> ReceptiveFieldResult:
    return run_all(ReceptiveFieldConfig(weights="random", heads=2, layers=2, tokens=12))


def points(figure: object) -> dict[tuple[int, int], str]:
    """Colour of each node by level and token."""
    return {
        (int(level), int(token)): trace.marker.color
        for trace in figure.data  # type: ignore[attr-defined]
        if trace.mode == "markers"
        for level, token in trace.customdata
    }


def segments(figure: object, name: str) -> set[tuple[float, ...]]:
    """Edges of a trace as (x, y, x, y)."""
    (trace,) = [trace for trace in figure.data if trace.mode == "lines" and (trace.name or "") == name]  # type: ignore[attr-defined]
    x, y = np.asarray(trace.x).reshape(-1, 3), np.asarray(trace.y).reshape(-1, 3)
    assert np.isnan(x[:, 2]).all()
    return {(*map(float, (a, b, c, d)),) for (a, c, _), (b, d, _) in zip(x, y, strict=True)}


def test_the_cone_of_the_last_token_by_hand(small: ReceptiveFieldResult) -> None:
    found = cone(small, 2, 8)
    assert found.inputs == 9
    assert [np.flatnonzero(level).tolist() for level in found.nodes] == [list(range(9)), [2, 5, 8], [8]]
    assert {tuple(edge) for edge in found.looks.tolist()} == {
        (2, 8, 5), (2, 8, 2), (1, 8, 7), (1, 8, 6), (1, 5, 4), (1, 5, 3), (1, 2, 1), (1, 2, 0),
    }  # fmt: skip
    assert sorted(map(tuple, found.stays.tolist())) == [(1, 2), (1, 5), (1, 8), (2, 8)]


def test_every_cone_ends_at_the_inputs_that_are_seen(drawn: ReceptiveFieldResult) -> None:
    for layer in (1, 2):
        for token in range(12):
            np.testing.assert_array_equal(cone(drawn, layer, token).nodes[0], drawn.sees[layer - 1, token])
    assert cone(drawn, 0, 3).inputs == 1
    assert len(cone(drawn, 0, 3).looks) == 0


def test_without_the_residual_nothing_stays() -> None:
    result = run_all(ReceptiveFieldConfig(heads=1, layers=2, tokens=4, residual=False))
    found = cone(result, 2, 3)
    assert len(found.stays) == 0
    np.testing.assert_array_equal(found.nodes[0], result.sees[1, 3])


@pytest.mark.parametrize("node", [(3, 0), (-1, 0), (0, 9), (1, -1)])
def test_a_node_that_is_not_there_is_refused(small: ReceptiveFieldResult, node: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"levels 0 … 2, tokens 0 … 8"):
        layered_graph(small, node)


def test_the_graph_draws_every_token_once_and_the_cone_in_colour(small: ReceptiveFieldResult) -> None:
    figure = layered_graph(small)
    drawn_points = points(figure)
    assert set(drawn_points) == {(level, token) for level in range(3) for token in range(9)}
    assert sum(len(trace.x) for trace in figure.data if trace.mode == "markers") == 27
    roles = ROLE_COLOURS["light"]
    assert drawn_points[2, 8] == roles["query"]
    assert {drawn_points[0, token] for token in range(9)} == {roles["key"]}
    assert drawn_points[1, 5] != drawn_points[1, 4]
    looks = cone(small, 2, 8).looks
    assert segments(figure, "looks at") == {(q, level, k, level - 1) for level, q, k in looks.tolist()}
    assert segments(figure, "residual") == {(2, 1, 2, 0), (5, 1, 5, 0), (8, 1, 8, 0), (8, 2, 8, 1)}
    everything = {(i, n + 1, int(k), n) for n in range(2) for head in small.edges[n] for i, k in enumerate(head)}
    assert segments(figure, "") == everything
    assert figure.layout.yaxis.ticktext == ("inputs", "1", "2")


def test_choosing_another_node_moves_the_cone(small: ReceptiveFieldResult) -> None:
    figure = layered_graph(small, (1, 4), mode="dark")
    roles = ROLE_COLOURS["dark"]
    assert [node for node, colour in points(figure).items() if colour == roles["query"]] == [(1, 4)]
    assert sorted(node for node, colour in points(figure).items() if colour == roles["key"]) == [
        (0, 2),
        (0, 3),
        (0, 4),
    ]
    assert "3 inputs it sees" in {trace.name for trace in figure.data}


def layered_graph(result: Looks, node: tuple[int, int] | None = None, mode: Mode = "light") -> go.Figure:
    return panel_figure(graph_view(result, node).panels[0], mode=mode)


def graph(result: ReceptiveFieldResult, node: tuple[int, int] | None = None) -> GraphPanel:
    (panel,) = graph_view(result, node).panels
    assert isinstance(panel, GraphPanel)
    return panel


def ends(edges: Edges) -> set[tuple[int, ...]]:
    return set(map(tuple, edges.ends.tolist()))


def test_the_graph_view_holds_what_was_measured(small: ReceptiveFieldResult) -> None:
    panel, found = graph(small), cone(small, 2, 8)
    others, stays, looks = panel.edges
    assert ends(looks) == set(map(tuple, found.looks.tolist()))
    assert ends(stays) == {(level, token, token) for level, token in found.stays.tolist()}
    assert ends(others) == {
        (n + 1, i, int(k)) for n in range(2) for head in small.edges[n] for i, k in enumerate(head)
    }
    assert [(one.role, one.lit) for one in panel.edges] == [(None, False), (None, True), ("key", True)]
    inside, seen, top = panel.nodes
    np.testing.assert_array_equal(inside.at, np.argwhere(found.nodes))
    assert seen.at.tolist() == [[0, token] for token in range(9)]
    assert (top.at.tolist(), top.role, top.large) == ([[2, 8]], "query", True)
    np.testing.assert_array_equal(panel.values, [[1] * 9, *small.reach_graph])
    assert panel.layers.labels == ("inputs", "1", "2")
    assert panel.tokens.labels == tuple("123456789")
    assert panel.note == ""
    view = graph_view(small, (1, 4))
    assert "token 5 of layer 1 sees 3 of 9 inputs" in view.summary
    assert view.cell_exists(0, 2, 8)
    assert not view.cell_exists(0, 3, 0)
    assert graph(small, (1, 4)).nodes[2].at.tolist() == [[1, 4]]


def test_a_dense_graph_says_that_connections_are_left_out(wide: ReceptiveFieldResult) -> None:
    assert "of the cone" not in graph(wide).note
    deep = run_all(ReceptiveFieldConfig(weights="random", heads=8, layers=8, tokens=256, dtype="float32"))
    panel = graph(deep)
    others, stays, looks = panel.edges
    assert len(stays.ends) + len(looks.ends) <= MAX_EDGES
    assert len(others.ends) <= MAX_OTHERS
    assert "1 in 6 connections outside the cone is drawn" in panel.note
    found = cone(deep, 8, 255)
    assert MAX_EDGES * 2 < len(found.looks) + len(found.stays) <= MAX_EDGES * 3
    assert "1 in 3 connections of the cone is drawn" in panel.note
    assert ends(looks) <= set(map(tuple, found.looks.tolist()))


def test_the_view_shows_both_ways_layer_by_layer(small: ReceptiveFieldResult) -> None:
    view = reach_view(small)
    assert view.sweep is not None
    assert view.sweep.values == ("1", "2")
    graph, paths = view.panels
    assert isinstance(graph, MatrixPanel)
    assert isinstance(paths, MatrixPanel)
    np.testing.assert_array_equal(graph.values, small.sees)
    np.testing.assert_array_equal(paths.values, small.paths / small.paths.max(-1, keepdims=True))
    assert (graph.colour_limits, paths.colour_limits) == ((0.0, 1.0), (0.0, 1.0))
    assert graph.rows.labels == graph.columns.labels == tuple("123456789")
    assert "9 by the argmax graph and 9 by autograd" in view.summary


def test_many_tokens_share_cells() -> None:
    result = run_all(ReceptiveFieldConfig(heads=1, layers=1, tokens=256, dtype="float32"))
    graph, paths = reach_view(result).panels
    assert isinstance(graph, MatrixPanel)
    assert isinstance(paths, MatrixPanel)
    assert graph.values.shape == (1, 128, 128)
    assert paths.values.shape == (1, 64, 128)
    assert graph.columns.labels[0] == "1–2"
    assert paths.rows.labels[-1] == "256"
    assert graph.values[0, 1, 1] == pytest.approx(3 / 4)  # tokens 3 and 4 see 3, and 3 and 4
    assert graph.values[0, 1, 0] == pytest.approx(1 / 4)
    assert "share" in graph.quantity


def test_the_curve_holds_both_counts_and_the_bound(small: ReceptiveFieldResult) -> None:
    (panel,) = curve_view(small).panels
    assert panel.log_y
    assert panel.x.tolist() == [0, 1, 2]
    drawn = {one.name: one for one in panel.series}
    for name in ("(2 + 1)^layers, at most 9", "argmax graph", "autograd"):
        assert drawn[name].values.tolist() == [1, 3, 9]
        assert drawn[name].dashed == name.startswith("(")


def test_the_curve_of_random_heads_has_a_mean_and_a_band(drawn: ReceptiveFieldResult) -> None:
    assert drawn.random is not None
    mean = curve_view(drawn).panels[0].series[-1]
    assert mean.name.startswith(f"mean of {drawn.random.draws} draws")
    np.testing.assert_array_equal(mean.values, np.float32([1, *drawn.random.mean]))
    np.testing.assert_array_equal(mean.band[0], np.float32([1, *drawn.random.low]))


def test_a_graph_needs_only_where_the_heads_look(small: ReceptiveFieldResult) -> None:
    assert layered_graph(run_looks(small.config)).to_json() == layered_graph(small).to_json()


def test_tables_hold_the_numbers_of_the_pictures(small: ReceptiveFieldResult, drawn: ReceptiveFieldResult) -> None:
    (panel,) = table_view(run_table(small.config.tabled)).panels
    assert panel.values[0].tolist() == [2, 4, 8, 9, 9, 9, 9, 9]
    assert "9 tokens" in panel.title
    numbers = receptive_field_table(small)
    assert numbers.rows == ((1, 3, 3, 3, 3, 1, pytest.approx(24 / 9), 3), (2, 9, 9, 9, 9, 1, 5.0, 9))
    random = receptive_field_table(drawn)
    assert drawn.random is not None
    assert random.columns[-3:] == (f"mean of {drawn.random.draws} draws", "1 % quantile", "99 % quantile")
    assert random.rows[1][-3] == drawn.random.mean[1]
    json.dumps(random.rows)
