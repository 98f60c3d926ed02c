"""What is drawn of the questions about norms is what was measured."""

from functools import cache

import numpy as np
import pytest

from attention_core.experiments.normalization import TOPICS, NormalizationConfig, run_normalization
from attention_core.figures.normalization import (
    normalization_table,
    normalization_view,
    proof,
    space_alt,
    space_figure,
)

DEPENDENCE, LENGTH, BIAS, BLOCK = TOPICS
CASES = {topic: NormalizationConfig(topic=topic, seed=2, d_model=3) for topic in TOPICS}


@cache
def result_of(topic: str) -> object:
    return run_normalization(CASES[topic])


def test_the_maps_are_the_derivatives_of_the_chosen_output() -> None:
    view = normalization_view(CASES[DEPENDENCE], result_of(DEPENDENCE), (3, 1))
    assert [panel.title for panel in view.panels] == ["LayerNorm", "BatchNorm, training", "RMSNorm"]
    for panel, jacobian in zip(view.panels, result_of(DEPENDENCE).jacobians[[0, 2, 1]], strict=True):
        np.testing.assert_allclose(panel.values, jacobian[3, 1], rtol=1e-6)
        assert panel.quantity == "∂y/∂x, y at (4, 2)"
        assert panel.colour_limits == view.panels[0].colour_limits
    assert "LayerNorm on 3, RMSNorm on 3, BatchNorm on 5 of 15" in view.summary


def test_a_cell_beyond_the_matrix_is_its_last() -> None:
    view = normalization_view(CASES[DEPENDENCE], result_of(DEPENDENCE), (7, 15))
    assert view.panels[0].quantity == "∂y/∂x, y at (5, 3)"


def test_lengths_stand_beside_the_radius() -> None:
    result = result_of(LENGTH)
    before, after, lengths = normalization_view(CASES[LENGTH], result).panels
    np.testing.assert_allclose(before.values, result.before[:12], rtol=1e-6)
    np.testing.assert_allclose(after.values, result.after[:12], rtol=1e-6)
    np.testing.assert_allclose(lengths.values, result.lengths[:12], rtol=1e-6)
    np.testing.assert_allclose(lengths.overlay[1], np.sqrt(3), rtol=1e-6)


def test_what_is_left_is_drawn_on_one_scale() -> None:
    bias = normalization_view(CASES[BIAS], result_of(BIAS))
    assert [panel.title for panel in bias.panels] == list(result_of(BIAS).names)
    assert len({panel.colour_limits for panel in bias.panels}) == 1
    block = normalization_view(CASES[BLOCK], result_of(BLOCK))
    assert [panel.title for panel in block.panels] == [
        "Pre-norm: x + f(N(x))", "Post-norm: N(x + f(x))", "Residual post-norm: x + N(f(x))",
    ]  # fmt: skip
    assert block.panels[0].rows.labels == tuple(str(i + 1) for i in result_of(BLOCK).order)
    assert block.panels[0].colour_limits == pytest.approx(
        (-max(result_of(BLOCK).bounds), max(result_of(BLOCK).bounds))
    )
    config = NormalizationConfig(topic=BLOCK, causal=True)
    broken = run_normalization(config)
    limits = normalization_view(config, broken).panels[0].colour_limits
    assert limits[1] == pytest.approx(np.abs(broken.left).max())


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(("gamma", "beta"), [(1.0, 0.0), (-2.0, 1.0)])
def test_three_features_land_on_the_circle_that_is_drawn(gamma: float, beta: float, mode: str) -> None:
    result = run_normalization(NormalizationConfig(topic=LENGTH, d_model=3, gamma=gamma, beta=beta))
    traces = {trace.name: np.stack([trace.x, trace.y, trace.z], 1) for trace in space_figure(result, mode=mode).data}
    circle = traces["circle of radius |γ|√3"]
    np.testing.assert_allclose(circle.sum(1), 3 * beta, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(circle - beta, axis=1), abs(gamma) * np.sqrt(3), rtol=1e-5)
    np.testing.assert_allclose(traces["before"], result.before, rtol=1e-6)
    np.testing.assert_allclose(traces["centred"].sum(1), 0, atol=1e-5)
    np.testing.assert_allclose(traces["after LayerNorm"], result.after, rtol=1e-6)
    apart = np.linalg.norm(traces["after LayerNorm"][:, None] - circle[None], axis=2).min(1)
    assert apart.max() < 0.02 * result.radius
    np.testing.assert_allclose(traces["plane of mean 0"].sum(1), 0, atol=1e-5)
    assert f"radius {result.radius:.3g}" in space_alt(result)


def test_space_has_three_dimensions_and_no_place_for_nan() -> None:
    assert space_figure(run_normalization(NormalizationConfig(topic=LENGTH, d_model=4))) is None
    undefined = run_normalization(NormalizationConfig(topic=LENGTH, d_model=3, constant=True))
    traces = {trace.name: trace for trace in space_figure(undefined).data}
    assert len(traces["after LayerNorm"].x) == 0
    assert "NaN" in normalization_view(CASES[LENGTH], undefined).panels[1].warning


@pytest.mark.parametrize(("topic", "rows"), [(DEPENDENCE, 45), (LENGTH, 200), (BIAS, 60), (BLOCK, 45)])
def test_the_table_has_every_number(topic: str, rows: int) -> None:
    table = normalization_table(CASES[topic], result_of(topic), (1, 1))
    assert len(table.rows) == rows
    assert all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_step_of_the_proof_stands_beside_its_number(topic: str) -> None:
    steps = proof(result_of(topic))
    assert len(steps) >= 2
    assert all(step.argument.endswith(".") for step in steps)
    assert sum("`" in step.measured for step in steps) >= 1
