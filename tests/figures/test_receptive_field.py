"""Cones, the graph's edges and nodes, cells that many tokens share, and what is said of them."""

import re
from typing import Any

import numpy as np
import pytest

from attention_core.figures.matrix import Edges, GraphPanel, LinesPanel
from attention_core.measuring.run import run
from attention_core.studies.receptive_field import (
    AttendedKeys,
    ReceptiveFieldConfig,
    ReceptiveFieldResult,
    run_attended_keys,
    run_table,
)
from attention_core.studies.receptive_field.draw import (
    cone,
    curve_view,
    graph_view,
    proof,
    reach_changed,
    table_view,
)
from attention_core.studies.receptive_field.draw.graph import MAX_EDGES, MAX_OTHERS
from tests.figures.views import of


def graph(result: AttendedKeys, node: tuple[int, int] | None = None) -> GraphPanel:
    (panel,) = graph_view(result, node).panels
    assert isinstance(panel, GraphPanel)
    return panel


def ends(edges: Edges) -> set[tuple[int, ...]]:
    return set(map(tuple, edges.ends.tolist()))


def reached(**settings: object) -> ReceptiveFieldResult:
    return run(ReceptiveFieldConfig(**settings))


def test_the_cone_of_the_last_token_by_hand() -> None:
    found = cone(of("receptive_field"), 2, 8)
    assert found.inputs == 9
    assert [np.flatnonzero(level).tolist() for level in found.nodes] == [list(range(9)), [2, 5, 8], [8]]
    assert {tuple(edge) for edge in found.looks.tolist()} == {
        (2, 8, 5), (2, 8, 2), (1, 8, 7), (1, 8, 6), (1, 5, 4), (1, 5, 3), (1, 2, 1), (1, 2, 0),
    }  # fmt: skip
    assert sorted(map(tuple, found.stays.tolist())) == [(1, 2), (1, 5), (1, 8), (2, 8)]
    for node in [(3, 0), (-1, 0), (0, 9), (1, -1)]:
        with pytest.raises(ValueError, match=r"levels 0 … 2, tokens 0 … 8"):
            graph(of("receptive_field"), node)


def test_every_cone_ends_at_the_inputs_that_are_seen() -> None:
    drawn, alone = of("random"), reached(heads=1, layers=2, tokens=4, residual=False)
    for layer, token in np.ndindex(2, 12):
        np.testing.assert_array_equal(cone(drawn, layer + 1, token).nodes[0], drawn.sees[layer, token])
    assert cone(drawn, 0, 3).inputs == 1
    assert len(cone(drawn, 0, 3).looks) == 0
    assert len(cone(alone, 2, 3).stays) == 0, "without the residual nothing stays"
    np.testing.assert_array_equal(cone(alone, 2, 3).nodes[0], alone.sees[1, 3])


def test_a_cone_grows_from_its_top_a_layer_with_each_step() -> None:
    view = graph_view(of("receptive_field"))
    assert view.sweep is not None
    assert view.sweep.values == ("0", "1", "2")
    for step, lit in ((0, 1), (1, 3), (2, 9)):
        (panel,) = view.at(step).panels
        assert isinstance(panel, GraphPanel)
        top = panel.nodes[0].at[:, 0] == 2 - step
        assert (top.sum(), panel.nodes[0].at[:, 0].min()) == (lit, 2 - step)
        for whole, drawn in zip(graph(of("receptive_field")).edges, panel.edges, strict=True):
            assert ends(drawn) == {one for one in ends(whole) if not whole.lit or one[0] > 2 - step}
    assert graph_view(of("receptive_field"), (0, 3)).sweep is None, "an input has nothing below it"


def test_at_the_edge_of_each_layer_stands_how_many_of_its_tokens_the_cone_has() -> None:
    """By hand: 1, 3, 9, 27 with two heads and the residual; of a token below the top nothing above it."""
    three = run_attended_keys(ReceptiveFieldConfig())
    assert graph(three).counts == ("27", "9", "3", "1")
    assert graph(three, (1, 31)).counts == ("3", "1", "", "")
    assert graph(three).at(1).counts == ("", "", "3", "1"), "as far as the sweep has come"


@pytest.mark.parametrize(
    ("settings", "own", "grown"),
    [
        ({}, "2 heads", {"1 head": [1, 2, 4, 8, 16, 32, 64, 128, 256], "2 heads": [1, 3, 9, 27, 81, 243],
                         "3 heads": [1, 4, 16, 64, 256], "4 heads": [1, 5, 25, 125]}),
        ({"heads": 6, "layers": 5}, "6 heads", {"6 heads": [1, 7, 49, 256, 256, 256]}),
        ({"residual": False}, "2 heads", {"1 head": [1] * 9, "2 heads": [1, 2, 4, 8, 16, 32]}),
    ],
)  # fmt: skip
def test_beside_the_graph_curves_show_growth_with_heads_and_layers(
    settings: dict[str, Any], own: str, grown: dict[str, list[int]]
) -> None:
    config = ReceptiveFieldConfig(**settings)
    view = graph_view(run_attended_keys(config), growth=run_table(config.for_growth))
    _, panel = view.panels
    assert isinstance(panel, LinesPanel)
    assert panel.y_title == "inputs seen, of 256 tokens"
    assert (panel.marked, panel.log_y, panel.x.tolist()) == (config.layers, True, list(range(9)))
    curves = {one.name: one.values[np.isfinite(one.values)].tolist() for one in panel.series}
    assert {name: curves[name][: len(seen)] for name, seen in grown.items()} == grown
    assert settings or {name: len(curves[name]) for name in grown} == {
        name: len(seen) for name, seen in grown.items()
    }
    assert {one.name for one in panel.series if one.role == "accent"} == {own}
    assert all(one.pointed for one in panel.series), "each is named where it ends"
    assert not panel.warning


def test_a_dense_graph_says_that_connections_are_left_out() -> None:
    wide, deep = (
        reached(weights=weights, heads=heads, layers=layers, tokens=256, dtype="float32")
        for weights, heads, layers in (("constructed", 3, 4), ("random", 8, 8))
    )
    assert "of the cone" not in graph(wide).note
    panel, found = graph(deep), cone(deep, 8, 255)
    others, stays, looks = panel.edges
    assert len(stays.ends) + len(looks.ends) <= MAX_EDGES
    assert len(others.ends) <= MAX_OTHERS
    assert "1 in 6 connections outside the cone is drawn" in panel.note
    assert MAX_EDGES * 2 < len(found.looks) + len(found.stays) <= MAX_EDGES * 3
    assert "1 in 3 connections of the cone is drawn" in panel.note
    assert ends(looks) <= set(map(tuple, found.looks.tolist()))


@pytest.mark.parametrize(
    ("settings", "soft"),
    [({}, 24), ({"mask": "causal", "residual": False}, 24), ({"mask": "window", "window": 4}, 5),
     ({"weights": "random", "heads": 8}, 24), ({"dtype": "float16", "temperature": 0.05, "heads": 1}, 2)],
)  # fmt: skip
def test_what_soft_heads_see_is_said_beside_what_heads_see_that_look_at_one_key(settings: dict, soft: int) -> None:
    result = reached(**{"heads": 2, "layers": 2, "tokens": 24} | settings)
    assert result.soft_reach == soft, "in half precision what exp(-20) leaves of a weight is 0"
    views = (graph_view(result), curve_view(result))
    assert all(f"soft heads would see {soft} in one layer" in view.summary for view in views)
    assert any(f"`{soft}` inputs in one layer" in step.measured for step in proof(result))
    softened = reached(**{"heads": 2, "layers": 2, "tokens": 24} | settings | {"weights": "soft"})
    assert softened.reach_autograd[0, -1] == softened.soft_reach == soft
    for view in (graph_view(softened), curve_view(softened)):
        assert "all that is possible" not in view.summary
        assert "soft heads would" not in view.summary
        assert "along the largest weights alone" in view.summary
        assert f"sees {soft}" in view.summary
        assert max(len(re.findall(r"\d+", one)) for one in view.summary.split(". ")) <= 2, "a sentence can be read"
    assert reach_changed(result, softened) == "", "the largest weights are not all that soft heads see"


@pytest.mark.parametrize(
    ("tokens", "title"),
    [(1, "Inputs that the only token sees"), (2, "Inputs that the last of 2 tokens sees")],
)
def test_one_token_is_not_the_last_of_several(tokens: int, title: str) -> None:
    (panel,) = table_view(run_table(ReceptiveFieldConfig(tokens=tokens))).panels
    assert panel.title == title
