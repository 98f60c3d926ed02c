"""How shuffles are drawn: what is measured is what stands on screen, and orders are where the chips are."""

import numpy as np
import pytest

from attention_core.experiments.permutation import (
    PermutationConfig,
    ShuffleConfig,
    run_depth,
    run_permutation,
    run_shuffle,
    steps_blocks,
    steps_order,
)
from attention_core.experiments.run import run
from attention_core.figures import permutation as draw

CONFIG = ShuffleConfig(tokens=("a", "b", "c"), query_order=(2, 0, 1), key_order=(1, 2, 0))


def test_the_panels_hold_the_numbers_in_the_order_of_the_tokens() -> None:
    result = run_shuffle(CONFIG)
    before, after, undone, left = draw.shuffle_view(CONFIG, result).panels
    np.testing.assert_allclose(before.values, result.weights_before.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(after.values, result.weights_after.mean(axis=0), rtol=1e-6)
    difference = result.weights_undone.mean(axis=0) - result.weights_before.mean(axis=0)
    np.testing.assert_allclose(left.values, difference, rtol=1e-6)
    assert (after.rows.labels, after.columns.labels) == (("c", "a", "b"), ("b", "c", "a"))
    assert before.rows.labels == undone.columns.labels == ("a", "b", "c")
    assert draw.shuffle_view(CONFIG, result).panels[draw.AFTER].title == after.title
    assert left.limits == (-result.bound, result.bound)
    assert draw.shuffle_view(CONFIG, result, panels=(0, 3)).panels[1].title == left.title
    head = draw.shuffle_view(CONFIG, result, head="2").panels[0]
    np.testing.assert_array_equal(head.values, np.float32(result.weights_before[1]))
    output = draw.shuffle_view(CONFIG, result, quantity="output").panels[1]
    np.testing.assert_array_equal(output.values, np.float32(result.output_after))
    assert output.columns.labels[-1] == "32"


def test_the_table_holds_the_numbers_before_the_shuffle_and_after_it() -> None:
    result = run_shuffle(CONFIG)
    table = draw.shuffle_table(CONFIG, result)
    assert len(table.rows) == 9
    row = dict(zip(table.columns, table.rows[1], strict=True))
    assert (row["query slot"], row["key slot"], row["query"], row["key"]) == (1, 2, "a", "b")
    assert (row["query after"], row["key after"]) == ("c", "c")
    assert row["before"] == pytest.approx(float(result.weights_before.mean(axis=0)[0, 1]))
    assert row["after"] == pytest.approx(float(result.weights_after.mean(axis=0)[0, 1]))


@pytest.mark.parametrize("switches", [{}, {"positions": "rotary"}, {"dtype": "float16"}, {"tokens": ("a",)}])
def test_every_order_is_in_one_bin_of_the_histogram(switches: dict) -> None:
    result = run_permutation(PermutationConfig(**switches))
    view = draw.residual_view(result)
    assert [panel.title for panel in view.panels] == [draw.MOVED[claim] for claim in result.claims]
    for panel, residuals in zip(view.panels, result.residuals, strict=True):
        counts, starts = panel.values, [float(label) for label in panel.labels.labels]
        assert panel.labels.labels[0] == "0"
        assert counts[0] == (residuals == 0).sum()
        assert counts.sum() == len(residuals)
        largest = residuals.max()
        if largest > 0:
            last = max(np.flatnonzero(counts))
            assert starts[last] <= largest * (1 + 1e-12)
            assert last + 1 == len(starts) or largest < starts[last + 1]
        x, _ = panel.overlay
        bar = int(x[0] + 0.5)  # bars are centred on whole numbers
        assert starts[bar] <= result.bound <= starts[bar + 1]


def test_the_words_tell_what_the_histogram_shows() -> None:
    holds = draw.residual_words(run_permutation(PermutationConfig()))
    assert "Of 2,160 residuals" in holds
    assert "none above what rounding explains" in holds
    assert "none above" not in draw.residual_words(run_permutation(PermutationConfig(mask="causal")))
    half = draw.residual_words(run_permutation(PermutationConfig(dtype="float16")))
    assert "2,160 are exactly 0" in half
    assert "added up in float32" in half
    assert "float32" not in holds


def test_the_proof_quotes_what_was_measured() -> None:
    def steps(**switches: object) -> list[str]:
        config = ShuffleConfig(tokens=("a", "b", "c"), query_order=(2, 1, 0), **switches)
        laws, built, order, depth = (
            run(config.unshuffled(), experiment=each)
            for each in (run_permutation, steps_blocks, steps_order, run_depth)
        )
        return [step.measured for step in draw.proof(run_shuffle(config), laws, built, order, depth)]

    holds, broken = steps(), steps(mask="causal")
    assert holds[2].count("≤") == broken[2].count(">") == 6
    assert "leave the second sentence empty" in steps(context=("a",))[2]
    assert all(name in holds[3] for name in ("sinusoidal", "learned", "rotary", "ALiBi", "causal", "sliding window"))


def test_a_difference_that_is_no_rounding_has_its_own_range() -> None:
    broken = ShuffleConfig(tokens=("a", "b", "c"), query_order=(2, 0, 1), key_order=(2, 0, 1), mask="causal")
    panel = draw.shuffle_view(broken, run_shuffle(broken)).panels[3]
    assert panel.limits is None
    assert "they differ" in draw.shuffle_view(broken, run_shuffle(broken)).summary
