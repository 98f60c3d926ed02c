import json
from dataclasses import replace

import numpy as np
import pytest

from attention_core.figures.charts import panel_figure
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Series,
    Sweep,
)
from attention_core.figures.panels import data_limits
from attention_core.figures.theme import HIDDEN, ROLE_COLOURS, SCALES

HOSTILE = ("<b>bold</b>", "%{z}", "$x$", '"""', ":red[x]")


def panel(values, **changes) -> MatrixPanel:
    values = np.asarray(values)
    rows, columns = values.shape[-2:]
    given = {
        "title": "Weights",
        "rows": Axis(title="query", labels=tuple(f"q{i}" for i in range(rows)), role="query"),
        "columns": Axis(title="key", labels=tuple(f"k{i}" for i in range(columns)), role="key"),
        "quantity": "weight",
        "scale": "sequential",
    }
    return MatrixPanel(values=values, **(given | changes))


def test_numbers_are_kept_as_a_read_only_float32_copy():
    given = np.arange(6, dtype=np.float64).reshape(2, 3)
    kept = panel(given).values
    given[0, 0] = 99
    assert kept.dtype == np.float32
    assert kept[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 1


@pytest.mark.parametrize(
    ("values", "scale", "limits"),
    [
        ([[0.2, 0.7]], "sequential", (0.0, 0.7)),
        ([[0.5, 0.5]], "sequential", (0.0, 0.5)),
        ([[0.0, 0.0]], "sequential", (0.0, 1.0)),
        ([[-1e-9, 0.5]], "sequential", (-1e-9, 0.5)),
        ([[-3.0, -1.0]], "sequential", (-3.0, 0.0)),
        ([[-1.0, 3.0]], "diverging", (-3.0, 3.0)),
        ([[2.0, 3.0]], "diverging", (-3.0, 3.0)),
        ([[0.0, 0.0]], "diverging", (-1.0, 1.0)),
        ([[np.nan, np.inf, 2.0]], "diverging", (-2.0, 2.0)),
        ([[np.nan, -np.inf]], "sequential", (0.0, 1.0)),
    ],
)
def test_the_range_of_colours_comes_from_the_data(values, scale, limits):
    assert panel(values, scale=scale).colour_limits == pytest.approx(limits, rel=1e-6)


def test_given_limits_win_so_that_panels_can_share_a_scale():
    assert panel([[0.1]], limits=(0.0, 1.0)).colour_limits == (0.0, 1.0)


def test_the_range_is_that_of_all_steps_of_a_sweep_and_leaves_hidden_cells_out():
    values = np.array([[[1.0, 9.0]], [[4.0, 9.0]]])
    assert panel(values).colour_limits == (0.0, 9.0)
    assert panel(values, hidden=np.array([[False, True]])).colour_limits == (0.0, 4.0)


def test_infinities_under_the_mask_are_no_news_and_others_are_named():
    values = np.array([[0.0, -np.inf], [np.nan, np.inf]])
    assert panel(np.array([[0.0, -np.inf]]), hidden=np.array([[False, True]])).warning == ""
    assert panel(values).warning == "Of 4 values 1 is NaN and 2 are infinite: no colour stands for them."
    swept = panel(np.array([[[0.0, 1.0]], [[np.nan, 1.0]], [[np.nan, np.nan]]]))
    assert swept.warning == "At 2 of 3 steps values are NaN: no colour stands for them."


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": Axis(title="query", labels=("one",))},
        {"hidden": np.zeros((1, 2), bool)},
        {"limits": (1.0, 1.0)},
        {"limits": (0.0, float("nan"))},
    ],
)
def test_a_panel_that_does_not_fit_together_is_refused(changes):
    with pytest.raises(ValueError, match="Weights"):
        panel(np.zeros((2, 2)), **changes)


def test_bars_take_their_range_from_bars_and_curve_and_refuse_what_does_not_fit():
    given = {
        "title": "Scores",
        "values": np.array([1.0, 0.5]),
        "labels": Axis(title="score", labels=()),
        "quantity": "density",
        "edges": np.array([0.0, 1.0, 2.0]),
        "overlay": (np.array([0.0, 1.0]), np.array([0.5, 2.0])),
        "overlay_name": "N",
    }
    bars = BarsPanel(**given)
    assert bars.height_limits == (0.0, 2.0)
    assert bars.steps is None
    for wrong in [
        {"edges": np.array([0.0, 1.0])},
        {"edges": None},
        {"overlay_name": ""},
        {"overlay": (np.array([0.0, 1.0]), np.array([0.5]))},
        {"labels": Axis(title="score", labels=("one",))},
    ]:
        with pytest.raises(ValueError, match="Scores"):
            BarsPanel(**(given | wrong))


def log_bars(*values, **changes) -> BarsPanel:
    labels = Axis(title="bias", labels=tuple("abc"[: len(values)]))
    return BarsPanel(title="Sizes", values=np.array(values), labels=labels, quantity="size", log_y=True, **changes)


def test_on_a_log_axis_the_smallest_bar_can_be_seen_and_zero_has_none():
    assert log_bars(0.0, 2e-3, 5.0).height_limits == pytest.approx((1e-3, 5.0))
    assert log_bars(1e-3, 5.0).height_limits == pytest.approx((1e-4, 5.0))
    for nothing in (log_bars(), log_bars(0.0), log_bars(np.nan)):
        low, high = nothing.height_limits
        assert 0 < low < high < np.inf
    with pytest.raises(ValueError, match="above 0 on a log axis"):
        log_bars(1.0, limits=(0.0, 1.0))


def test_each_bar_may_wear_a_role_of_its_own():
    assert log_bars(1.0, 2.0, role=("query", "key")).role == ("query", "key")
    with pytest.raises(ValueError, match="one for each of the 2"):
        log_bars(1.0, 2.0, role=("query",))


def lines(values, **changes) -> LinesPanel:
    given = {"title": "Curve", "x": np.array([1.0, 2.0, 4.0]), "x_title": "d", "y_title": "y"}
    return LinesPanel(series=(Series(name="s", values=np.array(values)),), **(given | changes))


def test_a_log_axis_takes_its_range_from_what_it_can_show_and_names_the_rest():
    curve = lines([0.0, 1e-3, 10.0], log_y=True)
    assert curve.y_limits == pytest.approx((1e-3, 10.0))
    assert curve.warning == "1 of 3 values are not above 0, so a log axis cannot show them."
    assert lines([0.0, 1e-3, 10.0]).y_limits == (0.0, 10.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"x": np.array([1.0, 1.0, 2.0])},
        {"x": np.array([0.0, 1.0, 2.0]), "log_x": True},
        {"x": np.array([1.0, 2.0])},
        {"limits": (2.0, 1.0)},
        {"limits": (0.0, 1.0), "log_y": True},
        {"marked": 3},
        {"marked": -1},
    ],
)
def test_curves_that_cannot_be_drawn_are_refused(changes):
    with pytest.raises(ValueError, match="Curve"):
        lines([1.0, 2.0, 3.0], **changes)


def test_a_swept_panel_needs_a_sweep_of_as_many_steps():
    swept = panel(np.zeros((3, 2, 2)))
    sweep = Sweep(name="d", label="Size", values=("1", "2", "4"))
    assert MatrixView(panels=(swept,), summary="s", sweep=sweep).steps == 3
    with pytest.raises(ValueError, match="3 steps"):
        MatrixView(panels=(swept,), summary="s")
    with pytest.raises(ValueError, match="3 steps"):
        MatrixView(panels=(swept,), summary="s", sweep=Sweep(name="d", label="Size", values=("1", "2")))


def test_an_empty_view_and_an_empty_sweep_are_refused():
    for wrong in [{"panels": (), "summary": "s"}, {"panels": (panel(np.zeros((1, 1))),), "summary": ""}]:
        with pytest.raises(ValueError, match="at least one panel"):
            MatrixView(**wrong)
    with pytest.raises(ValueError, match="no steps"):
        Sweep(name="d", label="Size", values=())


@pytest.mark.parametrize("front", [0, 2])
def test_the_panels_in_front_are_some_of_the_views(front):
    with pytest.raises(ValueError, match="front"):
        MatrixView(panels=(panel(np.zeros((1, 1))),), summary="s", front=front)


def test_what_is_not_in_front_is_a_second_look():
    panels = tuple(panel(np.full((1, 1), float(at))) for at in range(3))
    whole = MatrixView(panels=panels, summary="s", front=2)
    front, others = whole.split()
    assert (front.panels, others.panels) == (panels[:2], panels[2:])
    for view in (MatrixView(panels=panels, summary="s"), replace(whole, front=3)):
        assert view.split() == (view, None)


def test_a_view_without_a_sweep_has_one_state():
    assert MatrixView(panels=(panel(np.zeros((1, 1))),), summary="s").steps == 1


def test_a_band_belongs_to_its_curve_and_counts_for_the_range():
    x = np.array([1.0, 2.0])
    banded = Series(name="s", values=x, band=(x / 2, x * 2))
    assert LinesPanel(title="Curve", x=x, x_title="d", y_title="y", series=(banded,)).y_limits == (0.0, 4.0)
    with pytest.raises(ValueError, match="band"):
        Series(name="s", values=x, band=(x, x[:1]))


def test_curves_name_what_no_point_stands_for():
    assert lines([1.0, np.nan, np.inf]).warning.startswith("Of 3 values 1 is NaN and 1 is infinite")
    assert lines([1.0, 2.0, 3.0], log_y=True).warning == ""
    assert lines([5.0, 5.0, 5.0], log_y=True).y_limits == pytest.approx((5 / 3, 15.0))


def test_bars_name_what_no_bar_stands_for():
    labels = Axis(title="key", labels=("a", "b"))
    bars = BarsPanel(title="Weights", values=np.array([np.nan, 1.0]), labels=labels, quantity="weight")
    assert bars.warning == "Of 2 values 1 is NaN: no colour stands for them."
    assert bars.height_limits == (0.0, 1.0)


def test_a_view_knows_its_cells():
    view = MatrixView(panels=(panel(np.zeros((2, 3))), lines([1.0, 2.0, 3.0])), summary="s")
    assert view.cell_exists(0, 1, 2)
    for cell in [(0, 2, 0), (0, 0, 3), (0, -1, 0), (-1, 0, 0), (1, 0, 0), (2, 0, 0)]:
        assert not view.cell_exists(*cell)


# ---- the Plotly face ----


def test_the_heatmap_draws_the_panels_numbers_range_and_colours():
    values = np.random.default_rng(0).random((3, 2, 5))
    drawn = panel(values, limits=(0.0, 2.0))
    heatmap = panel_figure(drawn, step=1, mode="dark").data[0]
    np.testing.assert_array_equal(heatmap.z, drawn.values[1])
    assert heatmap.z.dtype == np.float32
    assert (heatmap.zmin, heatmap.zmax) == drawn.colour_limits
    assert tuple(colour for _, colour in heatmap.colorscale) == SCALES["dark"]["sequential"]
    assert heatmap.colorbar.title.text == "weight"


def test_queries_run_from_top_to_bottom_with_labelled_axes_in_their_colours():
    figure = panel_figure(panel(np.zeros((3, 2))))
    assert figure.layout.yaxis.autorange == "reversed"
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("query", "key")
    assert figure.layout.yaxis.tickfont.color == ROLE_COLOURS["light"]["query"]
    assert tuple(figure.layout.yaxis.ticktext) == ("q0", "q1", "q2")


def test_tokens_are_literal_text_on_numeric_positions():
    axis = Axis(title="key", labels=(*HOSTILE, *HOSTILE), role="key")
    figure = panel_figure(panel(np.zeros((2, 10)), columns=axis))
    assert list(figure.layout.xaxis.tickvals) == list(range(10))  # equal tokens keep their own column
    texts = [*figure.layout.xaxis.ticktext, *figure.data[0].text[0]]
    assert not any(mark in text for text in texts for mark in ("<", "%", "$"))
    assert figure.layout.xaxis.ticktext[0] == "&lt;b&gt;bold&lt;/b&gt;"


def test_masked_cells_are_drawn_in_their_own_colour_and_never_as_numbers():
    hidden = np.array([[False, True], [False, False]])
    figure = panel_figure(panel([[1.0, -np.inf], [0.5, 0.5]], hidden=hidden))
    weights, mask = figure.data
    np.testing.assert_array_equal(np.isnan(weights.z), hidden)
    np.testing.assert_array_equal(~np.isnan(mask.z), hidden)
    assert mask.colorscale[0][1] == HIDDEN["light"]


def test_numbers_that_have_no_colour_are_named_in_the_figure():
    figure = panel_figure(panel([[np.nan, 1.0]], note="A note."))
    assert figure.layout.annotations[0].text.startswith("A note. Of 2 values 1 is NaN")


def test_a_large_matrix_does_not_carry_a_text_for_each_cell():
    small, large = panel(np.zeros((4, 4))), panel(np.zeros((200, 200)))
    assert panel_figure(small).data[0].text is not None
    assert panel_figure(large).data[0].text is None
    assert len(json.dumps(panel_figure(large).to_plotly_json(), default=str)) < 225_000  # 213 kB of float32 as base64


def test_data_limits_of_nothing_finite_are_still_a_range():
    assert data_limits(np.array([], np.float32), "diverging") == (-1.0, 1.0)
