"""What is drawn of the questions about projections is what was measured."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from attention_core.experiments.projections import LAYERS, TOPICS, ProjectionsConfig, run_projections
from attention_core.experiments.verdict import format_number
from attention_core.figures.matrix import BarsPanel, MatrixPanel
from attention_core.figures.projections import (
    curves_view,
    projections_curves,
    projections_table,
    projections_view,
    proof,
)

IDENTITY, TIED, GAUGE, RANK, COLLAPSE = TOPICS
HOSTILE = ("<b>x</b>", "%{z}", "$x$", '"""', "same", "same", "a", "b", "c", "d")
CASES = {topic: ProjectionsConfig(topic=topic, tokens=HOSTILE, seed=2) for topic in TOPICS}


@cache
def result_of(topic: str) -> object:
    return run_projections(CASES[topic])


def panels(topic: str) -> dict[str, np.ndarray]:
    return {panel.title: panel.values for panel in projections_view(CASES[topic], result_of(topic)).panels}


@pytest.mark.parametrize(
    ("topic", "title", "attribute"),
    [
        (IDENTITY, "Norms in this head", "norms"),
        (TIED, "Scores, W_Q = W_K", "scores"),
        (TIED, "Weights A", "weights"),
        (GAUGE, "W_Q", "q_weight_before"),
        (GAUGE, "W_Q in another basis", "q_weight_after"),
        (GAUGE, "Output", "output_before"),
        (GAUGE, "Output in another basis", "output_after"),
        (RANK, "Scores", "scores"),
        (RANK, "Singular values of the scores", "score_values"),
        (RANK, "Singular values of the weights", "weight_values"),
    ],
)
def test_panels_hold_the_measured_arrays(topic: str, title: str, attribute: str) -> None:
    np.testing.assert_allclose(panels(topic)[title], getattr(result_of(topic), attribute), rtol=1e-6, atol=1e-7)


def test_pairs_of_panels_show_both_sides() -> None:
    weights = panels(IDENTITY)
    for i, title in enumerate(("No projections", "Random W_Q, W_K")):
        np.testing.assert_allclose(weights[title], result_of(IDENTITY).weights[i], rtol=1e-6)
    cosines = panels(COLLAPSE)
    for i, title in enumerate(("Attention alone", "With the residual")):
        np.testing.assert_allclose(cosines[title], result_of(COLLAPSE).distances[i], rtol=1e-6, atol=1e-7)
    tied = panels(TIED)
    np.testing.assert_allclose(tied["A − Aᵀ"], tied["Weights A"] - tied["Weights A"].swapaxes(1, 2), atol=1e-7)


@pytest.mark.parametrize("topic", TOPICS)
def test_axes_are_labelled_and_swept(topic: str) -> None:
    view = projections_view(CASES[topic], result_of(topic))
    assert view.steps == (LAYERS + 1 if topic == COLLAPSE else 4)
    assert view.summary.endswith(".")
    for panel in view.panels:
        if isinstance(panel, MatrixPanel):
            assert panel.rows.title
            assert panel.columns.title
            assert panel.quantity
            if panel.rows.title in ("query", "token"):
                assert panel.rows.labels == HOSTILE
        else:
            assert isinstance(panel, BarsPanel)
            assert panel.quantity


def test_pictures_to_compare_share_their_colours() -> None:
    for topic, (one, other) in {IDENTITY: (0, 1), GAUGE: (2, 3), COLLAPSE: (0, 1)}.items():
        view = projections_view(CASES[topic], result_of(topic))
        assert view.panels[one].colour_limits == view.panels[other].colour_limits


def test_a_mask_is_drawn_and_rank_is_left_out() -> None:
    config = ProjectionsConfig(topic=RANK, causal=True)
    result = run_projections(config)
    view = projections_view(config, result)
    assert [panel.title for panel in view.panels] == ["Scores", "Singular values of the weights"]
    assert view.panels[0].hidden.sum() == 45
    assert view.panels[0].warning == ""
    assert [one.name for one in projections_curves(result).series] == ["weights", "d_head or n"]


@pytest.mark.parametrize(
    ("topic", "name", "measured"),
    [
        (IDENTITY, "no projections", lambda result: result.own[0]),
        (IDENTITY, "equal norms, in theory", lambda result: result.predicted),
        (RANK, "log weights", lambda result: result.ranks[1]),
        (COLLAPSE, "with the residual", lambda result: result.left[1]),
    ],
)
def test_curves_are_drawn_as_measured(topic: str, name: str, measured: Callable) -> None:
    (curve,) = (one for one in projections_curves(result_of(topic)).series if one.name == name)
    np.testing.assert_allclose(curve.values, measured(result_of(topic)), rtol=1e-6)


@pytest.mark.parametrize("topic", [IDENTITY, RANK, COLLAPSE])
def test_curves_are_told_from_end_to_end(topic: str) -> None:
    view, curves = curves_view(result_of(topic)), projections_curves(result_of(topic))
    assert view.panels[0].x_title in view.summary
    for one in curves.series:
        ends = f"{one.name} from {format_number(float(one.values[0]))} to {format_number(float(one.values[-1]))}"
        assert ends in view.summary


def test_parameters_are_bars_and_another_basis_has_no_curve() -> None:
    view = curves_view(result_of(TIED))
    assert tuple(view.panels[0].values) == result_of(TIED).parameters
    assert all(f"{count:,}" in view.panels[0].note for count in result_of(TIED).parameters)
    assert view.panels[0].note in view.summary
    assert curves_view(result_of(GAUGE)) is None


@pytest.mark.parametrize("topic", TOPICS)
def test_the_table_has_every_cell_and_every_point(topic: str) -> None:
    table = projections_table(CASES[topic], result_of(topic))
    view = projections_view(CASES[topic], result_of(topic))
    curves = projections_curves(result_of(topic))
    cells = sum(panel.values.size for panel in view.panels if isinstance(panel, MatrixPanel))
    points = sum(one.values.size for one in curves.series) if curves else 0
    assert len(table.rows) == cells + points
    assert all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_step_of_the_proof_quotes_a_number(topic: str) -> None:
    steps = proof(result_of(topic))
    assert len(steps) == 2
    assert all(step.argument.endswith(".") and "`" in step.measured for step in steps)
