"""What is drawn of complexity is what was counted and timed."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest

from attention_core.experiments.complexity import (
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    ComplexityResult,
    Fit,
    TimeCurves,
    TimesConfig,
    TimeShares,
    run_complexity,
)
from attention_core.experiments.verdict import Provenance
from attention_core.figures.complexity import (
    cell_of,
    complexity_table,
    complexity_view,
    lines_table,
    times_curves,
    times_said,
)
from attention_core.figures.matrix import BarsPanel, LinesPanel, MatrixPanel

PROVENANCE = Provenance(seed=0, dtype="float64", device="cpu")
MEDIAN = np.array([[1.0, 2.0, 4.0, np.nan], [1.0, 1.5, 2.0, 3.0], [3.0, 6.0, 12.0, np.nan]]) / 1000
FIT = Fit(1.25, 1.0, 1.5, 3)
CURVES = TimeCurves(
    config=TimesConfig(d_model=32),
    sizes=np.array([16, 32, 64, 128]),
    names=("explicit", "fused", "loop"),
    median=MEDIAN,
    low=MEDIAN * 0.9,
    high=MEDIAN * 1.2,
    flops=np.array([1.0, 2, 4, 8]),
    fits=(FIT, FIT, Fit(math.nan, math.nan, math.nan, 2)),
    flop_fits=(FIT, FIT, FIT),
    left_out=("explicit at n = 128: too long for 4 s.", "loop at n = 128: too long for 4 s."),
    spent=1.0,
    provenance=PROVENANCE,
)
SHARES = TimeShares(
    config=TimesConfig(sweep="shares"),
    sizes=np.array([32, 64]),
    widths=np.array([32, 64, 128]),
    share=np.array([[0.6, 0.8], [0.4, np.nan], [0.2, 0.5]]),
    flop_share=np.array([[0.33, 0.5], [0.2, 0.33], [0.11, 0.2]]),
    crossing=0.75,
    left_out=("core at n = 64, d_model = 64: too long for 4 s.",),
    spent=1.0,
    provenance=PROVENANCE,
)


@cache
def layer() -> ComplexityResult:
    return run_complexity(ComplexityConfig(num_queries=32, num_keys=64, d_model=32, num_heads=4))


def test_the_view_is_the_map_and_the_lines() -> None:
    shares, flops, _ = complexity_view(layer()).panels
    assert isinstance(shares, MatrixPanel)
    np.testing.assert_allclose(shares.values, layer().map_share, rtol=1e-6)
    assert shares.colour_limits == (0, 1)
    assert shares.rows.labels == tuple(f"{width:,}" for width in WIDTHS)
    assert shares.columns.labels == tuple(f"{size:,}" for size in TOKENS)
    assert shares.note == "Half where n = 2 · d_model."
    assert isinstance(flops, BarsPanel)
    np.testing.assert_allclose(flops.values, [line.counted / 1e6 for line in layer().lines], rtol=1e-6)
    assert flops.note == "Not counted: 8,192 exponentials of softmax. The weights fill 0.0625 MiB."
    assert flops.labels.labels == ("q", "k", "v", "scores", "weights", "context", "output")


def test_without_an_output_matrix_its_line_is_gone_and_the_half_has_moved() -> None:
    result = run_complexity(ComplexityConfig(no_output=True))
    shares, flops, _ = complexity_view(result).panels
    assert shares.note == "Half where n = 1.50 · d_model."
    assert "output" not in flops.labels.labels


def test_times_stand_beside_the_map() -> None:
    bars = complexity_view(layer(), CURVES).panels[2]
    assert bars.title == "Time at n = 64"
    assert bars.labels.labels == ("explicit", "fused", "loop")
    np.testing.assert_allclose(bars.values, [4, 2, 12])
    nothing = dataclasses.replace(CURVES, median=np.full((3, 4), np.nan))
    empty = complexity_view(layer(), nothing).panels[2]
    assert empty.values.size == 0
    assert empty.note == "No size was timed in all three ways."
    assert "takes" not in times_said(nothing)


def test_shares_of_time_stand_beside_those_of_the_flops_on_one_scale() -> None:
    counted, timed = complexity_view(layer(), SHARES).panels
    np.testing.assert_allclose(counted.values, SHARES.flop_share, rtol=1e-6)
    np.testing.assert_allclose(timed.values, SHARES.share, rtol=1e-6)
    assert counted.colour_limits == timed.colour_limits == (0, 1)
    assert "left out" in timed.note
    assert timed.rows.labels == counted.rows.labels == ("32", "64", "128")


def test_what_the_clock_said_in_words() -> None:
    said = times_said(CURVES)
    assert "explicit (trace): time ∝ n^1.25 (95 %: 1 to 1.50; FLOPs 1.25)." in said
    assert "For loop over heads there are too few sizes" in said
    assert "At n = 64, explicit (trace) takes 2 × as long as fused (forward)." in said
    assert "At n = 64, loop over heads takes 6 × as long as fused (forward)." in said
    assert "2 sizes were left out." in said
    assert "n = 0.750 · d_model" in times_said(SHARES)
    assert "1 size was left out." in times_said(SHARES)
    assert "No measured width" in times_said(dataclasses.replace(SHARES, crossing=math.nan))


def test_the_cell_of_a_config() -> None:
    assert cell_of(ComplexityConfig(num_queries=64, num_keys=64, d_model=32)) == (0, 1, 2)
    assert cell_of(layer().config) is None
    assert cell_of(ComplexityConfig(num_queries=65, num_keys=65)) is None
    assert cell_of(ComplexityConfig(d_model=24)) is None


def test_formula_and_counter_are_drawn_over_each_other() -> None:
    panel = complexity_view(layer()).panels[2]
    assert isinstance(panel, LinesPanel)
    by_name = {series.name: series for series in panel.series}
    for row, name in enumerate(("projections", "scores")):
        np.testing.assert_array_equal(by_name[f"{name}, formula"].values, np.float32(layer().formula_over_n[row]))
        np.testing.assert_array_equal(by_name[f"{name}, counter"].values, np.float32(layer().over_n[row]))
        assert by_name[f"{name}, formula"].dashed
        assert not by_name[f"{name}, counter"].dashed
    assert panel.log_x
    assert panel.log_y
    assert layer().crossing == 64
    assert "cross at 64 tokens" in panel.note


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_time_curves_leave_out_what_was_not_timed(mode: str) -> None:
    figure = times_curves(CURVES, mode=mode)
    assert [len(trace.x) for trace in figure.data] == [3, 4, 3]
    assert figure.data[0].name == "explicit (trace), ∝ n^1.25"
    assert figure.data[2].name == "loop over heads"
    np.testing.assert_allclose(figure.data[1].error_y.array, MEDIAN[1] * 0.2)


def test_share_curves_are_drawn_over_the_ratio() -> None:
    figure = times_curves(SHARES)
    assert figure.data[0].name == "FLOPs"
    np.testing.assert_allclose(figure.data[0].y, figure.data[0].x / (figure.data[0].x + 2))
    assert [list(trace.x) for trace in figure.data[1:]] == [[1, 2], [0.5], [0.25, 0.5]]


def test_tables_hold_every_number() -> None:
    counted = complexity_table(layer())
    assert len(counted.rows) == 3 * 7 + 63
    assert ("scores = q kᵀ", 32, 32, "counter", 2 * 32 * 64 * 32) in counted.rows
    timed = complexity_table(layer(), CURVES)
    assert len(timed.rows) == len(counted.rows) + 3 * 12
    assert ("fused (forward)", 128, 32, "seconds, median", 0.003) in timed.rows
    shares = complexity_table(layer(), SHARES)
    assert ("scores and weighted sum", 64, 128, "share of time", 0.5) in shares.rows
    assert "| q kᵀ | 2 n_t n_s d | 131,072 | 131,072 | 64 |" in lines_table(layer())
