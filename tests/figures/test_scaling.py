"""Scaling as it is drawn: data in is data drawn, axes say what they are, what lies outside is said."""

import numpy as np
import pytest

from attention_core.experiments.config import ConfigError
from attention_core.experiments.scaling import D_HEADS, ScalingCurves, ScalingResult
from attention_core.figures.matrix import BarsPanel, MatrixPanel, Series
from attention_core.figures.scaling import (
    TITLES,
    curve_summary,
    curves_view,
    scaling_heatmap,
    scaling_table,
    scaling_view,
)
from tests.experiments.scaling_runs import run


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


def drawn(result: ScalingResult, quantity: str) -> dict[str, Series]:
    """The curves of a quantity by their names."""
    (panel,) = curves_view(result, quantity).panels
    return {one.name: one for one in panel.series}


@pytest.mark.parametrize("quantity", TITLES)
def test_curves_have_named_axes_and_a_mark(quantity: str) -> None:
    result = run(scale="d_head^-alpha", alpha=0.4)
    (panel,) = curves_view(result, quantity, 64).panels
    assert panel.title == TITLES[quantity]
    assert panel.x_title == "Size of a head, d_head"
    assert panel.log_x
    assert panel.y_title
    assert panel.log_y == (quantity in ("variance", "jacobian", "gradient"))
    assert panel.x[panel.marked] == 64
    names = [one.name for one in panel.series]
    for role, start in (("key", "unscaled"), ("query", "× 1/√d_head"), ("output", "× d_head^−0.4")):
        assert [one.role for one in panel.series if one.name.startswith(start)] == [role] * (
            sum(name.startswith(start) for name in names)
        )
        assert any(name.startswith(start) for name in names)
    assert curves_view(result, quantity).panels[0].marked is None
    np.testing.assert_array_equal(panel.x, D_HEADS)


def test_curves_draw_what_was_measured() -> None:
    result = run()
    unscaled, scaled = result.unscaled, result.scaled
    variance = drawn(result, "variance")
    np.testing.assert_allclose(variance["unscaled"].values, unscaled.score_variance, rtol=1e-6)
    np.testing.assert_allclose(variance["unscaled, claimed"].values, D_HEADS)
    np.testing.assert_allclose(variance["× 1/√d_head, claimed"].values, 1, rtol=1e-6)
    np.testing.assert_allclose(variance["unscaled"].band, unscaled.score_variance_interval, rtol=1e-6)
    most = drawn(result, "max_weight")["unscaled"]
    np.testing.assert_allclose(most.values, unscaled.max_weight, rtol=1e-6)
    entropies = drawn(result, "entropy")
    np.testing.assert_allclose(entropies["× 1/√d_head"].values, scaled.entropy, rtol=1e-6)
    np.testing.assert_allclose(entropies["ln n"].values, np.log(64), rtol=1e-6)
    jacobian = drawn(result, "jacobian")
    for name, values in (("", unscaled.jacobian), (", 2ε", unscaled.bound_two), (", nε", unscaled.bound_keys)):
        np.testing.assert_allclose(jacobian[f"unscaled{name}"].values, values, rtol=1e-6)
        assert jacobian[f"unscaled{name}"].dashed == bool(name)
    underflow = drawn(result, "underflow")
    np.testing.assert_allclose(underflow["unscaled, float16"].values, unscaled.float16_zeros, rtol=1e-6)
    np.testing.assert_allclose(underflow["unscaled, bfloat16"].values, unscaled.bfloat16_zeros, rtol=1e-6)


def test_the_gradient_shows_median_mean_and_band() -> None:
    result = run()
    curves, (panel,) = drawn(result, "gradient"), curves_view(result, "gradient").panels
    np.testing.assert_allclose(curves["unscaled, median"].values, result.unscaled.gradient_median, rtol=1e-6)
    np.testing.assert_allclose(curves["unscaled, mean"].values, result.unscaled.gradient_mean, rtol=1e-6)
    low, high = curves["unscaled, median"].band
    np.testing.assert_allclose(high, result.unscaled.gradient_high, rtol=1e-6)
    # Float32 holds nothing below 1e-45; no axis reaches that far.
    np.testing.assert_allclose(low, result.unscaled.gradient_low, rtol=1e-6, atol=1e-37)
    bottom, top = panel.limits
    assert 1e-11 < bottom < 1e-9
    assert max(result.unscaled.gradient_high) < top < 1e3
    assert "Below the axis, down to" in panel.note


def test_values_of_0_leave_a_gap_on_a_log_axis_and_are_said() -> None:
    (panel,) = curves_view(run(num_keys=1), "gradient").panels
    assert "are not above 0, so a log axis cannot show them" in panel.warning
    assert not drawn(run(num_keys=1), "gradient")["unscaled, median"].values.any()


def test_the_jacobian_of_one_size_alone() -> None:
    result = run()
    figure = scaling_heatmap(result, 64)
    np.testing.assert_array_equal(figure.data[0].z, result.view.jacobian[D_HEADS.index(64)])
    assert figure.layout.yaxis.autorange == "reversed"
    for draw in (lambda: scaling_heatmap(result, 65), lambda: curves_view(result, "entropy", 0)):
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
