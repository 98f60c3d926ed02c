"""How shuffles are drawn and told: orders are where the chips are, and each residual is in one bin."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.figures.matrix import MatrixView
from attention_core.studies.permutation import PermutationConfig, ShuffleConfig, draw, run_permutation, run_shuffle
from tests.figures.views import of, view_of
from tests.texts import number_of

THREE = ("a", "b", "c")
WORDS = ("the", "cat", "sat", "on", "a", "mat")


def drawn(**given: Any) -> MatrixView:
    order = (5, 0, 1, 4, 2, 3)
    config = ShuffleConfig(**{"tokens": WORDS, "query_order": order, "key_order": order} | given)
    other = config.with_positions(on=config.positions == "none")
    return draw.pair_view(config, run_shuffle(config), (other, run_shuffle(other)))


def test_a_band_leads_from_each_row_to_where_it_stands() -> None:
    assert drawn().bands == (5, 0, 1, 4, 2, 3)
    assert drawn(query_order=()).bands == (0, 1, 2, 3, 4, 5), "where keys move alone no row goes anywhere"
    assert view_of("permutation").bands == (), "four panels have none"


def test_the_numbers_that_are_the_same_are_counted_with_positions_and_without() -> None:
    tally = drawn().tally
    assert (tally.same.shape, tally.same.sum(), tally.other, tally.other_same) == ((6, 6), 36, "with positions", 0)
    told = drawn(positions="sinusoidal").tally
    assert (told.same.sum(), told.other, told.other_same) == (0, "without positions", 36)
    travelling = drawn(positions="rotary", carried=True).tally
    assert travelling.same.sum() == 36, "it counts what the module gave, and not a switch"
    still = drawn(query_order=(), key_order=(), positions="sinusoidal").tally
    assert (still.same.sum(), still.other_same) == (36, 36), "nothing moved"
    output = ShuffleConfig(tokens=THREE, query_order=(2, 0, 1), key_order=(2, 0, 1))
    here = (output, run_shuffle(output))
    assert draw.shuffle_view(*here, quantity="output", other=here).tally.same.shape == (3, 32)


def test_a_square_stands_where_its_number_stands_after_the_shuffle() -> None:
    config = ShuffleConfig(tokens=THREE, query_order=(1, 2, 0), key_order=(1, 2, 0), mask="causal")
    result = run_shuffle(config)
    same = draw.pair_view(config, result, (config, result)).tally.same
    before, after = (values.mean(axis=0) for values in (result.weights_before, result.weights_after))
    for row, column in np.ndindex(3, 3):
        moved = abs(after[row, column] - before[config.query_order[row], config.key_order[column]])
        assert same[row, column] == (moved <= result.bound)
    assert 0 < same.sum() < 9


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_which_numbers_differ_is_not_told_of_a_precision_that_rounds_as_much(dtype: str) -> None:
    tally = drawn(dtype=dtype).tally
    assert (tally.same.sum(), tally.other_same) == (36, None)
    assert drawn(dtype=dtype, positions="sinusoidal").tally.same is None
    assert drawn(dtype="float32").tally.other_same == 0


@pytest.mark.parametrize("switches", [{}, {"positions": "rotary"}, {"dtype": "float16"}, {"tokens": ("a",)}])
def test_every_order_is_in_one_bin_of_the_histogram(switches: dict) -> None:
    result = run_permutation(PermutationConfig(**switches))
    view = draw.residual_view(result)
    assert [panel.title for panel in view.panels] == [draw.MOVED[claim] for claim in result.claims]
    for panel, residuals in zip(view.panels, result.residuals, strict=True):
        counts, starts = panel.values, [number_of(label) for label in panel.labels.labels]
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
    assert "Of 2,160 shuffles" in holds
    assert "none leave more than rounding explains" in holds
    assert "none leave more" not in draw.residual_words(run_permutation(PermutationConfig(mask="causal")))
    half = draw.residual_words(run_permutation(PermutationConfig(dtype="float16")))
    assert "2,160 leave exactly 0" in half
    assert "added up in float32" in half
    assert "float32" not in holds


def test_what_is_as_large_as_its_bound_is_explained_by_rounding() -> None:
    result = of("laws")
    residuals = (np.array([0.0, result.bound, 2 * result.bound]), np.array([result.bound]))
    said = draw.residual_words(replace(result, residuals=residuals))
    assert said.startswith("Of 4 shuffles, undone, 1 leave more than rounding explains and 1 leave exactly 0; ")
