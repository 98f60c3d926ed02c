"""What is said beside the pictures of biases, what cannot be drawn, and the exported curves."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from attention_core.experiments.biases import (
    AfterNormConfig,
    BiasesConfig,
    run_after_norm,
    run_bias_sizes,
    run_biases,
)
from attention_core.experiments.number_format import format_number
from attention_core.figures.biases import (
    appendix_view,
    biases_table,
    curve_summary,
    curve_table,
    norms_view,
    residual_view,
    shift_view,
    size_table,
    terms_table,
    terms_view,
)
from attention_core.figures.changes import biases_changed
from attention_core.figures.charts import panel_figure
from attention_core.figures.matrix import MatrixView
from tests.figures.views import SIX, of, view_of

OFF = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)


def test_constant_terms_are_marked() -> None:
    view, result = terms_view(of("terms"), of("biases"), "average"), of("terms")
    scores, weights = result.scores.mean(1), result.weights.mean(1)
    most = max(np.abs(result.terms.mean(2)).max(), np.abs(scores).max())
    assert [panel.colour_limits[1] for panel in view.panels[:5]] == [pytest.approx(most)] * 5
    np.testing.assert_allclose(view.panels[4].values, scores, rtol=1e-6)
    np.testing.assert_allclose(view.panels[5].values, weights, rtol=1e-6)
    np.testing.assert_allclose(sum(panel.values for panel in view.panels[:4]), scores, atol=1e-6 * most)
    assert view.signs == ("+", "+", "+", "=", "→")
    for i, panel in enumerate(view.panels[:4]):
        assert ("same along each row" in panel.note) == result.constant[i] == (i in (1, 3))
    assert view.sweep.values == ("0.100", "0.200", "0.500", "1", "2", "5")
    assert "cancels whatever is the same along a row: the two terms of the key bias" in view.summary
    rotary = terms(rotary=True)
    assert "the key bias is felt" in rotary.summary
    assert all("Differs along each row" in panel.note for panel in rotary.panels[:4])
    alone = terms(tokens=("a",))
    assert all("One key" in panel.note for panel in alone.panels[:4])
    assert "the only key has weight 1" in alone.summary
    beside = terms(tokens=("a",), zero_sink=True)
    assert all("but not for the sink" in panel.note for panel in beside.panels[:4])
    alike = terms(tokens=("a",) * 3)
    assert [panel.note for panel in alike.panels[:4]] == ["The same along each row."] * 4
    assert "all keys are equal, and so are their weights" in alike.summary


def terms(**settings: Any) -> MatrixView:
    """The four terms as the page draws them."""
    config = BiasesConfig(**settings)
    return terms_view(run_bias_sizes(config.without_size()), run_biases(config))


def test_where_a_precision_ends_is_named() -> None:
    sizes, result = view_of("biases sizes"), of("sweep")
    assert [panel.title for panel in sizes.panels] == ["float64", "float32", "bfloat16", "float16"]
    assert [bool(panel.warning) for panel in sizes.panels] == [False, False, False, True]
    for i, panel in enumerate(sizes.panels[1:3], 1):
        assert (
            panel.note
            == f"At the largest size a head’s weights move by up to {format_number(result.residuals[i, -1])}."
        )
    assert "slightly off in float32, wrong in bfloat16" in sizes.summary
    assert "NaN from ‖b_K‖" in sizes.panels[3].note
    assert "NaN in float16" in sizes.summary
    assert "NaN" in panel_figure(sizes.panels[3], len(result.sizes) - 1).layout.annotations[-1].text
    (panel,) = residual_view(result, at=5.0).panels
    assert "float16 is NaN from ‖b_K‖" in panel.note
    assert (panel.log_x, panel.log_y, panel.x[panel.marked]) == (True, True, 5.0)
    for one, bound in zip(panel.series[:4], panel.series[4:], strict=True):
        assert (one.dashed, bound.dashed, bound.listed) == (False, True, False)
        assert one.role == bound.role
    assert residual_view(result).panels[0].marked is None


def test_crosses_stand_where_naive_softmax_gives_its_last_number() -> None:
    shift = of("shift")
    assert "NaN" in shift_view(shift, naive=True).panels[0].note
    for i, ends in enumerate(shift_view(shift).panels[0].series[4:]):
        last = int(np.flatnonzero(np.isnan(shift.naive[i]))[0]) - 1
        assert ends.crosses
        assert np.flatnonzero(np.isfinite(ends.values)).tolist() == [last]
        assert ends.values[last] == np.float32(shift.residuals[i, last])


def test_bars_show_both_parts_and_what_was_published_and_say_what_is_missing() -> None:
    result, published = of("norms"), of("appendix")
    mean, rest = norms_view(result).panels
    assert mean.labels.labels == ("no norm", "BatchNorm", "LayerNorm", "RMSNorm")
    np.testing.assert_array_equal(rest.values, np.float32([one.rest for one in result.survivals]))
    assert mean.limits == rest.limits
    np.testing.assert_array_equal(mean.overlay[1], np.float32([one.bound for one in result.survivals]))
    alone = norms_view(run_after_norm(AfterNormConfig(tokens=("a",)))).panels[0]
    assert "more than one token" in alone.note
    still = [dataclasses.replace(one, mean_part=0.0, rest=0.0) for one in result.survivals[:1]]
    zero = norms_view(dataclasses.replace(result, survivals=(*still, *result.survivals[1:])))
    assert all("Exactly 0: no norm" in panel.note for panel in zero.panels)
    first, *others = published.rows
    none = dataclasses.replace(published, rows=(dataclasses.replace(first, float32=0.0, float64=0.0), *others))
    assert ["Exactly 0: output" in panel.note for panel in appendix_view(none).panels] == [
        False,
        True,
        True,
    ]
    for panel, name in zip(appendix_view(published).panels, ("published", "float32", "float64"), strict=True):
        np.testing.assert_array_equal(panel.values, np.float32([getattr(row, name) for row in published.rows]))


def test_tables_hold_the_numbers() -> None:
    result, sizes, shift, training = of("biases"), of("terms"), of("shift"), of("training")
    assert [row[0] for row in biases_table(result).rows] == ["b_Q", "b_K", "b_V", "b_O"]
    assert biases_table(result).rows[0][4] == result.effects[0].output
    terms = terms_table(sizes, 5.0)
    assert len(terms.rows) == 4 * 36
    assert terms.rows[1] == (1, 1, SIX[0], 2, SIX[1], float(sizes.terms[-1, 0, 0, 0, 1]), *terms.rows[1][6:])
    assert len(size_table(of("sweep")).rows) == of("sweep").residuals.size
    assert curve_table(shift).rows[30][2] == shift.residuals[1, 2]
    assert [row[1] for row in curve_table(of("mean")).rows] == list(of("mean").errors)
    assert curve_table(training).rows[-1] == ("Adam", 20, *training.norms[1, -1])
    published = of("appendix").rows
    assert [row[1:] for row in curve_table(of("appendix")).rows] == [
        dataclasses.astuple(row)[1:] for row in published
    ]
    for words in (curve_summary, curve_table):
        with pytest.raises(TypeError, match=r"no curve|no table"):
            words(1)


def test_a_size_between_the_sliders_steps_is_drawn_at_its_own_step() -> None:
    before, after = BiasesConfig(size=5.0), BiasesConfig(size=3.0)
    was, now = (run_bias_sizes(config.without_size()) for config in (before, after))
    assert now.sizes == (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0)
    assert terms_view(now, run_biases(after)).sweep.values[5] == "3"
    np.testing.assert_array_equal(now.weights[[0, 1, 2, 3, 4, 6]], was.weights)
    moved = np.abs(now.weights[5] - was.weights[5]).max()
    assert f"weights by up to **{format_number(float(moved))}**" in biases_changed((before, was), (after, now))
    assert terms_table(now, 3.0).rows != terms_table(now, 5.0).rows


def test_curves_that_lie_on_each_other_are_named() -> None:
    (panel,) = view_of("biases training").panels
    ends = {one.name: float(one.values[-1]) for one in panel.series}
    named = [name for name in ends if name in panel.note]
    assert named == [name for name, end in ends.items() if any(
        1 / 1.2 < end / other < 1.2 for which, other in ends.items() if which != name
    )]  # fmt: skip
    assert named
