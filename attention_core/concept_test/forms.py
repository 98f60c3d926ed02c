"""Forms of the test: some of its items, drawn by a seed, in an order and with choices in an order of their own."""

from dataclasses import dataclass
from random import Random
from typing import Final

from attention_core.concept_test.bank import ITEMS
from attention_core.concept_test.item import CHOICES, Item

LENGTH: Final = 10  # items of a form
FORMS: Final = len(ITEMS) // LENGTH  # that have no item in common


@dataclass(frozen=True, slots=True)
class Asked:
    """An item as a form asks it.

    Attributes:
        item: The item.
        order: The places of its choices, in the order in which they are shown.
    """

    item: Item
    order: tuple[int, ...]


def form(seed: int, number: int = 0) -> tuple[Asked, ...]:
    """One of the parallel forms of a seed; those of one seed have no item in common.

    Args:
        seed: By which items and orders are drawn.
        number: Which form, 0 … ``FORMS`` − 1.

    Raises:
        ValueError: If there is no such form.
    """
    if number not in range(FORMS):
        raise ValueError(f"number = {number!r} is not possible: 0 to {FORMS - 1} is allowed.")
    # Whole numbers alone, each by ``random()``: Python promises that these stay the same from version to version.
    draw = Random(f"concept test {seed}")
    drawn = _shuffled(draw, len(ITEMS))
    orders = [_shuffled(draw, CHOICES) for _item in ITEMS]
    places = drawn[number * LENGTH : (number + 1) * LENGTH]
    return tuple(Asked(ITEMS[place], orders[place]) for place in places)


def _shuffled(draw: Random, count: int) -> tuple[int, ...]:
    return tuple(sorted(range(count), key=[draw.random() for _place in range(count)].__getitem__))
