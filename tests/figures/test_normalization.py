"""Which cell is asked for, what stands beside a length, and three features in space."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.studies.normalization import NormalizationConfig, run_normalization
from attention_core.studies.normalization.draw import normalization_view, space_alt, space_figure
from tests.figures.views import NORMED, of, view_of


def test_lengths_stand_beside_the_radius_and_what_is_left_within_its_bound() -> None:
    lengths = view_of("normalization length").panels[2]
    np.testing.assert_allclose(lengths.overlay[1], np.sqrt(3), rtol=1e-6)
    block, result = view_of("normalization block").panels[0], of("block")
    words = ("a", "cat", "sat", "all", "day")
    assert block.rows.labels == tuple(words[i] for i in result.order)
    assert block.colour_limits == pytest.approx((-max(result.bounds), max(result.bounds)))
    config = NormalizationConfig(topic="block", causal=True)
    broken = run_normalization(config)
    limits = normalization_view(config, broken).panels[0].colour_limits
    assert limits[1] == pytest.approx(np.abs(broken.left).max())


@pytest.mark.parametrize(("gamma", "beta"), [(1.0, 0.0), (-2.0, 1.0)])
def test_three_features_land_on_the_circle_that_is_drawn(gamma: float, beta: float) -> None:
    result = run_normalization(NormalizationConfig(topic="length", d_model=3, gamma=gamma, beta=beta))
    traces = {
        trace.name: np.stack([trace.x, trace.y, trace.z], 1) for trace in space_figure(result, mode="dark").data
    }
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
    assert space_figure(run_normalization(NormalizationConfig(topic="length", d_model=4))) is None
    undefined = run_normalization(NormalizationConfig(topic="length", d_model=3, constant=True))
    traces = {trace.name: trace for trace in space_figure(undefined).data}
    assert len(traces["after LayerNorm"].x) == 0
    assert "NaN" in normalization_view(NORMED["length"], undefined).panels[1].warning


def test_a_hundredth_of_a_bias_is_more_than_nothing() -> None:
    result = replace(of("bias"), largest=np.array([0.009, 0.011, 0.09, 0.0]))
    notes = [panel.note for panel in normalization_view(NORMED["bias"], result).panels]
    assert notes == ["Nothing is left of the bias.", "", "", "Nothing is left of the bias."]
