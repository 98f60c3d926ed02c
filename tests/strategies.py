"""What tests draw: values of declared settings, whole configs, and texts that are not only text."""

from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, reject, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from attention_core.measuring.checks import MAX_CHARACTERS, ConfigError
from attention_core.measuring.config import Device, RunConfig
from attention_core.measuring.settings import (
    Choice,
    Coded,
    OneOf,
    Order,
    Real,
    Setting,
    Switch,
    Whole,
    Words,
    declared,
    defaults,
)
from attention_core.studies.images.settings import BLANK, Pixels
from attention_core.studies.learning.tasks import TASKS
from attention_core.studies.masks.settings import Sentences
from tests.texts import TOKENS

Drawn = TypeVar("Drawn")
LONG = ("Wort", "Donaudampfschifffahrtsgesellschaft", "x" * 100, "y" * 257)
WORD = st.sampled_from(("a", "b", "c", *LONG, *(token for token in TOKENS if " " not in token)))


def is_short(words: tuple[str, ...]) -> bool:
    return sum(map(len, words)) <= MAX_CHARACTERS


def value(one: Setting) -> st.SearchStrategy[Any]:
    """Any value that a declaration allows."""
    match one:
        case Whole(low=low, high=high):
            return st.integers(low, high)
        case Real(low=low, high=high, step=step):
            return st.integers(0, round((high - low) / step)).map(lambda at: min(high, low + at * step))
        case Switch():
            return st.booleans()
        case Choice(options=options):
            return st.sampled_from(list(options))
        case OneOf(values=values, between=between):
            listed = st.sampled_from(list(values))
            number = st.integers if isinstance(values[0], int) else st.floats
            return listed | number(values[0], values[-1]) if between else listed
        case Sentences():
            few = st.lists(WORD, min_size=1, max_size=5).map(tuple)
            several = st.lists(few, min_size=1, max_size=6).map(tuple)
            return several.filter(lambda sentences: is_short(sum(sentences, ())))
        case Words(least=least):
            kinds = st.lists(WORD, min_size=1, max_size=6)  # of few, so that some are equal
            texts = kinds.flatmap(lambda some: st.lists(st.sampled_from(some), min_size=least, max_size=24))
            return texts.map(tuple).filter(is_short)
        case Coded():  # what a picture holds: ``complete`` draws it
            return st.nothing()
        case Order():
            return st.permutations(range(5)).map(tuple)
        case Pixels():
            return st.text("0f8", min_size=len(BLANK), max_size=len(BLANK))
        case Device():
            return st.just("cpu")
    raise TypeError(f"nothing is drawn for {type(one).__name__}")


def few(one: Setting) -> list[Any]:
    """A few values of a declaration: all of a choice, or the ends of what is allowed; equal words."""
    match one:
        case Switch():
            return [False, True]
        case Choice(options=options):
            return [*options]
        case OneOf(values=values):
            return [values[0], values[-1]]
        case Whole(low=low, high=high) | Real(low=low, high=high):
            return [low, high]
        case Sentences():
            return [(("same",) * 3, ("same",))]
        case Words():
            return [("same",) * 3]
        case Pixels():
            return [BLANK]
    return []


@st.composite
def config(
    draw: st.DrawFn,
    of: type[RunConfig],
    complete: Callable[[dict[str, Any], Random], dict[str, Any]] = lambda _values, _chance: {},
    **limits: st.SearchStrategy[Any],
) -> RunConfig:
    """Any config: half of its fields as they begin, for with every switch thrown nothing is left to break.

    Args:
        draw: Hypothesis' own.
        of: Its class.
        complete: From drawn values and a source of chance to values of fields that are not declared.
        limits: What fields are drawn from instead of all that they may be.
    """
    kinds = {name: st.just(defaults(of)[name]) | value(one) for name, one in declared(of).items()} | limits
    if defaults(of).get("task") in TASKS:  # a text is refused by all but a config of its own
        kinds["task"] = st.sampled_from([*TASKS])
    values = {name: draw(kind) for name, kind in kinds.items()}
    try:
        return of(**values | complete(values, draw(st.randoms(use_true_random=True))))
    except ConfigError:
        reject()


def examples(of: st.SearchStrategy[Drawn], count: int, beginning: object) -> list[Drawn]:
    """So many examples, the same for the same ``beginning``.

    Each is the second of a run of its own: the first is the simplest there is, and later ones repeat parts of those
    before them.
    """
    found: list[Drawn] = []
    chance = Random(repr(beginning))
    while len(found) < count:
        try:
            found += _two(of, chance.randrange(2**32))[1:]
        except Unsatisfiable:  # all were refused, this time
            continue
    return found


def _two(of: st.SearchStrategy[Drawn], beginning: int) -> list[Drawn]:
    found: list[Drawn] = []

    @settings(max_examples=2, database=None, phases=[Phase.generate], deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @seed(beginning)
    @given(of)
    def keep(one: Drawn) -> None:
        found.append(one)

    keep()
    return found


def hostile_text(max_size: int = 9) -> st.SearchStrategy[str]:
    """Texts of any characters, lone surrogates too, and those that programs take for something else."""
    known = st.sampled_from([token for token in TOKENS if len(token) <= max_size])
    return known | st.text(st.characters(exclude_categories=()), max_size=max_size)
