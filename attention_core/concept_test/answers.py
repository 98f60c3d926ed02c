"""Answers of many as a table: read from CSV, by time, person and item; nobody counts twice."""

import csv
from io import StringIO
from typing import Final

from attention_core.concept_test.files import LETTERS
from attention_core.concept_test.key import BY_ID

COLUMNS: Final = ("person", "time", "item", "answer")
TIMES: Final = ("before", "after")
MOST: Final = 100_000  # rows
MOST_BYTES: Final = 20_000_000
Taken = dict[str, str]  # by an item's id the letter of the answer
Answered = dict[str, dict[str, Taken]]  # by time and person


def read(text: str) -> Answered:
    """Read a table of answers. Of two answers of one person to one item at one time the first counts.

    Args:
        text: CSV with the columns ``COLUMNS``; others are ignored.

    Returns:
        The answers; times at which nobody answered are left out.

    Raises:
        ValueError: If it is no such table; it says where.
    """
    if len(text) > MOST_BYTES:
        raise ValueError(f"The file has {len(text):,} characters; {MOST_BYTES:,} are allowed.")
    rows = csv.DictReader(StringIO(text))
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"The first line names no column {', '.join(missing)}; {', '.join(COLUMNS)} are needed.")
    found: Answered = {}
    for row in rows:
        if rows.line_num > MOST + 1:
            raise ValueError(f"The file has more than {MOST:,} lines of answers, which is the most that is allowed.")
        person, time, item, answer = (str(row[name] or "").strip() for name in COLUMNS)
        _check(rows.line_num, person, time, item, answer)
        found.setdefault(time, {}).setdefault(person, {}).setdefault(item, answer)
    return {time: found[time] for time in TIMES if time in found}


def _check(line: int, person: str, time: str, item: str, answer: str) -> None:
    if not person:
        raise ValueError(f"Line {line}: person is empty; a pseudonym is needed.")
    for name, value, allowed in (
        ("time", time, TIMES),
        ("item", item, tuple(BY_ID)),
        ("answer", answer, tuple(LETTERS)),
    ):
        if value not in allowed:
            raise ValueError(f"Line {line}: {name} = {value[:60]!r} is not possible: one of {', '.join(allowed)} is.")
