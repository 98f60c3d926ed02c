"""Checks of settings, with errors that say what was given and what is allowed."""

import unicodedata
from collections.abc import Collection
from typing import Final

from attention_core.exceptions import PortableError
from attention_core.language import COMMA, listed
from attention_core.language import gettext_lazy as _

MAX_SEED: Final = 999_999
MAX_TOKENS: Final = 64
MAX_CHARACTERS: Final = 512
MAX_TYPED: Final = 4 * MAX_CHARACTERS  # what is longer than allowed is kept as it was typed, up to here
# Controls, lone surrogates and line separators cannot be shown or sent; an embedding or override of the writing
# direction would reorder the words around the token.
_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_REFUSED_DIRECTIONS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


class ConfigError(PortableError, ValueError):
    """A setting that is not possible, with what was given and what is allowed.

    Attributes:
        field: The setting's name.
        value: What was given.
        allowed: What is allowed, in words.
    """

    def __init__(self, field: str, value: object, allowed: str) -> None:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:57] + "…"
        message = _("{field} = {shown} is not possible: {allowed}.", field=field, shown=shown, allowed=allowed)
        super().__init__(message)
        self.field, self.value, self.allowed = field, value, allowed


def check_int(field: str, value: object, low: int, high: int) -> None:
    """Raise ``ConfigError`` unless ``value`` is a whole number from ``low`` to ``high``."""
    if type(value) is not int or not low <= value <= high:
        raise ConfigError(field, value, _("a whole number from {low:,} to {high:,} is allowed", low=low, high=high))


def check_float(field: str, value: object, low: float, high: float) -> None:
    """Raise ``ConfigError`` unless ``value`` is a number from ``low`` to ``high``; NaN is none."""
    if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]
        raise ConfigError(field, value, _("a number from {low:g} to {high:g} is allowed", low=low, high=high))


def check_bool(field: str, value: object) -> None:
    """Raise ``ConfigError`` unless ``value`` is True or False."""
    if type(value) is not bool:
        raise ConfigError(field, value, _("True or False is allowed"))


def check_choice(field: str, value: object, choices: Collection[object]) -> None:
    """Raise ``ConfigError`` unless ``value`` is one of ``choices``."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ConfigError(field, value, _("one of {choices} is allowed", choices=listed(map(str, choices), COMMA)))


def check_tokens(field: str, value: object, *, least: int = 1) -> None:
    """Raise ``ConfigError`` unless ``value`` is a tuple of ``least`` to 64 showable tokens, ≤ 512 characters."""
    if type(value) is not tuple or not all(type(token) is str for token in value):
        raise ConfigError(field, value, _("a tuple of words is allowed"))
    if not least <= len(value) <= MAX_TOKENS:
        allowed = _("{least} to {most} tokens are allowed", least=least, most=MAX_TOKENS)
        raise ConfigError(field, _("{count} tokens", count=len(value)), allowed)
    if "" in value:
        raise ConfigError(field, value, _("every token needs at least one character"))
    characters = sum(map(len, value))
    if characters > MAX_CHARACTERS:
        allowed = _("at most {most} characters are allowed", most=MAX_CHARACTERS)
        raise ConfigError(field, _("{count} characters", count=characters), allowed)
    for token in value:
        if any(map(_is_control, token)):
            raise ConfigError(field, token, _("control characters are not allowed in a token"))


def _is_control(character: str) -> bool:
    return (
        unicodedata.category(character) in _REFUSED_CATEGORIES
        or unicodedata.bidirectional(character) in _REFUSED_DIRECTIONS
    )


def check_permutation(field: str, value: object, length: int) -> None:
    """Raise ``ConfigError`` unless ``value`` is a tuple that holds 0 … ``length`` − 1 once each."""
    if type(value) is not tuple or any(type(i) is not int for i in value) or sorted(value) != list(range(length)):
        raise ConfigError(field, value, _("an order of 0 … {last}, each once, is allowed", last=length - 1))
