"""Scaling as it is drawn: data in is data drawn, axes say what they are, what lies outside is said."""

import numpy as np
import pytest

from attention_core.experiments.config import ConfigError
from attention_core.experiments.scaling import D_HEADS, ScalingCurves
from attention_core.figures.matrix import BarsPanel, MatrixPanel
from attention_core.figures.plot import figure_html
from attention_core.figures.scaling import (
    TITLES,
    curve_summary,
    scaling_curves,
    scaling_heatmap,
    scaling_table,
    scaling_view,
)
from tests.experiments.scaling_runs import run


def traces(figure) -> dict[str, object]:
    return {trace.name: trace for trace in figure.data if trace.name}


def test_the_view_draws_what_was_measured() -> None:
    result = run()
    view = scaling_view(result)
    scores, weights, histogram, jacobian = view.panels
    assert view.sweep is not None
    assert (view.sweep.name, view.sweep.values[0], view.sweep.values[-1]) == ("d_head", "1", "4096")
    assert view.steps == len(D_HEADS)
    assert isinstance(histogram, BarsPanel)
    assert isinstance(jacobian, MatrixPanel)
    np.testing.assert_array_equal(scores.values, result.view.scores)
    np.testing.assert_array_equal(weights.values, result.view.weights)
    np.testing.assert_array_equal(jacobian.values, result.view.jacobian)
    np.testing.assert_array_equal(histogram.values, result.view.score_shares.astype(np.float32))
    assert histogram.overlay_name == "N(0, d_head)"
    np.testing.assert_array_equal(histogram.overlay[1], result.view.normal_shares.astype(np.float32))
    assert weights.limits == (0, 1)
    assert jacobian.colour_limits == pytest.approx(
        (-np.abs(result.view.jacobian).max(), np.abs(jacobian.values).max())
    )
    assert weights.labels.labels == tuple(str(key) for key in range(1, 65))
    assert weights.labels.role == "key"
    assert not any(panel.warning for panel in view.panels)
    assert "goes from 0.0812 to 0.978" in view.summary


def test_the_claimed_density_lies_over_the_histogram() -> None:
    view = run().view
    middles = (view.score_edges[:, 1:] + view.score_edges[:, :-1]) / 2
    for step in range(5, len(D_HEADS)):
        claimed = np.interp(middles[step], view.normal_x[step], view.normal_shares[step])
        assert np.abs(view.score_shares[step] - claimed).max() < 0.02


def test_a_sample_of_many_keys_says_so() -> None:
    view = scaling_view(run(num_keys=80))
    assert view.panels[0].note == view.panels[3].note == "The 64 keys with the largest weights of 80."
    assert len(view.panels[3].rows.labels) == 64
    assert (
        scaling_view(run(scale="d_head^-alpha", alpha=0.4)).panels[2].overlay_name == "N(0, d_head · (d_head^−0.4)²)"
    )


@pytest.mark.parametrize("quantity", TITLES)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_curves_have_named_axes_and_a_mark(quantity: str, mode: str) -> None:
    result = run(scale="d_head^-alpha", alpha=0.4)
    figure = scaling_curves(result, quantity, 64, mode=mode)
    assert figure.layout.title.text == TITLES[quantity]
    assert figure.layout.xaxis.title.text == "Size of a head, d_head"
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.yaxis.title.text
    assert figure.layout.yaxis.type == ("log" if quantity in ("variance", "jacobian", "gradient") else None)
    assert [shape.x0 for shape in figure.layout.shapes] == [64]
    assert any(name.startswith("unscaled") for name in traces(figure))
    assert any(name.startswith("× 1/√d_head") for name in traces(figure))
    assert any(name.startswith("× d_head^−0.4") for name in traces(figure))
    assert not scaling_curves(result, quantity).layout.shapes
    for trace in figure.data:
        np.testing.assert_array_equal(trace.x, D_HEADS)


def test_curves_draw_what_was_measured() -> None:
    result = run()
    unscaled, scaled = result.unscaled, result.scaled
    variance = traces(scaling_curves(result, "variance"))
    np.testing.assert_array_equal(variance["unscaled"].y, unscaled.score_variance)
    np.testing.assert_allclose(variance["unscaled, claimed"].y, D_HEADS)
    np.testing.assert_allclose(variance["× 1/√d_head, claimed"].y, 1)
    errors = variance["unscaled"].error_y
    np.testing.assert_allclose(unscaled.score_variance + errors.array, unscaled.score_variance_interval[1])
    np.testing.assert_allclose(unscaled.score_variance - errors.arrayminus, unscaled.score_variance_interval[0])
    np.testing.assert_array_equal(traces(scaling_curves(result, "max_weight"))["unscaled"].y, unscaled.max_weight)
    entropies = traces(scaling_curves(result, "entropy"))
    np.testing.assert_array_equal(entropies["× 1/√d_head"].y, scaled.entropy)
    np.testing.assert_allclose(entropies["ln n"].y, np.log(64))
    jacobian = traces(scaling_curves(result, "jacobian"))
    for name, values in (("", unscaled.jacobian), (", 2ε", unscaled.bound_two), (", nε", unscaled.bound_keys)):
        np.testing.assert_array_equal(jacobian[f"unscaled{name}"].y, values)
    underflow = traces(scaling_curves(result, "underflow"))
    np.testing.assert_array_equal(underflow["unscaled, float16"].y, unscaled.float16_zeros)
    np.testing.assert_array_equal(underflow["unscaled, bfloat16"].y, unscaled.bfloat16_zeros)


def test_the_gradient_shows_median_mean_and_band() -> None:
    result = run()
    figure = scaling_curves(result, "gradient")
    drawn = traces(figure)
    np.testing.assert_array_equal(drawn["unscaled, median"].y, result.unscaled.gradient_median)
    np.testing.assert_array_equal(drawn["unscaled, mean"].y, result.unscaled.gradient_mean)
    np.testing.assert_array_equal(drawn["unscaled, 1–99 &#37;"].y, result.unscaled.gradient_low)
    np.testing.assert_array_equal(figure.data[0].y, result.unscaled.gradient_high)
    low, high = figure.layout.yaxis.range
    assert -10.5 < low < high < 2.5
    assert "Below the axis, down to" in figure.layout.annotations[0].text


def test_values_of_0_leave_a_gap_on_a_log_axis_and_are_said() -> None:
    figure = scaling_curves(run(num_keys=1), "gradient")
    assert figure.layout.annotations[0].text == "All values are 0."
    assert np.isnan(traces(figure)["unscaled, median"].y).all()
    assert "plotly" in figure_html(figure)


def test_the_jacobian_of_one_size_alone() -> None:
    result = run()
    figure = scaling_heatmap(result, 64)
    np.testing.assert_array_equal(figure.data[0].z, result.view.jacobian[D_HEADS.index(64)])
    assert figure.layout.yaxis.autorange == "reversed"
    for draw in (lambda: scaling_heatmap(result, 65), lambda: scaling_curves(result, "entropy", 0)):
        with pytest.raises(ConfigError, match="a power of two"):
            draw()


def test_the_table_holds_every_curve() -> None:
    result = run(scale="d_head^-alpha", alpha=0.4)
    table = scaling_table(result)
    assert len(table.rows) == 3 * len(D_HEADS)
    assert all(len(row) == len(table.columns) for row in table.rows)
    columns = table.as_columns()
    assert columns["d_head"] == [*D_HEADS] * 3
    assert columns["gradient_median"][13:26] == result.scaled.gradient_median.tolist()
    left_out = {"name", "score_variance_interval"}
    assert set(ScalingCurves.__slots__) - left_out <= set(table.columns)
    assert {type(value) for row in table.rows for value in row} == {str, int, float}


@pytest.mark.parametrize("quantity", TITLES)
def test_a_summary_tells_how_each_factor_s_curve_goes(quantity: str) -> None:
    said = curve_summary(run(), quantity)
    assert said.startswith(f"{TITLES[quantity]} over d_head from 1 to 4,096: unscaled from ")
    assert ", × 1/√d_head from " in said
    if quantity == "max_weight":
        assert "unscaled from 0.0812 to 0.978" in said
