"""What is said beside the pictures of biases, what cannot be drawn, and the exported curves."""

import dataclasses

import numpy as np
import pytest

from attention_core.measuring.number_format import format_number
from attention_core.studies.biases import (
    BiasesConfig,
    run_bias_sizes,
    run_biases,
)
from attention_core.studies.biases.draw import (
    appendix_view,
    biases_changed,
    curve_summary,
    curve_table,
    norms_view,
    residual_view,
    shift_view,
    size_table,
    terms_table,
    terms_view,
    training_view,
)
from tests.figures.views import of, view_of

OFF = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)


def test_four_terms_add_up_to_the_scores_and_those_that_are_constant_are_marked() -> None:
    view, result = terms_view(of("terms"), of("biases"), "average"), of("terms")
    scores, weights = result.scores.mean(1), result.weights.mean(1)
    most = max(np.abs(result.terms.mean(2)).max(), np.abs(scores).max())
    assert [panel.colour_limits[1] for panel in view.panels[:5]] == [pytest.approx(most)] * 5
    np.testing.assert_allclose(view.panels[4].values, scores, rtol=1e-6)
    np.testing.assert_allclose(view.panels[5].values, weights, rtol=1e-6)
    np.testing.assert_allclose(sum(panel.values for panel in view.panels[:4]), scores, atol=1e-6 * most)
    assert [("same along each row" in panel.note) for panel in view.panels[:4]] == [False, True, False, True]


def test_where_a_precision_ends_is_named() -> None:
    sizes, result = view_of("biases sizes"), of("sweep")
    assert [bool(panel.warning) for panel in sizes.panels] == [False, False, False, True]
    for i, panel in enumerate(sizes.panels[1:3], 1):
        assert (
            panel.note
            == f"At the largest size a head’s weights move by up to {format_number(result.residuals[i, -1])}."
        )
    (panel,) = residual_view(result, at=5.0).panels
    assert panel.x[panel.marked] == 5.0
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
    shift, training, sweep = of("shift"), of("training"), of("sweep")
    assert size_table(sweep).rows[-1][:2] == ("float16", 1e6)
    assert size_table(sweep).rows[29][1:] == (
        0.002,
        sweep.residuals[1, 1],
        sweep.bounds[1, 1],
        sweep.nan_shares[1, 1],
    )
    assert curve_table(shift).rows[30] == ("float32", shift.shifts[2], *(
        part[1, 2] for part in (shift.residuals, shift.bounds, shift.naive)
    ))  # fmt: skip
    assert curve_table(training).rows[-1] == ("Adam", 20, *training.norms[1, -1])
    assert [row[1:] for row in curve_table(of("appendix")).rows] == [
        (row.published, row.float32, row.float64) for row in of("appendix").rows
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
    ends = np.array([[1.0, 1.15, 1.3, 3.0], [3.7, 5.0, 9.0, 0.0]])  # 1.2 times as large is apart
    norms = np.broadcast_to(ends[:, None], (2, 21, 4))
    (panel,) = training_view(dataclasses.replace(of("training"), norms=norms)).panels
    assert panel.note == "Nearly one line: b_Q (SGD), b_K (SGD) and b_V (SGD)."


def test_which_norm_leaves_least_is_not_left_to_rounding() -> None:
    result = of("norms")
    for less in ("BatchNorm", "LayerNorm"):
        survivals = [dataclasses.replace(one, mean_part=0.0) if one.norm == less else one for one in result.survivals]
        said = curve_summary(dataclasses.replace(result, survivals=tuple(survivals)))
        assert said.split()[0] == "LayerNorm"
