"""Text as other programs take it: names told apart, CSV without formulas, characters that XML can hold."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from attention_core.language import columns
from attention_core.measuring.number_format import format_number

# Spreadsheets compute what begins so, after white space too; those of East Asia also know the wide signs.
_FORMULA: Final = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
# All but a Char of XML 1.0, section 2.2.
_UNFIT: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# As themselves a parser reads them as other white space: XML 1.0, sections 2.11 and 3.3.3.
_WHITE: Final = str.maketrans({"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})

# What a line may end after: a word, or an ideograph with what closes it, and the space that stood before.
_PIECE: Final = re.compile(r"\s*(?:[\u2e80-\u9fff][，。、；：？！）”]*|[^\s\u2e80-\u9fff]+)")


def wrapped(text: str, most: int = 56) -> list[str]:
    """``text`` in lines of so many columns, which fit on a phone; an ideograph takes two."""
    lines, room = list[str](), 0
    for piece in _PIECE.findall(text):
        if lines and columns(piece) <= room:
            lines[-1] += piece
            room -= columns(piece)
        else:
            lines.append(piece.lstrip())
            room = most - columns(lines[-1])
    return lines


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """The names, a repeated one with a count that makes it like no other: ``a, a, a (2)`` is ``a, a (3), a (2)``."""
    taken, count, distinct = set(names), Counter[str](), list[str]()
    for name in names:
        count[name] += 1
        candidate = name
        while count[name] > 1 and (candidate := f"{name} ({count[name]})") in taken:
            count[name] += 1
        taken.add(candidate)
        distinct.append(candidate)
    return tuple(distinct)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV for spreadsheets: a line of names, no two alike, and one for each row.

    It begins with a byte-order mark, without which Excel takes UTF-8 for something else, and text that would be a
    formula is led by an apostrophe, in the names too.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(told_apart([_disarmed(name) for name in columns]))
    writer.writerows([_disarmed(value) for value in row] for row in rows)
    return "\N{BYTE ORDER MARK}" + out.getvalue()


def _disarmed(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def fit_for_xml(text: str) -> str:
    """``text`` with U+FFFD for all that XML cannot hold: most controls, lone surrogates, U+FFFE and U+FFFF."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


def escape_xml(text: str) -> str:
    """``text`` for an element or a quoted attribute of XML or HTML: a parser reads what ``fit_for_xml`` gives."""
    return escape(fit_for_xml(text)).translate(_WHITE)


def bold(value: float) -> str:
    """A number with three digits, in bold Markdown."""
    return f"**{format_number(value)}**"
