"""What is right on each page's question, from what is measured with any settings, precision and seed."""

import pytest

from pages import (
    anatomy,
    biases,
    complexity,
    learning,
    masks,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
    trained,
    variants,
)
from pages._shared.core.pages import PAGES
from attention_core.measuring.checks import ConfigError
from tests.pages.read import link_of, page_of, truth


def square(tokens: int, d_model: int) -> dict[str, str]:
    return {"num_queries": str(tokens), "num_keys": str(tokens), "d_model": str(d_model)}


ROTARY = {"rotary": "true"}
CLOSE = {"order": "0-1-3-2-4-5", "positions": "alibi", "dtype": "bfloat16", "seed": "1"}
HALF, SHARED = {"dtype": "bfloat16"}, ("dtype", "seed")

# What is right after each page's own move; and after that move with more that is changed, None where nothing is.
ROWS = {
    "anatomy": [
        ({}, anatomy.ALIKE), ({"positions": "sinusoidal"}, anatomy.BACK), ({"positions": "alibi"}, anatomy.ITSELF),
        ({"positions": "rotary"}, anatomy.BACK), ({"positions": "rotary", "biases": "false"}, anatomy.ALIKE),
        ({"positions": "rotary", "weights": "random"}, anatomy.ELSEWHERE),
    ],
    "biases": [
        ({}, biases.SCORES), (ROTARY, biases.OUTPUT), (ROTARY | {"tokens": "same same same"}, biases.WEIGHTS),
        ({"k_bias": "false"}, biases.NOTHING), (ROTARY | {"size": "0.1"} | HALF, None),
    ],
    "complexity": [
        ({}, complexity.SCORES), (square(1024, 64), complexity.SCORES), (square(1024, 512), complexity.EVEN),
        (square(64, 1024), complexity.PROJECTIONS),
    ],
    "learning": [
        ({}, learning.PARTLY), ({"positions": "sinusoidal"}, learning.LEARNS),
        ({"learning_rate": "0.0001", "steps": "1"}, learning.GUESSES),
    ],
    "masks": [({}, masks.STILL), ({"side": "left"}, masks.MOVE)],
    "normalization": [
        ({}, normalization.FOLLOWS), ({"slot_weights": "true"}, normalization.DIFFERENT),
        ({"topic": "bias"}, None),
    ],
    "permutation": [
        ({}, permutation.SAME), ({"positions": "rotary"}, permutation.DIFFERENT),
        ({"shuffle": "queries"}, permutation.FOLLOWS), (CLOSE, None),
    ],
    "projections": [({}, projections.NOT_ALL), ({"qk_norm": "true"}, projections.ALL), ({"topic": "rank"}, None)],
    "receptive_field": [
        ({}, receptive_field.POWER), ({"heads": "1"}, receptive_field.SAME),
        ({"residual": "true", "layers": "1"}, receptive_field.SAME),
        ({"residual": "true", "mask": "window"}, receptive_field.LINEAR),
        ({"residual": "true", "mask": "window", "heads": "1", "layers": "4"}, receptive_field.LINEAR),
        ({"residual": "true", "weights": "random", "seed": "3"}, receptive_field.POWER),
        ({"residual": "true", "tokens": "16"}, receptive_field.ALL),
        ({"residual": "true", "weights": "soft"}, receptive_field.ALL), ({"tokens": "8"}, receptive_field.LINEAR),
        ({"residual": "true", "weights": "soft", "threshold": "0.1"}, None),
    ],
    "scaling": [
        ({}, scaling.BOTH), ({"seed": "5"}, scaling.BOTH), ({"scale": "root"}, scaling.STAYS),
        ({"scale": "head"}, scaling.SHRINKS), ({"temperature": "10"}, scaling.GROWS),
    ],
    "trained": [
        ({}, trained.ONE), ({"without": "none"}, trained.MANY),
        ({"without": "none", "text": "the key near the cabinets"}, trained.ONE),
        ({"untrained": "true"}, trained.NEITHER),
        ({"model": "reverse", "text": "a b |"}, None),
    ],
    "variants": [
        ({}, variants.SAME), ({"restart": "true"}, variants.DIFFERENT),
        ({"restart": "true", "tokens": "same same same"}, None),
        ({"restart": "true", "positions": "none", "seed": "4"}, variants.SAME),
    ],
}  # fmt: skip
TRAINED = ("float64", "float32")
DRAWN = [("0", "float64"), ("5", "float32"), ("7", "bfloat16"), ("41", "float16")]


def moved(name: str, changes: dict[str, str]) -> dict[str, str]:
    """What a link holds where a page's move is made, and then more is changed."""
    own = {field if field in SHARED else f"{name}_{field}": text for field, text in changes.items()}
    return link_of(name, page_of(name).predict.move) | own


CASES = [pytest.param(name, *row, id=f"{name} {at}") for name, rows in ROWS.items() for at, row in enumerate(rows)]


@pytest.mark.parametrize(("name", "changes", "right"), CASES)
def test_the_answer_that_is_right_follows_the_settings(name: str, changes: dict[str, str], right: str | None) -> None:
    assert truth(name, moved(name, changes)) == right


@pytest.mark.parametrize("name", ROWS)
def test_every_answer_but_those_nobody_can_get_is_right_somewhere(name: str) -> None:
    assert {right for _, right in ROWS[name]} >= {*page_of(name).predict.options}
    assert set(ROWS) == {page.name for page in PAGES}, "each page has a row here"


@pytest.mark.parametrize(("seed", "dtype"), DRAWN)
@pytest.mark.parametrize("name", ROWS)
def test_after_the_move_one_answer_is_right_under_any_seed_and_precision(name: str, seed: str, dtype: str) -> None:
    if name == "learning" and dtype not in TRAINED:
        with pytest.raises(ConfigError, match="dtype"):
            truth(name, moved(name, {"dtype": dtype}))
        return
    (_, right), *_ = ROWS[name]
    coarse = (name, dtype) == ("biases", "bfloat16")  # whose rounding is a tenth of what a felt bias would do
    assert truth(name, moved(name, {"seed": seed, "dtype": dtype})) == (None if coarse else right)
