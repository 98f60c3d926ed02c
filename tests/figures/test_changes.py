"""What a move changed, in a sentence."""

import re
from dataclasses import replace
from typing import Any

import pytest

from attention_core.studies.biases import BiasesConfig, run_bias_sizes
from attention_core.studies.biases.draw import biases_changed
from attention_core.studies.masks.draw import masks_changed
from attention_core.studies.permutation import ShuffleConfig, run_shuffle
from attention_core.studies.permutation.draw import shuffle_changed
from attention_core.studies.receptive_field import ReceptiveFieldConfig, run_attended_keys
from attention_core.studies.receptive_field.draw import reach_changed
from attention_core.studies.scaling import D_HEADS
from attention_core.studies.scaling.draw import label, scaling_changed
from tests.experiments.scaling_runs import picture
from tests.figures.views import of

STILL: tuple[int, ...] = ()
MOVED = (2, 0, 1)
FIRST = {"tokens": ("a", "b", "c")}


def shuffled(rows: Any = (), columns: Any = (), **more: Any) -> Any:
    config = ShuffleConfig(**FIRST | {"query_order": rows, "key_order": columns} | more)
    return config, run_shuffle(config)


AGAIN = "stand in their order again"
WITH_QUERIES, WITH_KEYS = "The rows moved with their queries", "columns moved with their keys"


@pytest.mark.parametrize(
    ("before", "after", "weights", "outputs"),
    [
        ((STILL, STILL), (MOVED, MOVED), "The rows and columns moved with their tokens",
         "The rows moved with their tokens"),
        ((MOVED, MOVED), (STILL, STILL), f"The rows and columns {AGAIN}", f"The rows {AGAIN}"),
        ((STILL, STILL), (MOVED, STILL), WITH_QUERIES, WITH_QUERIES),
        ((MOVED, STILL), (STILL, STILL), f"The rows {AGAIN}", f"The rows {AGAIN}"),
        ((STILL, STILL), (STILL, MOVED), f"The {WITH_KEYS}", "The keys moved"),
        ((STILL, MOVED), (STILL, (0, 1, 2)), f"The columns {AGAIN}", f"The keys {AGAIN}"),
        ((STILL, MOVED), (MOVED, STILL), f"{WITH_QUERIES} and the columns {AGAIN}",
         f"{WITH_QUERIES} and the keys {AGAIN}"),
        ((MOVED, STILL), (STILL, MOVED), f"The rows {AGAIN} and the {WITH_KEYS}",
         f"The rows {AGAIN} and the keys moved"),
        ((MOVED, MOVED), (MOVED, MOVED), "No token moved", "No token moved"),
    ],
)  # fmt: skip
def test_what_moved_is_told_of_weights_and_of_outputs(before: Any, after: Any, weights: str, outputs: str) -> None:
    was, now = shuffled(*before), shuffled(*after)
    stands = " The output's rows stand where they stood." if before[0] == after[0] and before != after else ""
    for wanted, output in ((weights, False), (outputs, True)):
        said = f"{wanted}; no number changed, but for rounding.{stands}"
        assert shuffle_changed(was, now, output=output) == said


def test_numbers_that_changed_are_told() -> None:
    first = shuffled()
    causal = shuffled(MOVED, MOVED, mask="causal")
    assert_said(
        shuffle_changed(first, causal),
        "The rows and columns moved with their tokens, and numbers changed: weights by up to #, outputs by up to #.",
    )
    still = shuffled(mask="causal")
    assert shuffle_changed(first, still).startswith("No token moved, but numbers changed: weights by up to ")
    assert shuffle_changed(first, shuffled(tokens=("a", "b", "d"))) == "Other tokens, and so other numbers."


OFF = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)
NUMBER = r"\*\*\d\.\d+\*\*"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({"k_bias": True}, "No weight and no output changed by more than rounding."),
        ({"v_bias": True}, "The move changed outputs by up to #; no weight changed by more than rounding."),
        ({"q_bias": True}, "The move changed weights by up to # and outputs by up to #."),
        ({"tokens": ("a", "b")}, "Other tokens or another number of keys, and so other numbers."),
        ({"seed": 7}, "The move changed weights by up to #."),
        ({"qk_norm": True}, "The move changed weights by up to #."),
        ({"dropout": True}, "No weight changed by more than rounding."),
    ],
)  # fmt: skip
def test_what_a_move_of_the_biases_changed(after: dict[str, Any], said: str) -> None:
    first = {"tokens": ("a", "b", "c")} | OFF
    one, other = BiasesConfig(**first), BiasesConfig(**first | after)
    sizes = (run_bias_sizes(config.without_size()) for config in (one, other))
    was, now = zip((one, other), sizes, strict=True)
    assert_said(biases_changed(was, now), said)


def assert_said(text: str, pattern: str) -> None:
    assert re.fullmatch(re.escape(pattern).replace(r"\#", NUMBER), text), text


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({}, "2 layers up the last token sees 9 of 9 inputs, as many as before."),
        ({"layers": 1}, "1 layer up the last token now sees 3 of 9 inputs; before it saw 9 of 9."),
        ({"tokens": 8}, "2 layers up the last token now sees 8 of 8 inputs; before it saw 9 of 9."),
        ({"weights": "soft"}, ""),
    ],
)
def test_how_many_inputs_are_seen_before_and_after(after: dict[str, Any], said: str) -> None:
    first: dict[str, Any] = {"heads": 2, "layers": 2, "tokens": 9}
    was, now = (run_attended_keys(ReceptiveFieldConfig(**one)) for one in (first, first | after))
    assert reach_changed(was, now) == said


def test_the_largest_weight_before_and_after_with_both_factors() -> None:
    made, at = picture(), D_HEADS.index(64)
    told = scaling_changed((made, at), (made, at), ("64", "64"), label)
    assert_said(told, "The largest weight of this query: unscaled still #; × 1/√d_head still #.")
    told = scaling_changed((made, 0), (made, at), ("1", "64"), label)
    assert_said(
        told,
        "From d_head = 1 to 64 the largest weight of this query: unscaled from # to #; × 1/√d_head from # to #. "
        "A single query may go either way, by chance: the curves over d_head are of many.",
    )
    told = scaling_changed((made, at), (picture(scale="head"), at), ("64", "64"), label)
    assert told.count("it is now") == 1


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (0.0, 0.0, "Other words in the padding's place still move none of the real outputs."),
        (0.5, 0.5, "Other words in the padding's place still move real outputs by **0.500**."),
        (0.5, 0.0, "Other words in the padding's place now move no real output any more; before **0.500**."),
        (0.0, 0.25, "Other words in the padding's place now move real outputs by **0.250**; before none."),
        (0.5, 0.25, "Other words in the padding's place now move real outputs by **0.250**; before **0.500**."),
    ],
)
def test_what_other_padding_moves_before_and_after(was: float, now: float, said: str) -> None:
    before, after = (replace(of("encoder"), pad_moved=size) for size in (was, now))
    assert masks_changed(before, after) == said
