"""What is drawn and said, approved once: as lines of text beside the tests, and compared number by number.

A test says ``assert lines(view) == approved``. What is new or has changed on purpose is approved by
``python -m pytest FILE -m "" --snapshot-update`` and read in the commit's diff, as code is.
"""

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from syrupy.extensions.amber import AmberSnapshotExtension
from syrupy.extensions.amber.serializer import AmberDataSerializer

RESIDUAL: Final = 1e-9  # what is smaller is what rounding left, and another machine leaves another
SAME: Final = 3e-3  # three digits, of which the last may be rounded the other way
_WHOLE = 36  # numbers of an array that are all written
_WIDE = 200
_NUMBER = re.compile(r"(?<![\w.])[−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?")
# A residual in a sentence, or in code.
_LEFT = re.compile(r"[\d.,]+(?:×10⁻(?:⁹|[¹²³][⁰¹²³⁴⁵⁶⁷⁸⁹])|e-[123]\d(?!\d))")

# What rounding leaves is nothing at all on some machines, and how often depends on them too; so do what Adam makes of
# it, and a ratio of two such numbers.
_BY_MACHINE = re.compile(
    r" \(≈0, rounding\)|≈(?=[0#])|(?:none|#|[\d,]+)(?= leaves? exactly )|[\d.]+(?= by Adam)|(?<=Adam `)[\d.]+"
    r"|(?<=divided by the published one, is \*\*)[\d.]+|(?<=measured / published = )[\d.]+"
)


def on_any_machine(text: str) -> str:
    """A text without what another machine says otherwise."""
    return _BY_MACHINE.sub("", _LEFT.sub("≈0", text))


def lines(what: Any) -> str:
    """A view, a proof, a table or a text as lines: what is as it would be anyway is left out."""
    return _LEFT.sub("≈0", "\n".join(_lines(what)))


def _lines(what: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    lead = "  " * depth + (f"{name}: " if name else "")
    match what:
        case _ if dataclasses.is_dataclass(what):
            values = ((field, getattr(what, field.name)) for field in dataclasses.fields(what))
            told = [list(_lines(value, field.name)) for field, value in values if not _is_default(field, value)]
            inline = "; ".join(line for part in told for line in part)
            if len(inline) <= _WIDE and all(len(part) == 1 for part in told):
                yield f"{lead}{type(what).__name__}: {inline}"
            else:
                yield lead + type(what).__name__
                yield from ("  " * (depth + 1) + line for part in told for line in part)
        case np.ndarray():
            yield lead + _array(what)
        case Mapping():
            yield lead.rstrip()
            for key, value in what.items():
                yield from _lines(value, str(key), depth + 1)
        case list() | tuple() if any(map(_has_parts, what)):
            yield lead.rstrip()
            for at, value in enumerate(what):
                yield from _lines(value, str(at), depth + 1)
        case list() | tuple():
            yield lead + " | ".join(map(_scalar, what))
        case _:
            yield from (lead * (not at) + line for at, line in enumerate(_scalar(what).split("\n")))


def _has_parts(value: Any) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray) or dataclasses.is_dataclass(value)


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    return not isinstance(value, np.ndarray) and type(value) is type(field.default) and value == field.default


def _scalar(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return "≈0" if 0 < abs(value) < RESIDUAL else f"{value:.4g}"
    return str(value)


def _array(values: np.ndarray[Any, Any]) -> str:
    """All numbers of a small array; of another its ends, its size, and what notices where its numbers stand."""
    flat = values.ravel()
    head = f"{values.dtype} {'×'.join(map(str, values.shape))}:"
    if flat.dtype == bool:
        return f"{head} {''.join('.#'[int(one)] for one in flat[:400])} {int(flat.sum())} of {flat.size}"
    if flat.size <= _WHOLE or flat.dtype.kind not in "fiu":
        return f"{head} {' '.join(map(_scalar, flat.tolist()))}"
    finite = np.where(np.isfinite(flat), flat, 0).astype(float)
    at = 1 + np.arange(flat.size) % 97  # weights that tell places apart; both sums are of numbers above 0
    sums = [float(np.abs(finite).sum()), float(np.abs(finite) @ at), float(finite.clip(0) @ at)]
    ends = [*flat[:12].tolist(), "…", *flat[-6:].tolist()]
    return f"{head} {' '.join(map(_scalar, ends))} Σ {' '.join(map(_scalar, sums))}"


class _Text(AmberDataSerializer):
    """Lines as they are, without quotes."""

    @classmethod
    def serialize(cls, data: Any, **_options: Any) -> str:
        return str(data).replace("\r", "␍")


class ApprovedLines(AmberSnapshotExtension):
    """Texts that agree but for a last digit of a number."""

    serializer_class = _Text

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        return agree(str(serialized_data), str(snapshot_data))


def agree(text: str, approved: str) -> bool:
    """Whether two texts say the same: word for word, and their numbers within ``SAME``."""
    text, approved = map(on_any_machine, (text, approved))
    if _NUMBER.sub("\0", text) != _NUMBER.sub("\0", approved):
        return False
    pairs = zip(_NUMBER.findall(text), _NUMBER.findall(approved), strict=True)
    return all(one == two or _near(one, two) for one, two in pairs)


def _near(one: str, two: str) -> bool:
    """Whole numbers are counts, and have to be the same."""
    if not any(mark in one + two for mark in ".e"):
        return False
    first, second = (float(number.replace("−", "-").replace(",", "")) for number in (one, two))
    return math.isclose(first, second, rel_tol=SAME)


@cache
def approved_names(file: Path) -> tuple[str, ...]:
    """The names of all that was approved for the tests of a file."""
    stored = file.parent / "__snapshots__" / f"{file.stem}.ambr"
    return tuple(re.findall("^# name: (.*)$", stored.read_text("utf-8"), re.M)) if stored.exists() else ()


def of_test(name: str, test: str) -> bool:
    """Whether what is approved by a name is a test's: it begins with the test's own."""
    return name == test or name.startswith((f"{test}[", f"{test}."))
