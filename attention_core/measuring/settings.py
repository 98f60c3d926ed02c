"""Settings are declared once, beside their fields; checks, widgets, links and lessons read the declarations.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class SoftmaxConfig(RunConfig):
        num_keys: int = setting(64, Whole(1, 128, label="Keys"))
        scale: str = setting("none", Choice({"none": "none", "root": "1/√d_head"}, label="Scale"))

``RunConfig`` checks each declared field by its declaration; a config's ``__post_init__`` adds what concerns several.
What limits a config is what the experiment can do. What a page offers may be less: the steps of a slider, for one.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cache
from typing import Any, Final

import numpy as np

from attention_core.language import gettext, gettext_lazy
from attention_core.measuring.checks import (
    MAX_CHARACTERS,
    ConfigError,
    check_bool,
    check_choice,
    check_float,
    check_int,
    check_permutation,
    check_tokens,
)
from attention_core.measuring.words import is_unspaced, words

_KEY: Final = "setting"
_SPOKEN: Final = "spoken"


@dataclass(frozen=True, slots=True)
class Setting(ABC):
    """The declaration of a field.

    Attributes:
        label: What people call it.
        hint: What it does, in a sentence.
        link: Its name in a link, where that is not the field's.
    """

    _: KW_ONLY
    label: str
    hint: str = ""
    link: str = ""

    @abstractmethod
    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is possible for the field ``name``."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """Read the value from a link's text.

        Raises:
            ValueError: If it is none; ``check`` decides whether the value is possible.
        """

    def write(self, value: Any) -> str:
        """The value as a link's text: an id or a number, never words that are shown."""
        return str(value)

    def say(self, value: Any) -> str:
        """The value as people read it."""
        return self.write(value)


@dataclass(frozen=True, slots=True)
class Whole(Setting):
    """A whole number from ``low`` to ``high``.

    Attributes:
        low: The least.
        high: The most.
        typed: Whether it is typed rather than slid, as a seed is.
    """

    low: int
    high: int
    _: KW_ONLY
    typed: bool = False

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is such a number."""
        check_int(name, value, self.low, self.high)

    def read(self, text: str) -> int:
        """The number that the text spells."""
        return int(text)


@dataclass(frozen=True, slots=True)
class Real(Setting):
    """A number from ``low`` to ``high``, slid in steps of ``step``."""

    low: float
    high: float
    step: float

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is such a number."""
        check_float(name, value, self.low, self.high)

    def read(self, text: str) -> float:
        """The number that the text spells; NaN and infinities are none."""
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(f"{text} is no finite number")
        return value


@dataclass(frozen=True, slots=True)
class Switch(Setting):
    """On or off."""

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is True or False."""
        check_bool(name, value)

    def read(self, text: str) -> bool:
        """True or False, however it is capitalised."""
        try:
            return {"true": True, "false": False}[text.lower()]
        except KeyError:
            raise ValueError(f"{text} is neither true nor false") from None

    def write(self, value: bool) -> str:
        """``true`` or ``false``."""
        return str(value).lower()

    def say(self, value: bool) -> str:
        """``on`` or ``off``."""
        return gettext("on") if value else gettext("off")


AUTO: Final = "auto"


@dataclass(frozen=True, slots=True)
class AutoSwitch(Switch):
    """On or off, or ``auto``: then other settings decide.

    Attributes:
        decided: From the values of all settings, by their names, to whether it is on where it is ``auto``.
        auto: What ``auto`` is called.
    """

    _: KW_ONLY
    decided: Callable[[Mapping[str, Any]], bool]
    auto: str

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is True, False or ``auto``."""
        if value != AUTO:
            Switch.check(self, name, value)

    def read(self, text: str) -> Any:
        """True or False, however it is capitalised, or ``auto``."""
        return AUTO if text == AUTO else Switch.read(self, text)

    def say(self, value: Any) -> str:
        """``on`` or ``off``, or what ``auto`` is called."""
        return str(self.auto) if value == AUTO else Switch.say(self, value)


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """One of a few ids, each shown by its label.

    Attributes:
        options: Label by id; the id is the field's value, and what a link holds.
        listed: Whether the options stand in a list that opens, rather than side by side.
    """

    options: Mapping[str, str]
    _: KW_ONLY
    listed: bool = True

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is one of the ids."""
        check_choice(name, value, tuple(self.options))

    def read(self, text: str) -> str:
        """The id."""
        return text

    def say(self, value: str) -> str:
        """The label."""
        return str(self.options[value])

    def __hash__(self) -> int:
        return hash((self.label, tuple(self.options.items())))


@dataclass(frozen=True, slots=True)
class OneOf(Setting):
    """One of several numbers of one kind, ascending, such as the steps that a picture's slider walks through.

    Attributes:
        values: The numbers.
        between: Whether the numbers between the first and the last are possible as well, though not offered: the
            whole ones, where ``values`` are whole. A config's are; a view's pick one of what has been computed.
        shown: How a number is written for people.
    """

    values: Sequence[int] | Sequence[float]
    _: KW_ONLY
    between: bool = False
    shown: Callable[[Any], str] = "{:,}".format

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is one of them, or lies between where that is possible."""
        low, high = self.values[0], self.values[-1]
        if not self.between:
            check_choice(name, value, self.values)
        elif isinstance(low, int) and isinstance(high, int):
            check_int(name, value, low, high)
        else:
            check_float(name, value, low, high)

    def read(self, text: str) -> float:
        """The number that the text spells, of the kind that ``values`` are."""
        return type(self.values[0])(text)

    def say(self, value: float) -> str:
        """The number for people."""
        return str(self.shown(value))


@dataclass(frozen=True, slots=True)
class Words(Setting):
    """Words typed by a person: a tuple of texts, cut from one as ``words`` does.

    Attributes:
        least: The fewest tokens.
        cut: How the words are told apart, in a sentence.
    """

    _: KW_ONLY
    least: int = 1
    cut: str = gettext_lazy(
        "Spaces separate words. Of a text without spaces in Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese "
        "each character is a word."
    )

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is a tuple of tokens within the limits."""
        check_tokens(name, value, least=self.least)

    def read(self, text: str) -> tuple[str, ...]:
        """The tokens of a text."""
        return words(text)

    def write(self, value: tuple[str, ...]) -> str:
        """The text, with a space between tokens."""
        return " ".join(value)

    def is_cut(self, text: str) -> bool:
        """Whether characters of a text are taken for words, because no space says where these end."""
        return is_unspaced(text) and len(words(text)) > 1


@dataclass(frozen=True, slots=True)
class Order(Setting):
    """An order of tokens, ``2-0-1`` in a link; empty for the one that the page begins with."""

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is an order of 0 … its length − 1."""
        if not isinstance(value, tuple) or len(value) > MAX_CHARACTERS:
            raise ConfigError(name, value, gettext_lazy("an order of the tokens is allowed"))
        check_permutation(name, value, len(value))

    def read(self, text: str) -> tuple[int, ...]:
        """The order that numbers with hyphens between them spell."""
        return tuple(map(int, text.split("-"))) if text else ()

    def write(self, value: tuple[int, ...]) -> str:
        """Numbers with hyphens between them."""
        return "-".join(map(str, value))

    def say(self, value: tuple[int, ...]) -> str:
        """The places, counted from 1."""
        return " ".join(str(place + 1) for place in value)


@dataclass(frozen=True, slots=True)
class Coded(Setting):
    """A value that a picture holds, such as a chosen cell.

    Attributes:
        decode: Reads the link's text; raises ValueError for what it does not accept.
        encode: Writes a value as the link's text.
    """

    decode: Callable[[str], Any]
    encode: Callable[[Any], str]

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` survives being written and read."""
        try:
            good = self.decode(self.encode(value)) == value
        except (TypeError, ValueError, LookupError, AttributeError):
            good = False
        if not good:
            raise ConfigError(name, value, gettext_lazy("a place in the picture is allowed"))

    def read(self, text: str) -> Any:
        """Decode the text."""
        return self.decode(text)

    def write(self, value: Any) -> str:
        """The value as text."""
        return self.encode(value)


def setting(default: Any, declared: Setting, **spoken: str) -> Any:
    """A dataclass field with its default and its declaration.

    Args:
        default: The default.
        declared: The declaration.
        spoken: What a page begins with instead for readers of a language, by its id, as a link spells it: a sentence
            in their words. A config that is made without this field has the default.
    """
    return field(default=default, metadata={_KEY: declared, _SPOKEN: spoken})


@cache
def declared(of: type) -> dict[str, Setting]:
    """The declarations of a dataclass, by field; a person cannot set fields without one."""
    return {each.name: each.metadata[_KEY] for each in fields(of) if _KEY in each.metadata}


@cache
def defaults(of: type) -> dict[str, Any]:
    """The default of each declared field."""
    return {each.name: each.default for each in fields(of) if _KEY in each.metadata}


@cache
def spoken(of: type, language: str) -> dict[str, Any]:
    """The defaults of a page for readers of a language, by field, where they differ."""
    texts = {each.name: each.metadata[_SPOKEN].get(language) for each in fields(of) if _KEY in each.metadata}
    return {name: declared(of)[name].read(text) for name, text in texts.items() if text is not None}


@cache
def is_spoken(of: type, name: str) -> bool:
    """Whether the default of this field depends on the reader's language."""
    return any(each.name == name and each.metadata[_SPOKEN] for each in fields(of) if _KEY in each.metadata)


def check_settings(config: Any) -> None:
    """Make each field's value a plain Python one, and check the declared ones.

    Lists and arrays become tuples, what NumPy and torch have made becomes numbers and texts, and a whole number in
    the place of a ``float`` becomes one: equal configs hold the same, can be hashed, and survive JSON.

    Raises:
        ConfigError: For the first declared field whose value is not possible.
    """
    known = declared(type(config))
    for each in fields(config):
        value = plain(getattr(config, each.name))
        if each.name in known:
            known[each.name].check(each.name, value)
            value = float(value) if each.type is float else value
        object.__setattr__(config, each.name, value)


def plain(value: Any, depth: int = 2) -> Any:
    """A plain Python value: lists and arrays as tuples, numbers of NumPy or torch as Python's; all else as it is.

    Args:
        value: A value, or several.
        depth: How deep tuples lie in each other: what lies deeper is no setting's value, and stays.
    """
    if isinstance(value, np.floating):
        return float(value)
    if hasattr(value, "tolist"):  # asked without importing torch, which a visitor's first page does without
        value = value.tolist()
    if isinstance(value, list | tuple) and depth:
        return tuple(plain(item, depth - 1) for item in value)
    return value
