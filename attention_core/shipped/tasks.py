"""Two tasks on letters: ``reverse``, the same letters backwards, and ``induction``, a part that comes again."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from string import ascii_lowercase
from typing import Final, NamedTuple
from zlib import crc32

from attention_core.language import gettext_lazy as _
from attention_core.shipped.corpus import END, START, Case, Construction, Language, pick, shuffled

LETTERS: Final = tuple(ascii_lowercase[:16])
TURN: Final = "|"  # between the letters and the same backwards
WORDS: Final = (START, END, TURN, *LETTERS)
_ID: Final = {word: at for at, word in enumerate(WORDS)}


class _Text(NamedTuple):
    """A text, and for each place of it that can be known the place from which it is known."""

    words: list[str]
    cues: dict[int, int]


def held_out(words: Sequence[str]) -> bool:
    """Whether training never shows a text that begins so: one in five, by the CRC-32 of the first three words.

    Args:
        words: A text or its beginning, from ``<start>`` on.
    """
    return crc32("".join(words[1:4]).encode()) % 5 == 0


def _reverse(source: Random) -> _Text:
    """``a b c | c b a``: two to eight letters."""
    length = pick(source, range(2, 9))
    letters = [pick(source, LETTERS) for _ in range(length)]
    cues = {length + 2 + said: length - said for said in range(length)}
    return _Text([START, *letters, TURN, *letters[::-1], END], cues)


def _induction(source: Random) -> _Text:
    """``x a b c y a b c``: four to ten different letters twice, with up to five others before and between."""
    length, before, between = (pick(source, sizes) for sizes in (range(4, 11), range(6), range(6)))
    letters = shuffled(source, LETTERS)
    part, others = letters[:length], letters[length:]
    first, then = ([pick(source, others) for _ in range(many)] for many in (before, between))
    second = 1 + before + length + between
    cues = {second + said: 1 + before + said for said in range(1, length)}
    return _Text([START, *first, *part, *then, *part, END], cues)


def _language(name: str, label: str, draw: Callable[[Random], _Text]) -> Language:
    def texts(source: Random) -> Iterator[tuple[int, ...]]:
        while True:
            text = draw(source)
            if not held_out(text.words):
                yield tuple(_ID[word] for word in text.words)

    def cases(source: Random) -> Iterator[tuple[str, Case]]:
        while True:
            text = draw(source)
            if held_out(text.words):
                place = pick(source, [*text.cues])
                ids = [_ID[word] for word in text.words]
                wrong = tuple(_ID[letter] for letter in LETTERS if letter != text.words[place])
                yield name, Case(tuple(ids[:place]), text.cues[place], (ids[place],), wrong)

    return Language(WORDS, texts, (Construction(name, label),), cases)


REVERSE: Final = _language("reverse", _("the letters backwards"), _reverse)
INDUCTION: Final = _language("induction", _("the letter that followed last time"), _induction)
