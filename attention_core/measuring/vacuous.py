"""Reasons why nothing can move at some settings: a claim that nothing can break is not shown to hold."""

from collections.abc import Sequence
from typing import Final

from attention_core.language import gettext_lazy as _

ONE_WORD: Final = _("there is one word, and no other to change places with")
EQUAL_WORDS: Final = _("all words are equal, so no order differs from another")
ONE_KEY: Final = _("there is one key, whose weight is 1 whatever its score is")
EQUAL_KEYS: Final = _("all keys are equal, so their weights are equal whatever is added to the scores")
EQUAL_VALUES: Final = _("all values are equal, so the output is the same whatever the weights are")


def no_other_order(words: Sequence[str]) -> str:
    """Why a single word, or equal words, show nothing of their order."""
    return ONE_WORD if len(words) == 1 else EQUAL_WORDS


def no_other_weights(words: Sequence[str]) -> str:
    """Why a single key, or equal keys, have the same weights whatever the scores are."""
    return ONE_KEY if len(words) == 1 else EQUAL_KEYS


def no_other_output(words: Sequence[str]) -> str:
    """Why a single value, or equal values, give the same output whatever the weights are."""
    return ONE_KEY if len(words) == 1 else EQUAL_VALUES


def no_cut(heads: int, words: int) -> str:
    """Why no cut into heads mixes the words; empty where one could."""
    if heads == 1:
        return _("there is one head, so nothing is cut")
    return _("there is one word, so no cut can mix several") if words == 1 else ""
