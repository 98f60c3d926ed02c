"""Words in the reader's language, by the standard library's gettext.

A text is written in English where it is used, and catalogues translate it. What is drawn for one reader takes
``gettext``: a ``str`` in the language of this thread. What is kept for all of them, as constants and results are,
takes ``gettext_lazy``: a ``Text``, which is the English text and is worded each time it is drawn.

    from attention_core.language import gettext as _

    _("{count:,} weights are 0", count=3)

Where nobody chooses a language all is English, so a computation gives the same result for every reader.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from gettext import GNUTranslations, NullTranslations, find, translation
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self
from unicodedata import east_asian_width

LANGUAGES: Final = {"en": "English", "zh": "中文"}
ENGLISH: Final = "en"
DOMAIN: Final = "messages"
_FOLDERS: Final = [Path(__file__).parent / "locale"]
_here = threading.local()
_askers: Final[list[Callable[[], str | None]]] = []


def known(tag: str | None) -> str | None:
    """The language that a tag means, as browsers, systems and people spell it: ``zh-CN``, ``zh_CN.UTF-8``, ``ZH``.

    Returns:
        Its id; None for a language that there is not.
    """
    first, *_ = _parts(tag)
    return first if first in LANGUAGES else None


def is_traditional(tag: str | None) -> bool:
    """Whether a tag means Chinese in traditional characters, as Taiwan, Hong Kong and Macao write it."""
    first, *more = _parts(tag)
    return first == "zh" and ("hant" in more or ("hans" not in more and not {"tw", "hk", "mo"}.isdisjoint(more)))


def _parts(tag: str | None) -> list[str]:
    return re.split("[-_.@]", (tag or "").strip().lower())


def add_catalogues(folder: Path) -> None:
    """Translate by the catalogues below ``folder``, too: ``zh/LC_MESSAGES/messages.mo``."""
    if folder not in _FOLDERS:
        _FOLDERS.append(folder)
        catalogue.cache_clear()


@cache
def catalogue(language: str) -> NullTranslations:
    """What translates into a language; a text that it lacks stays English."""
    found = [folder for folder in _FOLDERS if find(DOMAIN, str(folder), [language])]
    catalogues: list[GNUTranslations] = [translation(DOMAIN, str(folder), [language]) for folder in found]
    for one, other in pairwise(catalogues):
        one.add_fallback(other)
    first = catalogues[0] if catalogues else NullTranslations()
    first.gettext = cache(first.gettext)  # a page asks for hundreds
    return first


def current() -> str:
    """The language of this thread: what was chosen for it, or what those say whom ``ask`` has named."""
    language = getattr(_here, "language", None)
    if language is None:
        language = next(filter(None, (asker() for asker in _askers)), None)
        if language is None:
            return ENGLISH
        choose(language)
    return language


def choose(language: str) -> None:
    """Word all that this thread draws in a language from now on."""
    _here.language = language


def ask(asker: Callable[[], str | None]) -> None:
    """Have ``asker`` say the language of a thread that nobody has chosen one for; None where it does not know."""
    _askers.append(asker)


@contextmanager
def using(language: str) -> Iterator[None]:
    """Word what this thread draws within the block in a language."""
    before = getattr(_here, "language", None)
    _here.language = language
    try:
        yield
    finally:
        _here.language = before


def gettext(message: str, /, **values: Any) -> str:
    """A text in the language of this thread.

    Args:
        message: The text in English; where there are values, with a place for each as ``str.format`` has them.
        values: What stands in its places; texts among them are worded, too.
    """
    return _filled(catalogue(current()).gettext(message) if message else "", values)


def ngettext(one: str, many: str, count: int, /, **values: Any) -> str:
    """A text that depends on a number; ``{count}`` is the number's place."""
    return _filled(catalogue(current()).ngettext(one, many, count), {"count": count, **values})


def _filled(text: str, values: Mapping[str, Any]) -> str:
    return text.format(**values) if values else text


class Text(str):
    """A text that is kept: English as a ``str``, and worded in the thread's language by ``str()`` or in an f-string.

    What compares, joins or saves it takes it for its English text, and so does a widget that is given it unworded.
    """

    __slots__ = ("_given",)
    _given: tuple[Any, ...]

    def __new__(cls, *given: Any) -> Self:
        """Keep what ``_word`` is given."""
        with using(ENGLISH):
            text = super().__new__(cls, cls._word(*given))
        text._given = given
        return text

    @staticmethod
    def _word(*given: Any) -> str:
        (one, *many), values = given
        known = catalogue(current())
        return _filled(known.ngettext(one, many[0], values["count"]) if many else known.gettext(one), values)

    def __str__(self) -> str:
        return self._word(*self._given) if current() != ENGLISH else str.__str__(self)

    def __format__(self, form: str) -> str:
        return format(str(self), form)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self._given

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class _Joined(Text):
    """Texts one after the other."""

    __slots__ = ()

    @staticmethod
    def _word(*given: Any) -> str:
        between, parts = given
        return str(between).join(map(str, parts))


class _Meant(Text):
    """A text that means something else elsewhere."""

    __slots__ = ()

    @staticmethod
    def _word(*given: Any) -> str:
        return catalogue(current()).pgettext(*given)


def pgettext_lazy(context: str, message: str, /) -> Text:
    """A text that another language words by what it means, kept to be worded: ``pgettext_lazy("unit", "inputs")``."""
    return _Meant(context, message)


def gettext_lazy(message: str, /, **values: Any) -> Text:
    """As ``gettext``, kept to be worded for every reader."""
    return Text((message,), values)


def ngettext_lazy(one: str, many: str, count: int, /, **values: Any) -> Text:
    """As ``ngettext``, kept to be worded for every reader."""
    return Text((one, many), {"count": count, **values})


def joined(between: str, parts: Iterable[str]) -> Text:
    """Texts one after the other with ``between`` between them, kept to be worded; empty ones are left out."""
    return _Joined(between, tuple(part for part in parts if part))


def sentences(parts: Iterable[str]) -> str:
    """Sentences one after the other, kept to be worded; empty ones are left out."""
    said: str = ""
    for part in filter(None, parts):
        said = gettext_lazy("{said} {more}", said=said, more=part) if said else part
    return said


def columns(text: str) -> int:
    """The columns that a text takes where letters are equally wide: an ideograph takes two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


SEMICOLON: Final = gettext_lazy("; ")
COMMA: Final = gettext_lazy(", ")
AND: Final = gettext_lazy(" and ")
OR: Final = gettext_lazy(" or ")


def listed(parts: Iterable[str], last: str = AND) -> Text:
    """Texts as a list in a sentence, kept to be worded: ``a, b and c``."""
    *first, end = tuple(parts) or ("",)
    return joined(last, (joined(COMMA, first), end))
