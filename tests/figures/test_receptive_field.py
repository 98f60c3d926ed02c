"""What is drawn of the receptive field is what was measured: cones, matrices, curve and tables."""

import json

import numpy as np
import pytest

from attention_core.experiments.receptive_field import (
    ReceptiveFieldConfig,
    ReceptiveFieldResult,
    run_receptive_field,
)
from attention_core.figures.matrix import MatrixPanel, matrix_heatmap
from attention_core.figures.plot import escape
from attention_core.figures.receptive_field import (
    cone,
    heads_layers_table,
    layered_graph,
    reach_curve,
    reach_view,
    receptive_field_table,
)
from attention_core.figures.receptive_field.graph import MAX_EDGES
from attention_core.figures.theme import ROLE_COLOURS


@pytest.fixture(scope="module")
def small() -> ReceptiveFieldResult:
    return run_receptive_field(ReceptiveFieldConfig(heads=2, layers=2, tokens=9))


@pytest.fixture(scope="module")
def wide() -> ReceptiveFieldResult:
    return run_receptive_field(ReceptiveFieldConfig(heads=3, layers=4, tokens=256, dtype="float32"))


@pytest.fixture(scope="module")
def drawn() -> ReceptiveFieldResult:
    return run_receptive_field(ReceptiveFieldConfig(weights="random", heads=2, layers=2, tokens=12))


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
    result = run_receptive_field(ReceptiveFieldConfig(heads=1, layers=2, tokens=4, residual=False))
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
    assert segments(figure, "looks at") == {(q + 1, level, k + 1, level - 1) for level, q, k in looks.tolist()}
    assert segments(figure, "residual") == {(3, 1, 3, 0), (6, 1, 6, 0), (9, 1, 9, 0), (9, 2, 9, 1)}
    everything = {
        (i + 1, n + 1, int(k) + 1, n) for n in range(2) for head in small.edges[n] for i, k in enumerate(head)
    }
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


def test_a_narrow_cone_of_many_tokens_is_drawn_in_a_window(wide: ReceptiveFieldResult) -> None:
    figure = layered_graph(wide, (2, 200))
    tokens = {token for _, token in points(figure)}
    assert len(tokens) == 64
    assert set(np.flatnonzero(cone(wide, 2, 200).nodes[0])) <= tokens
    assert "of 256" in figure.layout.xaxis.title.text
    assert {token for _, token in points(layered_graph(wide, (1, 1)))} == set(range(64))
    assert {token for _, token in points(layered_graph(wide, (0, 255)))} == set(range(192, 256))


def test_a_wide_cone_is_thinned_but_kept_whole_where_it_can_be(wide: ReceptiveFieldResult) -> None:
    figure = layered_graph(wide)
    found = cone(wide, 4, 255)
    assert {node for node in points(figure) if found.nodes[node]} == {
        tuple(node) for node in np.argwhere(found.nodes)
    }
    assert len(points(figure)) < 9 * 256 / 2
    assert "1 in 4 tokens outside the cone" in figure.layout.xaxis.title.text
    assert len(figure.to_json()) < 100_000


def test_a_dense_cone_says_that_connections_are_left_out() -> None:
    result = run_receptive_field(
        ReceptiveFieldConfig(weights="random", heads=8, layers=5, tokens=150, dtype="float32", residual=False)
    )
    figure = layered_graph(result)
    assert len(cone(result, 5, 149).looks) < MAX_EDGES  # 8 + 64 + … are capped by the tokens
    assert "connections" not in figure.layout.xaxis.title.text
    deep = run_receptive_field(ReceptiveFieldConfig(weights="random", heads=8, layers=8, tokens=150, dtype="float32"))
    figure = layered_graph(deep)
    assert len(segments(figure, "looks at")) + len(segments(figure, "residual")) <= MAX_EDGES
    assert "1 in 2 connections of the cone" in figure.layout.xaxis.title.text


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
    np.testing.assert_array_equal(matrix_heatmap(graph, 1).data[0].z, small.sees[1])


def test_many_tokens_share_cells() -> None:
    result = run_receptive_field(ReceptiveFieldConfig(heads=1, layers=1, tokens=301, dtype="float32"))
    graph, paths = reach_view(result).panels
    assert isinstance(graph, MatrixPanel)
    assert isinstance(paths, MatrixPanel)
    assert graph.values.shape == (1, 101, 101)
    assert paths.values.shape == (1, 64, 101)
    assert graph.columns.labels[0] == "1–3"
    assert graph.columns.labels[-1] == "301"
    assert paths.rows.labels[-1] == "301"
    assert graph.values[0, 1, 1] == pytest.approx(5 / 9)  # tokens 4–6 see 4, 4, 5, 5, 6 of 4–6
    assert graph.values[0, 1, 0] == pytest.approx(1 / 9)
    assert "share" in graph.quantity


def test_the_curve_holds_both_counts_and_the_bound(small: ReceptiveFieldResult) -> None:
    figure = reach_curve(small)
    curves = {trace.name: trace for trace in figure.data}
    for name in ("(2 + 1)^layers, at most 9", "argmax graph", "autograd"):
        assert np.asarray(curves[name].x).tolist() == [0, 1, 2]
        assert np.asarray(curves[name].y).tolist() == [1, 3, 9]
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.ticktext == ("1", "3", "9")
    assert figure.layout.xaxis.title.text == "layers up"


def test_the_curve_of_random_heads_has_a_mean_and_a_band(drawn: ReceptiveFieldResult) -> None:
    assert drawn.random is not None
    traces = {trace.name: trace for trace in reach_curve(drawn, mode="dark").data if trace.name}
    mean = next(trace for name, trace in traces.items() if name.startswith("mean of"))
    np.testing.assert_array_equal(mean.y, [1, *drawn.random.mean])
    np.testing.assert_array_equal(traces[escape("all tokens and draws, 1–99 %")].y, [1, *drawn.random.low])


def test_ticks_that_would_print_over_each_other_are_left_out() -> None:
    result = run_receptive_field(ReceptiveFieldConfig(heads=2, layers=3, tokens=29, dtype="float32"))
    assert reach_curve(result).layout.yaxis.ticktext == ("1", "3", "9", "29")


def test_tables_hold_the_numbers_of_the_pictures(small: ReceptiveFieldResult, drawn: ReceptiveFieldResult) -> None:
    table = heads_layers_table(small)
    assert table.columns[:3] == ("heads", "1 layer", "2 layers")
    assert table.rows[0] == (1, 2, 4, 8, 9, 9, 9, 9, 9)
    assert len(table.rows) == 8
    numbers = receptive_field_table(small)
    assert numbers.rows == ((1, 3, 3, 3, 3, 1, pytest.approx(24 / 9), 3), (2, 9, 9, 9, 9, 1, 5.0, 9))
    random = receptive_field_table(drawn)
    assert drawn.random is not None
    assert random.columns[-3:] == (f"mean of {drawn.random.draws} draws", "1 % quantile", "99 % quantile")
    assert random.rows[1][-3] == drawn.random.mean[1]
    json.dumps(random.rows)
