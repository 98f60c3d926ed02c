"""What is said of counts and times, the cell of a config, and the exported curves."""

import dataclasses
import math

import numpy as np

from attention_core.experiments.complexity import TOKENS, WIDTHS, ComplexityConfig, Fit, run_complexity
from attention_core.figures.complexity import (
    cell_of,
    complexity_table,
    complexity_view,
    lines_table,
    times_curves,
    times_said,
)
from attention_core.figures.theme import SCALES
from tests.figures.times import CURVES, MEDIAN, SHARES
from tests.figures.views import of, view_of


def test_the_map_and_the_lines_say_where_the_half_is_and_what_is_not_counted() -> None:
    shares, flops, over_n = view_of("complexity").panels
    assert shares.rows.labels == tuple(f"{width:,}" for width in WIDTHS)
    assert shares.columns.labels == tuple(f"{size:,}" for size in TOKENS)
    assert shares.note == "Half where n = 2 · d_model."
    np.testing.assert_allclose(flops.values, [line.counted / 1e6 for line in of("complexity").lines], rtol=1e-6)
    assert "Not counted: 8,192 exponentials of softmax. The weights fill 0.0625 MiB." in flops.note
    assert flops.labels.labels == ("q", "k", "v", "scores", "weights", "context", "output")
    assert (over_n.log_x, over_n.log_y) == (True, True)
    assert [one.name for one in over_n.series if one.pointed] == ["projections", "scores"], "named where they end"
    assert [one.name for one in over_n.series if one.dashed] == ["projections, by formula", "scores, by formula"]
    assert not any(one.listed for one in over_n.series if one.dashed), "no legend beside two names"
    assert f"cross at {of('complexity').crossing} tokens" in over_n.note
    shares, flops, _ = complexity_view(run_complexity(ComplexityConfig(no_output=True))).panels
    assert shares.note == "Half where n = 1.50 · d_model."
    assert "output" not in flops.labels.labels


def test_times_stand_beside_the_map() -> None:
    bars = view_of("complexity times").panels[2]
    assert bars.title == "Time at n = 64"
    assert bars.labels.labels == ("explicit", "fused", "loop")
    np.testing.assert_allclose(bars.values, [4, 2, 12])
    nothing = dataclasses.replace(CURVES, median=np.full((3, 4), np.nan))
    empty = complexity_view(of("complexity"), nothing).panels[2]
    assert empty.values.size == 0
    assert empty.note == "No size was timed in all three ways."
    assert "takes" not in times_said(nothing)
    counted, timed = view_of("complexity shares").panels
    np.testing.assert_allclose(counted.values, SHARES.flop_share, rtol=1e-6)
    np.testing.assert_allclose(timed.values, SHARES.share, rtol=1e-6)
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


def test_an_exponent_whose_interval_holds_n_and_n_squared_is_none() -> None:
    vague = dataclasses.replace(CURVES, fits=(Fit(0.404, -1.77, 2.58, 3), Fit(1.5, 1.0, 2.0, 3), CURVES.fits[2]))
    said = times_said(vague)
    assert "explicit (trace): these times cannot tell how they grow with n: an exponent" in said
    assert "fused (forward): these times cannot tell" in said
    assert "0.404" not in said


def test_the_cell_of_a_config() -> None:
    assert cell_of(ComplexityConfig(num_queries=64, num_keys=64, d_model=32)) == (0, 1, 2)
    for none in ({"num_queries": 32, "num_keys": 64}, {"num_queries": 65, "num_keys": 65}, {"d_model": 24}):
        assert cell_of(ComplexityConfig(**none)) is None


def test_the_exported_curves_leave_out_what_was_not_timed() -> None:
    figure = times_curves(CURVES, mode="dark")
    assert [len(trace.x) for trace in figure.data] == [3, 4, 3]
    assert figure.data[0].name == "explicit (trace), ∝ n^1.25"
    assert figure.data[2].name == "loop over heads"
    np.testing.assert_allclose(figure.data[1].error_y.array, MEDIAN[1] * 0.2)
    flops, *timed = times_curves(SHARES).data
    assert flops.name == "FLOPs"
    np.testing.assert_allclose(flops.y, flops.x / (flops.x + 2))
    assert [list(trace.x) for trace in timed] == [[1, 2], [0.5], [0.25, 0.5]]
    assert timed[0].line.color == SCALES["light"]["sequential"][2], "not so pale that paper hides it"


def test_tables_hold_every_number() -> None:
    counted = complexity_table(of("complexity"))
    assert len(counted.rows) == 3 * 7 + 63
    assert ("scores = q kᵀ", 32, 32, "counter", 2 * 32 * 64 * 32) in counted.rows
    timed = complexity_table(of("complexity"), CURVES)
    assert len(timed.rows) == len(counted.rows) + 3 * 12
    assert ("fused (forward)", 128, 32, "seconds, median", 0.003) in timed.rows
    shares = complexity_table(of("complexity"), SHARES)
    assert ("scores and weighted sum", 64, 128, "share of time", 0.5) in shares.rows
    assert "| q kᵀ | 2 n_t n_s d | 131,072 | 131,072 | 64 |" in lines_table(of("complexity"))


def test_a_fused_kernel_is_told_by_what_it_gives_and_holds_and_not_by_a_count() -> None:
    sizes = {"num_queries": 200, "num_keys": 300, "d_model": 32, "num_heads": 4, "device": "cpu", "dtype": "float64"}
    result, written_out = (run_complexity(ComplexityConfig(fused=fused, **sizes)) for fused in (True, False))
    assert result.fused_apart <= result.fused_rounding < 1e-10
    assert result.largest_made == 300 * 32 * 8, "keys or values: no tensor is larger"
    assert written_out.largest_made == 4 * 200 * 300 * 8 == result.weights_bytes
    said = complexity_view(result).summary
    assert "differs by no more than rounding and never stores the weights" in said
    assert "its largest tensor has 75 KiB, they have 1,875" in said
    assert "does not look inside" in said
    wrong = dataclasses.replace(result, fused_apart=0.5, largest_made=result.weights_bytes)
    assert "differs by more than rounding; its" in complexity_view(wrong).summary
    assert "never holds" not in complexity_view(wrong).summary, "on a device without one"
    assert "fused kernel" not in complexity_view(written_out).summary


def test_an_exponent_that_times_do_not_tell_is_not_said() -> None:
    for low, high, said in ((-1.77, 2.58, False), (0.9, 1.85, True), (0.9, 1.95, False)):
        fits = (dataclasses.replace(CURVES.fits[0], exponent=1.4, low=low, high=high), *CURVES.fits[1:])
        times = dataclasses.replace(CURVES, fits=fits)
        assert ("explicit (trace): time ∝ n^1.40" in times_said(times)) == said
        assert ("explicit (trace): these times cannot tell how they grow with n" in times_said(times)) != said
        assert (times_curves(times).data[0].name == "explicit (trace), ∝ n^1.40") == said
