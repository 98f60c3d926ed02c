"""Cuts a text into tokens, words or characters, and writes tokens as a text again."""

from collections.abc import Iterable, Sequence
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.words import characters, is_unspaced_letter

WORDS: Final = "words"
CHARACTERS: Final = "characters"
MOST_KINDS: Final = 256
OFTEN: Final = 4  # times that a kind of word comes on average: a word that came once would be trained on or asked for
PARTS: Final = {WORDS: _("words"), CHARACTERS: _("characters")}
_SHOWN: Final = {"\n": "↵", " ": "␣", "\t": "⇥"}
_OPENING: Final = frozenset("([{“‘«¿¡")
_CLOSING: Final = frozenset(")]}”’»,.;:!?…%")


def cut(text: str, by: str) -> tuple[str, ...]:
    """The tokens of a text.

    Args:
        text: The text.
        by: ``words``: words, signs and ends of lines, without the spaces between them; or ``characters``, each of
            them, spaces too.
    """
    if by == CHARACTERS:
        return tuple(text)
    lines = [[part for piece in line.split() for part in characters(piece)] for line in text.split("\n")]
    return tuple(token for line in lines for token in (*line, "\n"))[:-1]


def join(tokens: Sequence[str], by: str) -> str:
    """Tokens as a text, as :func:`cut` takes it apart again: of words with a space where one is usual."""
    return "".join(spaced(tokens, by))


def spaced(tokens: Sequence[str], by: str) -> list[str]:
    """The tokens, each with the space that stands before it."""
    if by == CHARACTERS:
        return list(tokens)
    before = ("\n", *tokens)
    return [f" {token}" if _is_apart(last, token) else token for last, token in zip(before, tokens, strict=False)]


def _is_apart(last: str, token: str) -> bool:
    if "\n" in (last, token) or last in _OPENING or token in _CLOSING:
        return False
    return not (is_unspaced_letter(last[-1]) or is_unspaced_letter(token[0]))


def shown(tokens: Iterable[str]) -> tuple[str, ...]:
    """Tokens as an axis shows them: a space and the end of a line by a sign."""
    return tuple(_SHOWN.get(token, token) for token in tokens)
