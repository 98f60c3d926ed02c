"""What is right on each page's question, from what is measured with any settings, precision and seed.

The answers are approved: after the page's own move, and after that with one setting or several changed.
"""

from collections.abc import Iterator
from itertools import product

import pytest
from syrupy.assertion import SnapshotAssertion

from pages._shared.core.pages import PAGES
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import declared
from tests.pages.read import link_of, page_of, truth
from tests.strategies import few
from tests.sweeps import slow_of, some_by_day

EXPERIMENTS = [page.name for page in PAGES]
LONG = ("images", "permutation", "exactness", "trained", "normalization")  # whose settings are many
SLOW = ("learning", "scaling")  # which train or draw for seconds: of these only what stands below
# What is changed beside what is found by itself: several settings at once, and seeds.
FURTHER: dict[str, tuple[dict[str, str], ...]] = {
    "anatomy": (
        {"positions": "rotary", "biases": "false"}, {"positions": "rotary", "weights": "random"},
    ),
    "biases": (
        {"rotary": "true", "tokens": "same same same"}, {"rotary": "true", "size": "0.1", "dtype": "bfloat16"},
    ),
    "complexity": tuple(
        {"num_queries": str(tokens), "num_keys": str(tokens), "d_model": str(width)}
        for tokens, width in ((1024, 64), (1024, 512), (64, 1024))
    ),
    "learning": ({"positions": "sinusoidal"}, {"learning_rate": "0.0001", "steps": "1"}),
    "permutation": (
        {"shuffle": "queries"},
        {"order": "0-1-3-2-4-5", "positions": "alibi", "dtype": "bfloat16", "seed": "1"},
    ),
    "receptive_field": (
        {"residual": "true", "layers": "1"}, {"residual": "true", "mask": "window"},
        {"residual": "true", "mask": "window", "heads": "1", "layers": "4"},
        {"residual": "true", "weights": "random", "seed": "3"}, {"residual": "true", "tokens": "16"},
        {"residual": "true", "weights": "soft"}, {"tokens": "8"},
        {"residual": "true", "weights": "soft", "threshold": "0.1"},
    ),
    "scaling": ({"seed": "5"}, {"scale": "root"}, {"scale": "head"}, {"temperature": "10"}),
    "trained": (
        {"without": "none"}, {"without": "none", "text": "the key near the cabinets"},
        {"model": "reverse", "text": "a b |"},
    ),
    "variants": (
        {"restart": "true"}, {"restart": "true", "tokens": "same same same"},
        {"restart": "true", "positions": "none", "seed": "4"},
    ),
    "worth": ({"text": "the old keys"},),
}  # fmt: skip
TRAINED = ("float64", "float32")
DRAWN = [("0", "float64"), ("5", "float32"), ("7", "bfloat16"), ("41", "float16")]


def changes(name: str) -> Iterator[dict[str, str]]:
    """What is changed after a page's move: nothing, each of its settings alone, and what is named above."""
    yield {}
    page, own = page_of(name), declared(page_of(name).study.config)
    for field in (field for field in own if field in page.settings.declared and field not in declared(RunConfig)):
        if name not in SLOW:
            one, usual = page.settings.declared[field], (page.settings.defaults | page.predict.move)[field]
            yield from ({field: one.write(value)} for value in few(one) if value != usual)
    yield from FURTHER.get(name, ())


def moved(name: str, changed: dict[str, str]) -> dict[str, str]:
    """What a link holds where a page's move is made, and then more is changed."""
    page = page_of(name)
    own = {page.settings.key(field) if field in page.settings else field: text for field, text in changed.items()}
    return link_of(name, page.predict.move) | own


def answers(name: str) -> Iterator[tuple[str, str | None]]:
    """What is changed, where that is possible, and the answer that is then right."""
    for changed in changes(name):
        try:
            right = truth(name, moved(name, changed))
        except ConfigError:
            continue
        yield ", ".join(f"{field}={text}" for field, text in changed.items()) or "after the move", right


@pytest.mark.parametrize("name", slow_of(EXPERIMENTS, *LONG))
def test_the_answer_that_is_right_follows_the_settings_and_each_is_right_somewhere(
    name: str, approved: SnapshotAssertion
) -> None:
    found = list(answers(name))
    assert found[0][1] in page_of(name).predict.options
    assert {right for _, right in found} - {None} == {*page_of(name).predict.options}
    assert "\n".join(f"{changed}: {right or 'nobody can tell'}" for changed, right in found) == approved


@pytest.mark.parametrize(("name", "drawn"), some_by_day(product(EXPERIMENTS, DRAWN), of=7))
def test_after_the_move_one_answer_is_right_under_any_seed_and_precision(name: str, drawn: tuple[str, str]) -> None:
    seed, dtype = drawn
    if name == "learning" and dtype not in TRAINED:
        with pytest.raises(ConfigError, match="dtype"):
            truth(name, moved(name, {"dtype": dtype}))
        return
    coarse = (name, dtype) == ("biases", "bfloat16")  # whose rounding is a tenth of what a felt bias would do
    right = None if coarse else truth(name, moved(name, {}))
    assert truth(name, moved(name, {"seed": seed, "dtype": dtype})) == right
