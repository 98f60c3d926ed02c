"""Scaling as it is drawn: both factors at one scale, axes say what they are, what lies outside is said."""

import numpy as np
import pytest

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.number_format import format_number
from attention_core.experiments.scaling import D_HEADS, ScalingCurves
from attention_core.figures.changes import scaling_changed
from attention_core.figures.charts import view_figure
from attention_core.figures.matrix import AreasPanel, LinesPanel
from attention_core.figures.scaling import (
    TITLES,
    curve_summary,
    curves_view,
    label,
    proof,
    scaling_table,
    scaling_view,
)
from attention_core.figures.svg import panel_svg
from tests.experiments.scaling_runs import picture, run
from tests.figures.views import of, view_of


def test_the_first_screen_goes_from_scores_to_weights_to_the_gradient_with_both_factors_on_each_axis() -> None:
    made, view = of("picture"), view_of("scaling")
    assert view.sweep is not None
    assert (view.sweep.name, view.sweep.values[6], view.sweep.values[-1]) == ("d_head", "64", "4,096")
    assert (len(view.panels), view.front, view.second) == (7, 3, 4)
    scores, weights, gradient = view.panels[:3]
    assert [one.title for one in view.panels[:3]] == [
        "1  The scores spread", "2  softmax picks a winner", "3  and the gradient?",
    ]  # fmt: skip
    assert isinstance(scores, AreasPanel)
    assert isinstance(weights, AreasPanel)
    for panel in (scores, weights):
        assert [one.name for one in panel.areas] == ["unscaled", "÷ √d"]
        assert [one.role for one in panel.areas] == ["muted", "accent"], "grey, and violet"
    for side, spread, ranked in zip((made.chosen, made.beside), scores.areas, weights.areas, strict=True):
        assert spread.edges.min() >= scores.span[0]
        assert spread.edges.max() <= scores.span[1], "one axis for both and all d_head"
        np.testing.assert_allclose(np.diff(spread.bracket)[:, 0], 2 * side.spread, rtol=1e-5)
        assert spread.said[-1] == f"σ = {format_number(float(side.spread[-1]))}"
        assert ranked.said[6].endswith(f": {side.weights[6].max():.2f}")
        assert (np.diff(ranked.values) <= 0).all(), "the largest first"
    assert weights.labels.title == "keys, the largest 24 of 64"
    assert isinstance(gradient, LinesPanel)
    assert gradient.unfolds
    assert gradient.log_y
    for one, curve in zip(gradient.series, (of("scaling").unscaled, of("scaling").scaled), strict=True):
        np.testing.assert_allclose(one.values, curve.gradient_median, rtol=1e-6)
    for at in (2, 12):
        said = scaling_view(made, D_HEADS[at], run()).summary
        assert all(f" {side.weights[at].max():.2f} " in said for side in (made.chosen, made.beside))


def test_what_is_called_spreading_and_winning_does_so() -> None:
    """1/d_head makes scores and weights more alike, and so nothing of the kind is said."""
    titles = [one.title for one in scaling_view(picture(scale="head"), 64, run(scale="head")).panels[:2]]
    assert titles == ["1  The scores", "2  softmax shares the weight"]


def test_a_gradient_that_is_still_asked_about_is_neither_drawn_nor_sent() -> None:
    waiting = scaling_view(of("picture"), 64).panels[2]
    assert isinstance(waiting, LinesPanel)
    assert (waiting.awaits, waiting.series, waiting.drawn.size) == ("your guess?", (), 0)
    (curve,) = curves_view(run(), "gradient", 64, awaited=True).panels
    assert (curve.awaits, curve.series, curve.note) == ("your guess?", (), "")
    assert all("your guess?" in panel_svg(one) for one in (waiting, curve))


def test_the_second_look_has_single_scores_and_jacobians_of_both_factors() -> None:
    made, view = of("picture"), view_of("scaling")
    for side, scores, jacobian in zip((made.chosen, made.beside), view.panels[3:5], view.panels[5:], strict=True):
        assert scores.title == f"Scores, {label(side.name)}"
        assert jacobian.title == f"Jacobian, {label(side.name)}"
        assert np.abs(jacobian.values).max() <= jacobian.limits[1]
        assert scores.labels.title == "top 32 of 64 keys"
    assert not any(panel.warning for panel in view.panels)
    scores, jacobian = scaling_view(picture(num_keys=3, scale="root")).panels[3::2]
    assert scores.labels.title == "key"
    assert jacobian.rows.labels == ("1", "2", "3")


@pytest.mark.parametrize("quantity", TITLES)
def test_curves_have_named_axes_a_mark_and_a_summary(quantity: str) -> None:
    (panel,) = curves_view(of("scaling"), quantity, 64).panels
    assert panel.title == TITLES[quantity]
    assert panel.x_title == "Size of a head, d_head"
    assert panel.log_x
    assert panel.log_y == (quantity in ("variance", "jacobian", "gradient"))
    assert panel.x[panel.marked] == 64
    for role, start in (("muted", "unscaled"), ("accent", "× 1/√d_head"), ("pale", "× d_head^−0.4")):
        assert {one.role for one in panel.series if one.name.startswith(start)} == {role}
    assert view_of(f"scaling {quantity}").panels[0].marked is None
    np.testing.assert_array_equal(panel.x, D_HEADS)
    said = curve_summary(run(), quantity)
    assert said.startswith(f"{TITLES[quantity]}, where heads are largest: ")
    if quantity == "max_weight":
        assert f"{format_number(run().at(quantity, 4096, of='scaled'))} divided by the root" in said


def test_what_is_claimed_and_how_far_it_spreads_is_drawn_with_it() -> None:
    unscaled = of("scaling").unscaled
    curves = {one.name: one for name in TITLES for one in view_of(f"scaling {name}").panels[0].series}
    np.testing.assert_allclose(curves["unscaled, claimed"].values, D_HEADS)
    np.testing.assert_allclose(curves["× 1/√d_head, claimed"].values, 1, rtol=1e-6)
    (variance,) = view_of("scaling variance").panels
    np.testing.assert_allclose(variance.series[0].band, unscaled.score_variance_interval, rtol=1e-6)
    np.testing.assert_allclose(curves["ln n"].values, np.log(64), rtol=1e-6)
    assert all(curves[f"unscaled{name}"].dashed for name in (", 2ε", ", nε", ", claimed"))
    low, high = curves["unscaled, median"].band
    np.testing.assert_allclose(high, unscaled.gradient_high, rtol=1e-6)
    # Float32 holds nothing below 1e-45; no axis reaches that far.
    np.testing.assert_allclose(low, unscaled.gradient_low, rtol=1e-6, atol=1e-37)
    (panel,) = view_of("scaling gradient").panels
    bottom, top = panel.limits
    assert 1e-11 < bottom < 1e-9
    assert max(unscaled.gradient_high) < top < 1e3
    assert "Below the axis, down to" in panel.note


def test_what_an_axis_cannot_show_is_said_and_a_size_that_is_not_there_is_refused() -> None:
    (panel,) = curves_view(run(num_keys=1), "gradient").panels
    assert "are not above 0, so a log axis cannot show them" in panel.warning
    assert not panel.series[0].values.any()
    with pytest.raises(ConfigError, match="a power of two"):
        curves_view(run(), "entropy", 0)


def test_the_export_holds_every_panel_of_the_size_that_is_looked_at() -> None:
    made, at = of("picture"), D_HEADS.index(64)
    figure = view_figure(view_of("scaling"), at)
    bars = [trace.y for trace in figure.data if trace.type == "bar"]
    heatmaps = [trace.z for trace in figure.data if trace.type == "heatmap"]
    assert (len(bars), len(heatmaps)) == (4, 2)
    for one in (made.chosen, made.beside):
        assert any(np.array_equal(drawn, one.ranked[at].astype(np.float32)) for drawn in bars)
        assert any(np.array_equal(drawn, one.scores[at].astype(np.float32)) for drawn in bars)
        assert any(np.array_equal(drawn, one.jacobian[at].astype(np.float32)) for drawn in heatmaps)
    assert all(len(axis.ticktext or ()) <= 12 for axis in figure.select_xaxes()), "labels on top of one another"


def test_the_table_holds_every_curve_and_the_proof_what_its_bounds_were_tried_on() -> None:
    table = scaling_table(of("scaling"))
    columns = table.as_columns()
    assert columns["d_head"] == [*D_HEADS] * 3
    assert columns["gradient_median"][13:26] == of("scaling").scaled.gradient_median.tolist()
    assert set(ScalingCurves.__slots__) - {"name", "score_variance_interval"} <= set(table.columns)
    result, steps = run(), proof(run())
    assert "`0 of 53,248 rows`, above 2ε `0`" in steps[2].measured
    assert f"`{format_number(result.at('gradient_median', 4096))}`" in steps[3].measured
    assert "in probability" in steps[1].argument


def test_a_weight_that_stayed_is_not_said_to_go_from_itself_to_itself() -> None:
    made, at = of("picture"), D_HEADS.index(64)
    told = scaling_changed((made, at), (made, at), ("64", "64"), label)
    first, second = (f"**{format_number(side.largest_weight(at))}**" for side in (made.chosen, made.beside))
    assert told == f"The largest weight of this query: unscaled still {first}; × 1/√d_head still {second}."
    other = scaling_changed((made, 0), (made, at), ("1", "64"), label)
    assert f"unscaled from **{format_number(made.chosen.largest_weight(0))}** to {first}" in other
