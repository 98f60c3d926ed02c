"""The faults, and the matrix of what noticed them."""

import json
from dataclasses import dataclass
from pathlib import Path

NOT_RUN = "not run yet"
EQUIVALENT = "equivalent"


@dataclass(frozen=True)
class Fault:
    """One text of one file replaced by another.

    Attributes:
        name: Corpus and number.
        file: What is changed, from the project's root.
        old: The text that is replaced; it occurs once in the file.
        new: What stands there instead.
        note: What is wrong then, where it was thought of; empty where it was drawn.
        equivalent: Why nothing that the project promises follows from it; empty if something does.
    """

    name: str
    file: str
    old: str
    new: str
    note: str = ""
    equivalent: str = ""

    def put_into(self, text: str) -> str | None:
        """The file's text with the fault; None where the old text is gone, or no longer says which place is meant."""
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None

    def is_gone(self, root: Path) -> bool:
        """Whether the project below ``root`` has changed so that the fault can no longer be put into it."""
        path = root / self.file
        return not path.is_file() or self.put_into(path.read_text(encoding="utf-8")) is None


def read_faults(root: Path) -> list[Fault]:
    """All faults of the project below ``root``, corpus by corpus."""
    corpora = sorted((root / "tests/faults/corpus").glob("*.json"))
    return [Fault(**one) for path in corpora for one in json.loads(path.read_text(encoding="utf-8"))]


class Matrix:
    """Which test notices which fault: ``matrix.tsv``.

    Args:
        root: The project's root.
        faults: The faults that have a row, in their order.
    """

    def __init__(self, root: Path, faults: list[Fault]) -> None:
        self._path = root / "tests/faults/matrix.tsv"
        lines = self._path.read_text(encoding="utf-8").splitlines()[1:] if self._path.exists() else []
        known = {name: (noticed_by, seconds) for name, noticed_by, seconds in (line.split("\t") for line in lines)}
        self._rows = {
            fault.name: (EQUIVALENT, "") if fault.equivalent else known.get(fault.name, (NOT_RUN, ""))
            for fault in faults
        }

    def noticed_by(self, fault: Fault) -> str:
        """The test that notices a fault; otherwise how far was looked."""
        return self._rows[fault.name][0]

    def is_noticed(self, fault: Fault) -> bool:
        """Whether a test notices a fault."""
        return self.noticed_by(fault).startswith("tests/")

    def write(self, fault: Fault, noticed_by: str, seconds: float) -> None:
        """Keep what has come out for a fault."""
        self._rows[fault.name] = (noticed_by, f"{seconds:.0f}")
        rows = [("fault", "noticed by", "seconds"), *((name, *row) for name, row in self._rows.items())]
        self._path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
