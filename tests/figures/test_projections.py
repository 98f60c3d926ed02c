"""What is left out under a mask, how curves are told, and what tables hold, for the questions about projections."""

from dataclasses import replace

import pytest

from attention_core.experiments.number_format import format_number
from attention_core.experiments.projections import LAYERS, TOPICS, ProjectionsConfig, run_projections
from attention_core.figures.matrix import MatrixPanel
from attention_core.figures.projections import (
    curves_view,
    projections_curves,
    projections_table,
    projections_view,
    proof,
)
from attention_core.figures.proof import code
from tests.figures.views import PROJECTED, of, view_of


def test_a_mask_is_drawn_and_rank_is_left_out() -> None:
    config = ProjectionsConfig(topic="rank", causal=True)
    result = run_projections(config)
    view = projections_view(config, result)
    assert [panel.title for panel in view.panels] == ["Scores", "Singular values of the weights"]
    assert view.panels[0].hidden.sum() == 45
    assert view.panels[0].warning == ""
    assert [one.name for one in projections_curves(result).series] == ["weights", "d_head or n"]


def test_how_far_tied_weights_are_from_symmetric_is_the_end_of_the_picture_s_scale() -> None:
    view = view_of("projections tied")
    assert f"by up to {format_number(view.panels[2].colour_limits[1])}." in view.summary


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
@pytest.mark.parametrize("spread", [0.0, 0.8])
def test_digits_that_rounding_decides_stand_beside_those_of_float64(dtype: str, spread: float) -> None:
    config = ProjectionsConfig(topic="collapse", dtype=dtype, spread=spread, seed=486995)
    result, exact = (run_projections(replace(config, dtype=each)) for each in (dtype, "float64"))
    half = dtype in ("bfloat16", "float16")
    alone, added = (format_number(float(value)) for value in exact.left[:, -1])
    told = f"in float64 it is {alone} and {added} times."
    assert (told in projections_view(config, result).summary) == half
    apart = f"goes to {code(exact.apart[0, -1])}, and with the residual to {code(exact.apart[1, -1])}."
    assert [apart in step.measured for step in proof(result)] == [False, half]


@pytest.mark.parametrize("topic", ["identity", "rank", "collapse"])
def test_curves_are_told_from_end_to_end(topic: str) -> None:
    view = curves_view(of(topic))
    assert view.panels[0].x_title in view.summary
    for one in view.panels[0].series:
        ends = f"{one.name} from {format_number(float(one.values[0]))} to {format_number(float(one.values[-1]))}"
        assert ends in view.summary


def test_parameters_are_bars_and_another_basis_has_no_curve() -> None:
    view = curves_view(of("tied"))
    assert all(f"{count:,}" in view.panels[0].note for count in of("tied").parameters)
    assert view.panels[0].note in view.summary
    assert curves_view(of("gauge")) is None


@pytest.mark.parametrize("topic", TOPICS)
def test_the_table_has_every_cell_and_every_point(topic: str) -> None:
    view, curves = view_of(f"projections {topic}"), projections_curves(of(topic))
    cells = sum(panel.values.size for panel in view.panels if isinstance(panel, MatrixPanel))
    points = sum(one.values.size for one in curves.series) if curves else 0
    assert len(projections_table(PROJECTED[topic], of(topic)).rows) == cells + points
    assert view.steps == (LAYERS + 1 if topic == "collapse" else 4)
