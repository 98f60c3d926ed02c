"""Scaling as it is drawn: data in is data drawn, axes say what they are, what lies outside is said."""

import numpy as np
import pytest

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.scaling import D_HEADS, ScalingCurves, ScalingResult
from attention_core.experiments.verdict import format_number
from attention_core.figures.charts import view_figure
from attention_core.figures.matrix import BarsPanel, Series
from attention_core.figures.scaling import (
    TITLES,
    curve_summary,
    curves_view,
    label,
    proof,
    scaling_table,
    scaling_view,
)
from tests.experiments.scaling_runs import picture, run


def test_both_factors_stand_side_by_side_at_one_scale() -> None:
    made = picture()
    view = scaling_view(made)
    assert view.sweep is not None
    assert (view.sweep.name, view.sweep.values[0], view.sweep.values[-1]) == ("d_head", "1", "4,096")
    assert view.steps == len(D_HEADS)
    assert len(view.panels) == 8
    for side, panels in ((made.chosen, view.panels[::2]), (made.beside, view.panels[1::2])):
        weights, histogram, scores, jacobian = panels
        assert all(panel.title.endswith(f", {label(side.name)}") for panel in panels)
        np.testing.assert_array_equal(scores.values, side.scores.astype(np.float32))
        np.testing.assert_array_equal(weights.values, side.weights.astype(np.float32))
        np.testing.assert_array_equal(jacobian.values, side.jacobian.astype(np.float32))
        assert isinstance(histogram, BarsPanel)
        np.testing.assert_array_equal(histogram.values, side.shares.astype(np.float32))
        np.testing.assert_array_equal(histogram.overlay[1], side.normal.astype(np.float32))
        assert histogram.edges.ndim == 1, "one scale for all d_head"
        assert weights.limits == (0, 1)
        assert np.abs(jacobian.values).max() <= jacobian.limits[1]
        assert weights.labels.title == "32 of 64 keys"
    assert view.panels[2].overlay_name == "N(0, d_head)"
    assert view.panels[3].overlay_name == "N(0, d_head · (1/√d_head)²)"
    assert not any(panel.warning for panel in view.panels)
    assert "goes unscaled from 0.08" in view.summary
    assert ", × 1/√d_head from " in view.summary


def test_few_keys_are_all_shown() -> None:
    _, _, scores, jacobian = scaling_view(picture(num_keys=3, scale="root")).panels[::2]
    assert scores.labels.title == "key"
    assert jacobian.rows.labels == ("1", "2", "3")


def drawn(result: ScalingResult, quantity: str) -> dict[str, Series]:
    """The curves of a quantity by their names."""
    (panel,) = curves_view(result, quantity).panels
    return {one.name: one for one in panel.series}


@pytest.mark.parametrize("quantity", TITLES)
def test_curves_have_named_axes_and_a_mark(quantity: str) -> None:
    result = run(scale="power", alpha=0.4)
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


def test_a_size_that_is_not_measured_is_refused() -> None:
    with pytest.raises(ConfigError, match="a power of two"):
        curves_view(run(), "entropy", 0)


def test_the_export_holds_every_panel_of_the_size_that_is_looked_at() -> None:
    made = picture()
    at = D_HEADS.index(64)
    figure = view_figure(scaling_view(made), at)
    bars = [trace.y for trace in figure.data if trace.type == "bar"]
    heatmaps = [trace.z for trace in figure.data if trace.type == "heatmap"]
    assert (len(bars), len(heatmaps)) == (6, 2)
    for one in (made.chosen, made.beside):
        assert any(np.array_equal(drawn, one.weights[at].astype(np.float32)) for drawn in bars)
        assert any(np.array_equal(drawn, one.jacobian[at].astype(np.float32)) for drawn in heatmaps)
    for axis in figure.select_xaxes():
        assert len(axis.ticktext or ()) <= 12, "labels that stand on top of one another"


def test_the_table_holds_every_curve() -> None:
    result = run(scale="power", alpha=0.4)
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
        assert f"unscaled from 0.0855 to {format_number(run().at('max_weight', 4096))}" in said


def test_the_proof_counts_what_its_bounds_were_tried_on() -> None:
    steps = proof(run())
    assert "`0 of 53,248 rows`, above 2ε `0`" in steps[2].measured
    assert "`1.01e-6`" in steps[3].measured
    assert "in probability" in steps[1].argument
