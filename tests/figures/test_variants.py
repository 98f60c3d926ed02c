"""The cache's picture fills one row with each step, and where the sliders stand."""

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.experiments.variants import (
    KV_HEADS,
    LENGTHS,
    CrossingConfig,
    CrossingResult,
    VariantsConfig,
    run_variants,
)
from attention_core.experiments.variants.crossing import TIMED
from attention_core.figures.variants import (
    crossing_view,
    proof,
    saving_view,
    together,
    variants_table,
    variants_view,
)
from tests.figures.views import VARIANTS, of, view_of


def test_each_step_of_the_cache_shows_one_row_more() -> None:
    view, result, n = view_of("variants cache"), of("variants"), len(VARIANTS.tokens)
    keys, weights, _ = view.panels
    assert view.steps == n
    for step in range(n):
        for shown, whole in ((keys.values, result.keys), (weights.values, result.steps.mean(0))):
            np.testing.assert_allclose(shown[step, : step + 1], whole[: step + 1], rtol=1e-6, atol=1e-12)
            assert not shown[step, step + 1 :].any()
    assert keys.note == "As many values are kept too: 512 bytes for each word."
    assert f"by up to {format_number(float(result.moved.max()))}." in view.summary, "its place is lost"
    exact = VariantsConfig(positions="rotary")
    assert variants_view(exact, run_variants(exact), "cache").summary.startswith("Read word by word")


def test_the_sliders_walk_heads_and_lengths() -> None:
    # float64: 8 bytes, of a key and of a value, 8 numbers a head
    wanted = [f"{number} ({8 * 2 * 8 * number:,} bytes of each word)" for number in KV_HEADS]
    assert list(view_of("variants").sweep.values) == wanted
    assert view_of("variants wiring").sweep.values == ("1", "2", "4", "8"), "a bar says the bytes"
    full, _, one, linear = (panel.note for panel in view_of("variants").panels)
    assert (full, one) == ("Keeps 1,024 bytes of each word.", "Keeps 128 bytes of each word.")
    assert linear == "Keeps 4,608 bytes in all.", "8 heads of 8 · (8 + 1) numbers"
    lengths = view_of("variants bytes")
    assert lengths.sweep.values == ("1 k", "2 k", "4 k", "8 k", "16 k", "32 k", "64 k", "128 k")
    bars, result = lengths.panels[1].values, of("variants")
    for i, length in enumerate(LENGTHS):
        expected = [*result.cache_bytes(length), result.state_bytes]
        np.testing.assert_allclose(bars[i], np.array(expected) / 1024, rtol=1e-6)
    assert [one.name for one in lengths.panels[0].series if not one.dashed] == ["4 heads", "linear, its sums"]
    assert len({*zip((one.role for one in lengths.panels[0].series), lengths.panels[0].strokes, strict=True)}) == 4


def test_numbers_of_one_formula_say_of_which_variant_each_is() -> None:
    lines = proof(VARIANTS, of("variants"))[-1].measured.split("  \n")
    assert len(lines) == len({line.partition("`")[0] for line in lines}) == 6


def test_what_is_hidden_is_said_and_what_is_switched_is_told() -> None:
    config = VariantsConfig(causal=True, quadratic=True)
    result = run_variants(config)
    assert variants_view(config, result, "weights").panels[0].hidden.sum() == 6 * 5 / 2
    assert "nothing is won" in variants_view(config, result, "operations").summary
    rows = {row[:2]: row[2] for row in variants_table(config, result).rows}
    assert rows["1 heads of keys", "bytes of the cache of 1,024 tokens"] == 2 * 8 * 8 * 1024
    assert len([name for name, _ in rows if name.endswith("heads of keys")]) == 4 * 3 + 8 * len(KV_HEADS)


def test_measured_times_are_drawn_with_their_quartiles_and_the_crossing_is_said() -> None:
    median = np.array([[1.0, 2, 4, 8, 16, *[np.nan] * 5], [4.0] * 6 + [np.nan] * 4]) / 1000
    made = {"sizes": np.array(TIMED), "median": median, "low": median * 0.9, "high": median * 1.2}
    times = CrossingResult.of(CrossingConfig(), crossing=256.0, **made)
    view = crossing_view(times)
    softmax, linear = view.panels[0].series
    np.testing.assert_allclose(view.panels[0].x, TIMED[:6])
    np.testing.assert_allclose(linear.values, median[1, :6], rtol=1e-6)
    np.testing.assert_allclose(softmax.band[1], 1.2 * median[0, :6], rtol=1e-6)
    assert view.summary == "From about 256 tokens on linear attention takes less time here."
    assert view.summary in proof(VARIANTS, of("variants"), times)[5].measured
    assert "there is none" in crossing_view(CrossingResult.of(CrossingConfig(), crossing=np.nan, **made)).summary
    assert "At each length" in crossing_view(CrossingResult.of(CrossingConfig(), crossing=8.0, **made)).summary


def test_differences_that_rounding_leaves_are_drawn_below_what_it_may_leave() -> None:
    config = VariantsConfig()
    result = run_variants(config)
    bound = result.verdict("cache-exact.token").bound
    assert result.moved.max() < bound / 2
    bars = variants_view(config, result, "cache").panels[2]
    x, y = bars.overlay
    assert (x.tolist(), bars.overlay_name) == ([-0.5, 5.5], "what rounding may leave")
    np.testing.assert_allclose(y, bound, rtol=1e-6)
    assert bars.height_limits[1] > bound
    lost = view_of("variants cache").panels[2]
    assert lost.height_limits[1] > of("variants").moved.max() > lost.overlay[1][0]


def test_what_shared_heads_lose_is_said_and_drawn_beside_what_they_save() -> None:
    config = VariantsConfig(num_kv_heads=2)
    result = run_variants(config)
    summary = variants_view(config, result).summary
    assert f"outputs are {result.distances[1]:.0%} of their length away" in summary
    assert "keeps 25.0%" in summary
    bars = variants_view(config, result, "bytes").panels[3]
    np.testing.assert_allclose(bars.values, result.distances, rtol=1e-6)
    full = VariantsConfig(num_kv_heads=8)
    assert "nothing is saved or lost" in variants_view(full, run_variants(full)).summary


def test_what_a_cache_saves_is_drawn_over_the_words() -> None:
    config = VariantsConfig(num_kv_heads=2)
    result = run_variants(config)
    view = saving_view(config, result)
    costs, takes = view.panels
    whole, step = costs.series
    np.testing.assert_allclose(whole.values, result.pass_flops, rtol=1e-6)
    np.testing.assert_allclose(step.values, result.step_flops, rtol=1e-6)
    assert whole.values[0] == step.values[0], "the first word has nothing before it"
    assert (whole.values[1:] > step.values[1:]).all()
    np.testing.assert_allclose(takes.series[0].values, [256 * n for n in range(1, 7)])
    share = step.values[-1] / whole.values[-1]
    assert view.summary.startswith("For 6 words the cache keeps 1,536 bytes; ")
    assert f"the last one costs {share:.0%} of the whole pass" in view.summary
    assert together([view, view]).panels == (*view.panels, *view.panels)
    one = VariantsConfig(tokens=("one",))
    assert "For 1 word" in saving_view(one, run_variants(one)).summary


def test_the_wiring_joins_each_head_of_queries_to_the_keys_it_reads_and_says_their_bytes() -> None:
    view = variants_view(VARIANTS, of("variants"), "wiring")
    full, grouped, one, linear = view.panels
    assert view.steps == grouped.steps == 4
    assert {tuple(panel.layers.labels) for panel in view.panels} == {("keys, values", "queries")}
    # In its row the keys of a group stand below the middle of the heads that share them.
    wires = ([3.5] * 8, [1.5] * 4 + [5.5] * 4, [0.5, 0.5, 2.5, 2.5, 4.5, 4.5, 6.5, 6.5], [0, 1, 2, 3, 4, 5, 6, 7])
    for step, below in enumerate(wires):
        (edges,), (queries, boxes) = grouped.at(step).edges, grouped.at(step).nodes
        assert edges.ends.tolist() == [[1, head, at] for head, at in enumerate(below)]
        assert boxes.at.tolist() == [[0, at] for at in sorted(set(below))]
        assert (boxes.boxes, queries.boxes) == (("key", "value"), ())
        assert grouped.at(step).gauge.says == (f"{128 * 2**step:,} bytes of each word",)
        assert grouped.at(step).gauge.values.tolist() == [128 * 2**step]
    assert full.edges[0].ends[:, 2].tolist() == linear.edges[0].ends[:, 2].tolist() == wires[3]
    assert one.edges[0].ends[:, 2].tolist() == wires[0]
    assert (full.gauge.most, linear.gauge.values.tolist()) == (1024, [0])
    assert linear.note == "Each head keeps sums over all words: 4,608 bytes in all."


def test_groups_that_are_mixed_up_are_wired_in_turn() -> None:
    config = VariantsConfig(tiled=True)
    grouped = variants_view(config, run_variants(config), "wiring").panels[1]
    assert grouped.at(1).edges[0].ends[:, 2].tolist() == [1.5, 5.5] * 4
