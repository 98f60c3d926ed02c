"""What a class's answers tell of each time, and what was gained from the first to the second."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attention_core.concept_test.answers import TIMES, Answered, Taken
from attention_core.concept_test.files import LETTERS
from attention_core.concept_test.forms import Asked
from attention_core.concept_test.key import KeysResult
from attention_core.concept_test.scores import Held, Interval, ItemScore, alpha, gain, held, item_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeReport:
    """What the answers of one time tell.

    Attributes:
        people: How many answered.
        items: The items that somebody answered and whose key is known, each with what is told of it.
        alpha: How far these items measure one thing; None where too few answered.
        held: How many hold each misconception that these items offer.
    """

    people: int
    items: tuple[tuple[Asked, ItemScore], ...]
    alpha: Interval | None
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a class's answers tell.

    Attributes:
        times: By the time, where somebody answered.
        pairs: How many answered both times.
        gain: Their normalised gain; None where too few did, or could gain too little.
    """

    times: Mapping[str, TimeReport]
    pairs: int
    gain: Interval | None


def report(answered: Answered, asked: Sequence[Asked], keys: KeysResult) -> Report:
    """What answers tell; items whose key is not known are left out.

    Args:
        answered: By time and person the letter taken of each item.
        asked: The items, as their choices are lettered.
        keys: Which choices are right.
    """
    known = [one for one in asked if keys.right(one.item.id) is not None]
    before, after = (answered.get(time, {}) for time in TIMES)
    pairs = [person for person in before if person in after]
    shares = [[_share(people[person], known, keys) for person in pairs] for people in (before, after)]
    return Report(
        times={time: _of_time(people, known, keys) for time, people in answered.items()},
        pairs=len(pairs),
        gain=gain(*shares),
    )


def place_of(one: Asked, letter: str) -> int:
    """The place of the choice that a letter stands for."""
    return one.order[LETTERS.index(letter)]


def letter_of(one: Asked, place: int) -> str:
    """The letter that a choice has."""
    return LETTERS[one.order.index(place)]


def _of_time(people: Mapping[str, Taken], known: Sequence[Asked], keys: KeysResult) -> TimeReport:
    given = [one for one in known if any(one.item.id in taken for taken in people.values())]
    answers = [
        [place_of(one, taken[one.item.id]) if one.item.id in taken else None for one in given]
        for taken in people.values()
    ]
    key = [keys.right(one.item.id) for one in given]
    return TimeReport(
        people=len(people),
        items=tuple(zip(given, item_scores(answers, key), strict=True)),
        alpha=alpha(answers, key),
        held=tuple(held(answers, [one.item for one in given])),
    )


def _share(taken: Taken, known: Sequence[Asked], keys: KeysResult) -> float:
    """Of the items that somebody answered, the share that is right: two forms need not have one in common."""
    right = [place_of(one, taken[one.item.id]) == keys.right(one.item.id) for one in known if one.item.id in taken]
    return sum(right) / max(1, len(right))
