"""What the answers of many tell of a test: how hard its items are, how they hang together, what was gained.

Nothing is told where too few answered. An interval holds what it is about in 95 of 100 samples, nearly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, exp, log, sqrt, tanh
from typing import Final

import numpy as np

from attention_core.concept_test.item import CHOICES, Item

NORMAL: Final = 1.959964  # the standard normal distribution has 95 % within plus and minus this
FEWEST: Final = 20  # people; with ten items, that is 1 − α within a factor of two up or down
FEWEST_WRONG: Final = 10  # whole tests that were wrong at first, in sum: what could be gained at all
Answers = Sequence[int | None]  # of one person the place of the choice taken of each item; None where none was


@dataclass(frozen=True, slots=True)
class Interval:
    """A number and between what it lies.

    Attributes:
        value: The estimate.
        low: The lower end.
        high: The upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemScore:
    """What many answers tell of one item.

    Attributes:
        difficulty: The share of all who were right; None below ``FEWEST``.
        discrimination: How right answers go with the right answers to all other items, as a correlation; None below
            ``FEWEST``, and where one of the two is the same for all.
        shares: Of those who answered, the share that took each choice; zeros where nobody did.
    """

    difficulty: Interval | None
    discrimination: Interval | None
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """How many hold a misconception.

    Attributes:
        misconception: Its id.
        people: Who took it at least once.
        of: Who answered an item that offers it.
    """

    misconception: str
    people: int
    of: int


def item_scores(answers: Sequence[Answers], key: Answers) -> list[ItemScore]:
    """Difficulty, discrimination and shares of each item.

    Args:
        answers: Of each person.
        key: The right choices.

    Raises:
        ValueError: If somebody has more or fewer answers than there are items.
    """
    right = _right(answers, key)
    return [
        ItemScore(
            difficulty=share(int(right[:, place].sum()), len(right)),
            discrimination=_discrimination(right, place),
            shares=_shares([one[place] for one in answers]),
        )
        for place in range(len(key))
    ]


def share(right: int, of: int) -> Interval | None:
    """A share and its interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 209 (1927)); None below ``FEWEST``.

    With z for ``NORMAL`` its ends are ``(p + z²/2n ± z·√(p(1 − p)/n + z²/4n²))/(1 + z²/n)``.
    """
    if of < FEWEST:
        return None
    p, square = right / of, NORMAL**2 / of
    middle, half = p + square / 2, NORMAL * sqrt(p * (1 - p) / of + square / (4 * of))
    return Interval(p, (middle - half) / (1 + square), (middle + half) / (1 + square))


def alpha(answers: Sequence[Answers], key: Answers) -> Interval | None:
    """Cronbach's α: how far the items measure one thing, ``k/(k − 1)·(1 − Σ var(item)/var(sum))``.

    ln(1 − α) of a sample is about normal with the variance ``2k/((k − 1)(n − 2))`` (D. G. Bonett, J. Educ. Behav.
    Stat. 27, 335 (2002)), which gives the interval; of items that are right or wrong it holds less exactly.

    Args:
        answers: Of each person.
        key: The right choices.

    Returns:
        None below ``FEWEST`` people or two items, and where all have the same sum.
    """
    right = _right(answers, key)
    n, k = right.shape
    if n < FEWEST or k < 2:
        return None
    whole = float(right.sum(axis=1).var(ddof=1))
    if whole == 0:
        return None
    value = k / (k - 1) * (1 - float(right.var(axis=0, ddof=1).sum()) / whole)
    if value == 1:  # all items are one
        return Interval(1.0, 1.0, 1.0)
    middle, half = log(1 - value), NORMAL * sqrt(2 * k / ((k - 1) * (n - 2)))
    return Interval(value, 1 - exp(middle + half), 1 - exp(middle - half))


def gain(before: Sequence[float], after: Sequence[float]) -> Interval | None:
    """The normalised gain of people who took the test twice (R. R. Hake, Am. J. Phys. 66, 64 (1998)).

    With means x̄ and ȳ it is ``g = (ȳ − x̄)/(1 − x̄)``. Its standard error, to first order in what the two means are off
    by, is the spread of ``y − (1 − g)·x`` over the pairs, divided by ``√n·(1 − x̄)``.

    Args:
        before: The share of items that each had right at first.
        after: The share that the same had right later, in the same order.

    Returns:
        None below ``FEWEST`` pairs, and where too little was left to gain (``FEWEST_WRONG``).

    Raises:
        ValueError: If the two are not of the same people.
    """
    if len(before) != len(after):
        raise ValueError(f"{len(before)} answered before and {len(after)} after: pairs are needed.")
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    n = len(first)
    if n < FEWEST or (1 - first).sum() < FEWEST_WRONG:
        return None
    left = 1 - float(first.mean())
    value = float(second.mean() - first.mean()) / left
    error = float((second - (1 - value) * first).std()) / (sqrt(n) * left)
    return Interval(value, value - NORMAL * error, value + NORMAL * error)


def held(answers: Sequence[Answers], items: Sequence[Item]) -> list[Held]:
    """How many hold each misconception that the items offer, in the order in which they do.

    Args:
        answers: Of each person.
        items: The items that were asked.
    """
    offered = dict.fromkeys(one.misconception for item in items for one in item.choices if one.misconception)
    found = []
    for name in offered:
        people = of = 0
        for one in answers:
            taken = [
                item.choices[place].misconception
                for item, place in zip(items, one, strict=True)
                if place is not None and any(choice.misconception == name for choice in item.choices)
            ]
            people, of = people + (name in taken), of + bool(taken)
        found.append(Held(name, people, of))
    return found


def _right(answers: Sequence[Answers], key: Answers) -> np.ndarray:
    """Who had which item right, as numbers (people, items): no answer is no right one."""
    for one in answers:
        if len(one) != len(key):
            raise ValueError(f"{len(one)} answers of one person do not fit {len(key)} items.")
    rows = [[place is not None and place == right for place, right in zip(one, key, strict=True)] for one in answers]
    return np.asarray(rows, dtype=np.float64).reshape(len(answers), len(key))


def _discrimination(right: np.ndarray, place: int) -> Interval | None:
    """A correlation r of x and y, both of mean 0 and variance 1, and its interval for any distribution of the two.

    To first order r is off by the mean of ``xy − r(x² + y²)/2`` (A. W. van der Vaart, Asymptotic Statistics (1998),
    example 3.6); the interval is that of atanh r, so that it ends within ±1.
    """
    item = right[:, place]
    rest = right.sum(axis=1) - item
    if len(right) < FEWEST or item.std() == 0 or rest.std() == 0:
        return None
    x, y = ((one - one.mean()) / one.std() for one in (item, rest))
    value = min(1.0, max(-1.0, float((x * y).mean())))
    if abs(value) == 1:
        return Interval(value, value, value)
    off = float((x * y - value * (x**2 + y**2) / 2).std()) / sqrt(len(right))
    half = NORMAL * off / (1 - value**2)
    return Interval(value, tanh(atanh(value) - half), tanh(atanh(value) + half))


def _shares(taken: Answers) -> tuple[float, ...]:
    given = [place for place in taken if place is not None]
    return tuple(given.count(place) / max(1, len(given)) for place in range(CHOICES))
