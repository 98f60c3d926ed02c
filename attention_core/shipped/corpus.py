"""What a small model is trained on and measured with: words, texts from a seed, and cases of each construction."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeVar

START: Final = "<start>"
END: Final = "<end>"

Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Case:
    """The beginning of a text, and what may and may not come next.

    It is answered right if the likeliest of ``right`` and ``wrong`` is one of ``right``.

    Attributes:
        beginning: Ids of the words so far.
        cue: Place in ``beginning`` of the word that decides: the subject of a verb, an open bracket.
        right: Ids of the words that are right.
        wrong: Ids of the words that they are compared with.
    """

    beginning: tuple[int, ...]
    cue: int
    right: tuple[int, ...]
    wrong: tuple[int, ...]

    @property
    def chance(self) -> float:
        """How often a guess among the words that are compared is right."""
        return len(self.right) / (len(self.right) + len(self.wrong))


@dataclass(frozen=True, slots=True)
class Construction:
    """Something that a model can have learned.

    Attributes:
        name: What it is called in an address.
        label: What it is called in a table or on screen.
    """

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Language:
    """What one model is trained on, and measured with.

    Attributes:
        words: What each id means.
        texts: From a generator to texts for training, as ids from ``<start>`` to ``<end>``, without end.
        constructions: What the model is measured with.
        draw: From a generator to cases of them, without end, each with its construction's name; no text for training
            begins like one of them.
    """

    words: tuple[str, ...]
    texts: Callable[[Random], Iterator[tuple[int, ...]]]
    constructions: tuple[Construction, ...]
    draw: Callable[[Random], Iterator[tuple[str, Case]]]

    def cases(self, count: int, seed: int) -> dict[str, tuple[Case, ...]]:
        """``count`` cases of each construction with different beginnings; the same seed gives the same ones.

        No answer is right in more than half of them, so that of two answers each is right in half. Where a hundred
        times as many draws do not give as many there are fewer.
        """
        found: dict[str, dict[tuple[int, ...], Case]] = {each.name: {} for each in self.constructions}
        left = dict.fromkeys(found, 100 * count)
        answers = Counter[tuple[str, tuple[int, ...]]]()
        for name, case in self.draw(Random(seed)):
            if name not in left:
                continue
            if case.beginning not in found[name] and 2 * answers[name, case.right] < count:
                found[name][case.beginning] = case
                answers[name, case.right] += 1
            left[name] -= 1
            if not left[name] or len(found[name]) == count:
                del left[name]
                if not left:
                    break
        return {name: tuple(cases.values()) for name, cases in found.items()}

    def ids(self, words: Sequence[str]) -> tuple[int, ...]:
        """The number of each word.

        Raises:
            ValueError: If a word is not of this language.
        """
        for word in words:
            if word not in self.words:
                raise ValueError(f"{word!r} is no word of this language: {' '.join(self.words)}.")
        return tuple(self.words.index(word) for word in words)


def pick(source: Random, options: Sequence[Option]) -> Option:
    """One of the options, each as likely.

    ``random()`` alone gives the same numbers in every version of Python.
    """
    return options[int(source.random() * len(options))]


def shuffled(source: Random, options: Sequence[Option]) -> list[Option]:
    """The options in any order, each as likely."""
    return sorted(options, key=lambda _: source.random())
