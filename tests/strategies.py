"""What tests draw: values of declared settings, whole configs, and texts that are not only text."""

from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.config import Device, RunConfig
from attention_core.experiments.masking.config import Sentences
from attention_core.experiments.settings import (
    Choice,
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
from tests.texts import TOKENS

WORD = st.sampled_from(("a", "b", "c", *(token for token in TOKENS if " " not in token)))


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
            return st.lists(st.lists(WORD, min_size=1, max_size=4).map(tuple), min_size=1, max_size=4).map(tuple)
        case Words(least=least):
            return st.lists(WORD, min_size=least, max_size=9).map(tuple)
        case Order():
            return st.permutations(range(5)).map(tuple)
        case Device():
            return st.just("cpu")
    raise TypeError(f"nothing is drawn for {type(one).__name__}")


@st.composite
def config(draw: st.DrawFn, of: type[RunConfig], **limits: st.SearchStrategy[Any]) -> RunConfig:
    """Any config: half of its fields as they begin, for with every switch thrown nothing is left to break.

    Args:
        draw: Hypothesis' own.
        of: Its class.
        limits: What fields are drawn from instead of all that they may be.
    """
    kinds = {name: st.just(defaults(of)[name]) | value(one) for name, one in declared(of).items()} | limits
    try:
        return of(**{name: draw(kind) for name, kind in kinds.items()})
    except ConfigError:
        reject()


def hostile_text(max_size: int = 9) -> st.SearchStrategy[str]:
    """Texts of any characters, lone surrogates too, and those that programs take for something else."""
    known = st.sampled_from([token for token in TOKENS if len(token) <= max_size])
    return known | st.text(st.characters(exclude_categories=()), max_size=max_size)
