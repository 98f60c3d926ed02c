"""Texts of a small grammar, written word by word, and the choices that are made in them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from attention_core.shipped.corpus import START, Case, Construction, Language, Option, pick


@dataclass(frozen=True, slots=True)
class Choice:
    """What has to come next at a place of a text, by one of the constructions."""

    construction: str
    place: int
    cue: int
    right: Sequence[str]
    options: Sequence[str]


class Writer:
    """A text that is written word by word, and the choices made in it.

    Args:
        draw: What decides which words.
    """

    def __init__(self, draw: Random) -> None:
        self.draw, self.words, self.choices = draw, [START], list[Choice]()

    def pick(self, *options: Option) -> Option:
        """One of the options, each as likely."""
        return pick(self.draw, options)

    def often(self, probability: float) -> bool:
        """Whether something happens that has this probability."""
        return self.draw.random() < probability

    def say(self, *words: str) -> None:
        """Write some words."""
        self.words += words

    def choose(self, construction: str, cue: int, right: Sequence[str], options: Sequence[str]) -> None:
        """Note that one of ``right`` has to come next, and none of the other ``options``."""
        self.choices.append(Choice(construction, len(self.words), cue, right, options))


def language_of(
    words: tuple[str, ...],
    write: Callable[[Random], Writer],
    held_out: Callable[[Sequence[str]], bool],
    constructions: tuple[Construction, ...],
    longest: int,
) -> Language:
    """The language of all that ``write`` writes.

    Args:
        words: What each id means.
        write: Writes a text, from ``<start>`` to ``<end>``.
        held_out: Whether training never shows a text that begins so: its cases are measured with, the others are
            what a model is trained on.
        constructions: What choices belong to.
        longest: Most words of a text; longer ones are not taken.
    """
    number = {word: at for at, word in enumerate(words)}

    def ids(some: Sequence[str]) -> tuple[int, ...]:
        return tuple(number[word] for word in some)

    def written(draw: Random) -> Iterator[Writer]:
        while True:
            text = write(draw)
            if len(text.words) <= longest:
                yield text

    def texts(draw: Random) -> Iterator[tuple[int, ...]]:
        return (ids(text.words) for text in written(draw) if not held_out(text.words))

    def cases(draw: Random) -> Iterator[tuple[str, Case]]:
        for text in written(draw):
            for choice in text.choices:
                beginning = text.words[: choice.place]
                if held_out(beginning):
                    wrong = [option for option in choice.options if option not in choice.right]
                    yield choice.construction, Case(ids(beginning), choice.cue, ids(choice.right), ids(wrong))

    return Language(words, texts, constructions, cases)
