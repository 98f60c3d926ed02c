"""What a class answers in a test, before and after: read from a message, and told as counts.

An answer is a letter, a person a pseudonym that pairs both times. Of two answers of one person to one item at one
time the first counts, so a message that is sent again changes nothing.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pages._shared.class_rooms.limits import spelled
from pages._shared.class_rooms.refusal import RoomError
from attention_core.language import gettext_lazy as _

TIMES: Final = ("before", "after")
LETTERS: Final = ("A", "B", "C", "D")
COLUMNS: Final = ("person", "time", "item", "answer")
PERSON: Final = re.compile("[0-9a-f]{16}")
Items = Callable[[], Collection[str]]  # the ids of all items that there are
HandedIn = Mapping[tuple[str, int], int]  # how many people have answered so many items, by the time and these
Row = tuple[str, str, str, str]  # of a table: see ``COLUMNS``


@dataclass(frozen=True, slots=True)
class Given:
    """Answers of one person at one time, by the item."""

    time: str
    person: str
    letters: Mapping[str, str]


def read_answers(message: Mapping[str, Any], items: Collection[str]) -> Given:
    """The answers that a message holds.

    Args:
        message: With ``time``, ``person`` and ``answers``.
        items: The ids of all items that there are.

    Raises:
        RoomError: It holds something else.
    """
    time, letters = message.get("time"), message.get("answers")
    if not isinstance(time, str) or time not in TIMES:
        raise RoomError(422, _("“time” must be before or after."))
    person = spelled(message, "person", PERSON, _("16 hexadecimal digits"))
    if not isinstance(letters, dict) or not letters:
        raise RoomError(422, _("“answers” must hold a letter for one item or more."))
    if not letters.keys() <= set(items):
        raise RoomError(422, _("“answers” names an item that the test does not have."))
    if any(letter not in LETTERS for letter in letters.values()):
        raise RoomError(422, _("“answers” must hold A, B, C or D for each item."))
    return Given(time, person, letters)


def told(handed_in: HandedIn) -> dict[str, list[list[int]]]:
    """How many people have answered so many items, by the time: pairs in their order; nothing of who they are."""
    pairs = {time: sorted([items, count] for (at, items), count in handed_in.items() if at == time) for time in TIMES}
    return {time: found for time, found in pairs.items() if found}
