"""The bias figures draw the results' numbers, name what they cannot draw, and show tokens as they are."""

import dataclasses

import numpy as np
import pytest

from attention_core.experiments.biases import (
    AfterNormConfig,
    AppendixConfig,
    BiasesConfig,
    BiasesSetting,
    MeanConfig,
    TrainingConfig,
    run_after_norm,
    run_appendix,
    run_bias_sizes,
    run_biases,
    run_mean,
    run_shift,
    steps_size_sweep,
)
from attention_core.experiments.run import run
from attention_core.experiments.verdict import format_number
from attention_core.figures.biases import (
    CURVES,
    appendix_bars,
    biases_figure,
    biases_table,
    curve_summary,
    curve_table,
    curve_view,
    difference_view,
    gradient_view,
    mean_view,
    norm_bars,
    proof,
    residual_view,
    shift_view,
    size_table,
    size_view,
    terms_table,
    terms_view,
    training_step,
    training_view,
)
from attention_core.figures.changes import biases_changed
from attention_core.figures.charts import panel_figure, view_figure
from attention_core.figures.matrix import BarsPanel, LinesPanel, MatrixPanel, MatrixView

HOSTILE = ("<b>", "%{z}", "$x$", '"""', "a", "a")


def matrices(view) -> list[MatrixPanel]:
    return [panel for panel in view.panels if isinstance(panel, MatrixPanel)]


@pytest.mark.parametrize("head", ["average", "2"])
def test_the_four_terms_share_one_scale_and_constant_ones_are_marked(head: str) -> None:
    result = run_bias_sizes(BiasesSetting(tokens=HOSTILE))
    view = terms_view(result, head)
    terms = result.terms.mean(2) if head == "average" else result.terms[:, :, 1]
    limits = {panel.colour_limits for panel in matrices(view)}
    assert len(limits) == 1
    assert limits.pop()[1] == pytest.approx(np.abs(terms).max())
    for i, panel in enumerate(matrices(view)):
        assert np.array_equal(panel.values, np.float32(terms[:, i]))
        assert panel.rows.labels == HOSTILE
        assert ("same along each row" in panel.note) == result.constant[i] == (i in (1, 3))
    assert view.sweep is not None
    assert view.sweep.values == ("0.100", "0.200", "0.500", "1", "2", "5")
    assert "2 of them" in view.summary


def test_under_rotation_no_term_is_marked_constant() -> None:
    view = terms_view(run_bias_sizes(BiasesSetting(rotary=True)), "1")
    assert all("Differs along each row" in panel.note for panel in matrices(view))
    alone = terms_view(run_bias_sizes(BiasesSetting(tokens=("a",))))
    assert all("One key" in panel.note for panel in matrices(alone))


def test_differences_say_where_nothing_but_rounding_is_left() -> None:
    only = dict.fromkeys(("q_bias", "v_bias", "o_bias"), False)
    result = run_bias_sizes(BiasesSetting(**only))
    scores, weights, output = matrices(difference_view(result, "1"))
    assert np.array_equal(weights.values, np.float32(result.weights_change[:, 0]))
    assert scores.note == ""
    assert "rounding" in weights.note
    assert "rounding" in output.note
    assert weights.colour_limits[1] == pytest.approx(max(result.weight_bounds))
    assert "weights and output nothing but rounding" in difference_view(result).summary
    sink = run_bias_sizes(BiasesSetting(zero_sink=True, **only))
    moved = difference_view(sink, "1")
    assert matrices(moved)[0].columns.labels[-1] == "(sink)"
    assert "all of them move" in moved.summary


def test_an_absent_difference_is_still_drawn() -> None:
    off = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)
    view = difference_view(run_bias_sizes(BiasesSetting(**off)))
    assert all(np.isfinite(panel.colour_limits).all() for panel in matrices(view))


def test_the_size_sweep_draws_every_precision_and_names_nan() -> None:
    result = run(BiasesConfig().key_sweep(), experiment=steps_size_sweep)
    view = size_view(result, "3")
    assert [panel.title for panel in matrices(view)] == ["float64", "float16", "bfloat16", "float32"]
    assert view.front == 2
    for panel in matrices(view):
        i = result.dtypes.index(panel.title)
        assert np.array_equal(panel.values, np.float32(result.weights[i, :, 2]), equal_nan=True)
        assert bool(panel.warning) == (panel.title == "float16")
    assert "NaN from ‖b_K‖" in matrices(view)[1].note
    assert "float16 is NaN" in view.summary
    assert view.sweep is not None
    assert len(view.sweep.values) == len(result.sizes)
    assert "NaN" in panel_figure(matrices(view)[1], len(result.sizes) - 1).layout.annotations[-1].text


def gradients(config: BiasesConfig) -> BarsPanel:
    (panel,) = gradient_view(run_biases(config)).panels
    assert isinstance(panel, BarsPanel)
    return panel


def test_gradients_wear_their_roles_colours_below_the_bound_of_rounding() -> None:
    result, bars = run_biases(BiasesConfig()), gradients(BiasesConfig())
    assert bars.labels.labels == ("b_Q", "b_K", "b_V", "b_O")
    assert bars.role == ("query", "key", "value", "output")
    np.testing.assert_array_equal(bars.values, np.float32([one.gradient for one in result.effects]))
    assert bars.log_y
    assert bars.overlay is not None
    np.testing.assert_array_equal(bars.overlay[1], np.float32([result.gradient_bound] * 2))
    assert bars.note == ""
    assert gradients(BiasesConfig(tokens=("a",))).note == "Exactly 0: b_Q, b_K."


def test_no_bias_at_all_draws_no_bar() -> None:
    off = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)
    bars = gradients(BiasesConfig(**off))
    assert bars.values.size == 0
    assert bars.overlay is None


def lines(view: MatrixView) -> LinesPanel:
    (panel,) = view.panels
    assert isinstance(panel, LinesPanel)
    return panel


def test_residual_curves_hold_the_data_and_name_nan() -> None:
    result = run(BiasesConfig().key_sweep(), experiment=steps_size_sweep)
    panel = lines(residual_view(result))
    assert (panel.log_x, panel.log_y, panel.marked) == (True, True, None)
    measured, bounds = panel.series[:4], panel.series[4:]
    assert [one.name for one in measured] == list(result.dtypes)
    for i, (one, bound) in enumerate(zip(measured, bounds, strict=True)):
        np.testing.assert_array_equal(one.values, np.float32(result.residuals[i]))
        np.testing.assert_array_equal(bound.values, np.float32(result.bounds[i]))
        assert (one.dashed, bound.dashed, bound.listed) == (False, True, False)
        assert one.role == bound.role
    assert "float16 is NaN from ‖b_K‖" in panel.note
    marked = lines(residual_view(result, at=5.0))
    assert marked.marked is not None
    assert marked.x[marked.marked] == 5.0


def test_crosses_stand_where_naive_softmax_gives_its_last_number() -> None:
    shift = run_shift(BiasesSetting())
    assert "NaN" in lines(shift_view(shift, naive=True)).note
    panel = lines(shift_view(shift))
    assert [one.name for one in panel.series[:4]] == list(shift.dtypes)
    for i, ends in enumerate(panel.series[4:]):
        last = int(np.flatnonzero(np.isnan(shift.naive[i]))[0]) - 1
        assert ends.crosses
        assert np.flatnonzero(np.isfinite(ends.values)).tolist() == [last]
        assert ends.values[last] == np.float32(shift.residuals[i, last])


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_exported_curves_are_those_on_screen(mode: str) -> None:
    result = run(BiasesConfig().key_sweep(), experiment=steps_size_sweep)
    figure = biases_figure(result, key_size=5.0, mode=mode)
    panel = lines(residual_view(result))
    assert [trace.name for trace in figure.data] == [one.name for one in panel.series]
    for trace, one in zip(figure.data, panel.series, strict=True):
        np.testing.assert_array_equal(trace.y, np.where(one.values > 0, one.values, np.nan))
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.shapes[0].x0 == 5.0
    assert "float16 is NaN from" in figure.layout.annotations[-1].text.replace("<br>", " ")


def test_norm_bars_show_both_parts_and_say_what_is_missing() -> None:
    result = run_after_norm(AfterNormConfig())
    figure = norm_bars(result)
    assert list(figure.data[0].x) == ["no norm", "BatchNorm", "LayerNorm", "RMSNorm"]
    assert np.array_equal(figure.data[1].y, [one.rest for one in result.survivals])
    alone = norm_bars(run_after_norm(AfterNormConfig(tokens=("a",))))
    assert "more than one token" in alone.layout.annotations[-1].text
    constant = norm_bars(run_after_norm(AfterNormConfig(direction="equal")))
    assert "Exactly 0: rest" in constant.layout.annotations[-1].text


def test_means_and_training_are_drawn_as_measured() -> None:
    mean = run_mean(MeanConfig(doublings=10))
    measured, expected = lines(mean_view(mean)).series
    np.testing.assert_array_equal(measured.values, np.float32(mean.errors))
    np.testing.assert_array_equal(expected.values, np.float32(mean.expected_errors))
    training = run(TrainingConfig(dtype="float32", steps=20))
    panel = lines(training_view(training))
    curves = {one.name: one for one in panel.series}
    assert curves.keys() >= {"b_K, SGD", "b_K, Adam", "b_V, Adam"}
    np.testing.assert_array_equal(panel.x, np.arange(training.norms.shape[1]))
    np.testing.assert_array_equal(curves["b_K, Adam"].values, np.float32(training.norms[1, :, 1]))
    assert (curves["b_K, SGD"].dashed, curves["b_K, Adam"].dashed) == (False, True)


def test_bars_have_no_curve() -> None:
    assert curve_view(run_after_norm(AfterNormConfig())) is None
    assert curve_view(run_mean(MeanConfig(doublings=10))) is not None


def test_tables_hold_the_numbers() -> None:
    config = BiasesConfig(tokens=HOSTILE)
    result, sizes = run_biases(config), run_bias_sizes(config.without_size())
    table = biases_table(result)
    assert [row[0] for row in table.rows] == ["b_Q", "b_K", "b_V", "b_O"]
    assert table.rows[0][4] == result.effects[0].output
    terms = terms_table(sizes, 5.0)
    assert len(terms.rows) == 4 * 36
    assert terms.rows[1][:5] == (1, 1, "<b>", 2, "%{z}")
    assert terms.rows[1][5] == float(sizes.terms[sizes.sizes.index(5.0), 0, 0, 0, 1])
    sweep = run(config.key_sweep(), experiment=steps_size_sweep)
    assert len(size_table(sweep).rows) == len(sweep.dtypes) * len(sweep.sizes)
    appendix = run_appendix(AppendixConfig())
    assert [row[1:] for row in curve_table(appendix).rows] == [dataclasses.astuple(row)[1:] for row in appendix.rows]


RESULTS = {
    "key-size": lambda: run(BiasesConfig().key_sweep(), experiment=steps_size_sweep),
    "shift": lambda: run_shift(BiasesSetting()),
    "norms": lambda: run_after_norm(AfterNormConfig()),
    "mean": lambda: run_mean(MeanConfig(doublings=10)),
    "training": lambda: run(TrainingConfig(dtype="float32", steps=10)),
    "appendix": lambda: run_appendix(AppendixConfig()),
}


@pytest.mark.parametrize("name", RESULTS)
def test_each_curve_is_drawn_under_its_title_and_said_in_words(name: str) -> None:
    result = RESULTS[name]()
    figure = biases_figure(result, mode="dark")
    assert figure.layout.title.text == CURVES[name]
    assert any(np.isfinite(np.asarray(trace.y, dtype=float)).any() for trace in figure.data)
    quoted = {format_number(value) for row in curve_table(result).rows for value in row if isinstance(value, float)}
    assert quoted & {word.strip(",;.") for word in curve_summary(result).split()}, "numbers that were measured"


def test_summaries_quote_the_numbers() -> None:
    result = run_appendix(AppendixConfig())
    for row in result.rows:
        assert format_number(row.float64) in curve_summary(result)
    assert "NaN" in curve_summary(run_shift(BiasesSetting()))
    with pytest.raises(TypeError, match="no curve"):
        curve_summary(1)
    with pytest.raises(TypeError, match="no table"):
        curve_table(1)


def test_the_appendix_is_drawn_beside_what_was_published() -> None:
    result = run_appendix(AppendixConfig())
    published, single, double = appendix_bars(result).data
    assert list(published.y) == [row.published for row in result.rows]
    assert list(single.y) == [row.float32 for row in result.rows]
    assert list(double.y) == [row.float64 for row in result.rows]


def test_tables_of_curves_hold_all_that_is_drawn() -> None:
    shift, mean = run_shift(BiasesSetting()), run_mean(MeanConfig(doublings=10))
    norms, training = run_after_norm(AfterNormConfig()), run(TrainingConfig(dtype="float32", steps=10))
    rows = curve_table(shift).rows
    assert len(rows) == shift.residuals.size
    assert rows[30][2] == shift.residuals[1, 2]
    assert [row[1] for row in curve_table(mean).rows] == list(mean.errors)
    assert [row[0] for row in curve_table(norms).rows] == ["none", "BatchNorm", "LayerNorm", "RMSNorm"]
    assert curve_table(training).rows[-1] == ("Adam", 10, *training.norms[1, -1])


def test_the_proof_quotes_what_was_measured() -> None:
    config = BiasesConfig(v_bias=False)
    result, sizes = run_biases(config), run_bias_sizes(config.without_size())
    steps = proof(result, sizes, config.size, run_shift(config.without_size()))
    text = " ".join(step.measured for step in steps)
    for role in ("q", "k", "o"):
        assert format_number(result.effect(role).gradient) in text
    assert format_number(sizes.spreads[-1, 2].max()) in steps[0].measured
    assert "is off" in steps[2].measured
    training = run(TrainingConfig(dtype="float32", steps=10))
    assert format_number(training.key_bias("Adam")) in training_step(training, training).measured


def test_a_view_is_exported_with_the_numbers_of_its_step() -> None:
    result = run_bias_sizes(BiasesSetting(tokens=HOSTILE))
    figure = view_figure(terms_view(result, "2"), 3, "dark")
    drawn = [trace.z for trace in figure.data if trace.showscale is not False]
    assert np.array_equal(drawn, np.float32(result.terms[3, :, 1]))
    assert "&lt;b&gt;" in figure.layout.xaxis.ticktext


def test_a_size_between_the_sliders_steps_is_drawn_at_its_own_step() -> None:
    before, after = BiasesConfig(), BiasesConfig(size=3.0)
    was, now = (run_bias_sizes(config.without_size()) for config in (before, after))
    assert now.sizes == (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0)
    sweep = terms_view(now).sweep
    assert sweep is not None
    assert sweep.values[5] == "3"
    np.testing.assert_array_equal(now.weights[[0, 1, 2, 3, 4, 6]], was.weights)
    moved = np.abs(now.weights[5] - was.weights[5]).max()
    assert f"weights by up to **{format_number(float(moved))}**" in biases_changed((before, was), (after, now))
    assert terms_table(now, 3.0).rows != terms_table(now, 5.0).rows
