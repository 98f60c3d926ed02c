"""The cache's picture fills one row with each step, and where the sliders stand."""

import numpy as np

from attention_core.measuring.number_format import format_number
from attention_core.studies.variants import (
    VariantsConfig,
    run_variants,
)
from attention_core.studies.variants.draw import (
    saving_view,
    together,
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


def test_groups_that_are_mixed_up_are_wired_in_turn() -> None:
    config = VariantsConfig(tiled=True)
    grouped = variants_view(config, run_variants(config), "wiring").panels[1]
    assert grouped.at(1).edges[0].ends[:, 2].tolist() == [1.5, 5.5] * 4


def test_what_an_output_takes_grows_by_a_row_with_each_word() -> None:
    view, result = view_of("variants queries"), of("variants")
    assert view.steps == len(VARIANTS.tokens)
    for panel, whole in zip(view.panels, (*result.takes, result.keeps), strict=True):
        np.testing.assert_allclose(panel.values[-1], whole, rtol=1e-6)
        assert not panel.values[1, 2:].any()
        np.testing.assert_allclose(panel.values[1, :2], whole[:2], rtol=1e-6)
    long = VariantsConfig(tokens=tuple(f"w{i}" for i in range(11)), causal=True)
    assert variants_view(long, run_variants(long), "queries").steps == 8
