"""A fault: one text of one file replaced by another."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

_ESCAPED = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


@dataclass(frozen=True)
class Fault:
    """One text of one file replaced by another.

    Attributes:
        file: What is changed, from the project's root.
        old: The text that is replaced; it occurs once in the file.
        new: What stands there instead.
        note: What is wrong then, where it was thought of; empty where it was drawn.
    """

    file: str
    old: str
    new: str
    note: str = ""

    def put_into(self, text: str) -> str:
        """The file's text with the fault."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.old!r} occurs {text.count(self.old)} times in {self.file}, not once.")
        return text.replace(self.old, self.new)


def known_faults() -> list[Fault]:
    """The faults that were thought of: ``known.tsv``, where ``\\n`` and ``\\t`` stand for a line's end and a tab."""
    with Path(__file__).with_name("known.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [Fault(*(re.sub(r"\\.", lambda found: _ESCAPED[found[0]], cell) for cell in row)) for row in rows]
