"""A class's test between the session and the browser: who answers, what is handed in, what the teacher is given."""

import hmac
import unicodedata
from collections.abc import Collection
from typing import Any, Final

from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.tested import TIMES, read_answers
from pages._shared.core.pages import TEST
from pages._shared.core.visitor_state import ClassTest, class_state
from pages._shared.session import membership

FEWEST_LETTERS: Final = 3  # of a word
LONGEST: Final = 60
MOST: Final = 2_000_000  # characters of a table: that of 500 people who answered all items twice has fewer


def pseudonym(word: str) -> str:
    """Who chose a word in the session's class: 16 hexadecimal digits, from which it is guessed or not known.

    HMAC-SHA256 with the class's key. The first digit is a letter, for a spreadsheet would take many of the others for
    numbers and round them. Capitals, width and spaces make no difference.

    Args:
        word: What was typed.

    Returns:
        An empty text if it is too short or too long.
    """
    said = " ".join(unicodedata.normalize("NFKC", word).casefold().split())
    if not FEWEST_LETTERS <= len(said) <= LONGEST:
        return ""
    return "a" + hmac.digest(membership.room().encode(), said.encode("utf-8", "replace"), "sha256").hex()[:15]


def take(time: str, item: str, letter: str) -> None:
    """Take an answer, unless this item has one."""
    class_state().test.letters.setdefault(time, {}).setdefault(item, letter)


def for_browser(page: str, of: int) -> dict[str, Any]:
    """What the panel is told of the test.

    Args:
        page: Where the visitor is.
        of: How many items are all.
    """
    test = class_state().test
    return {
        "here": page == TEST.name, "of": of, "person": test.person, "answers": test.letters, "arrived": test.arrived,
        "asked": test.asked,
    }  # fmt: skip


def take_message(message: dict[str, Any], items: Collection[str]) -> None:
    """Take what the browser says of the test; what no browser of ours says is ignored.

    Args:
        message: What it says.
        items: The ids of all items.
    """
    state = class_state()
    match message:
        case {"do": "tested", "person": person, "answers": dict(answers)} if not state.test.person:
            # The session is new; the phone is not. What it has answered is kept there.
            try:
                given = [
                    read_answers({"time": time, "person": person, "answers": letters}, items)
                    for time, letters in answers.items()
                ]
            except RoomError:
                return
            if given:
                state.test = ClassTest(given[0].person, {one.time: dict(one.letters) for one in given})
        case {"do": "arrived", "time": str(time), "count": int(count)} if time in TIMES:
            state.test.arrived[time] = count
        case {"do": "answers", "table": str(table), "error": str(error)} if state.teaches:
            state.test.refused = error[:200]
            state.test.table = state.test.table if error else table[:MOST]
