"""Formulas within texts, and how they are set: ``W_Q x``, ``1/√d_head``, ``e^(s + δ)``.

A text names a quantity as code does: a letter, ``_`` and what stands below it, ``^`` and what stands above. Whoever
draws the text sets these as mathematics: a canvas (``mathematics.js``), SVG (``svg.py``), or Markdown, as TeX. What
stands between quotation marks is somebody else's words, and stays as it is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Final, Literal

from attention_core.figures.theme import Role

Place = Literal["line", "below", "above"]

_LOW: Final = r"(?:(?<![A-Za-z0-9_\\])([A-Za-zα-ω∇Σ])|([‖)]))_([A-Za-zα-ω0-9]+)(?![A-Za-z0-9_])"
_HIGH: Final = r"\^(?:\(([^()]*)\)|\{([^{}]*)\}|([−+-]?(?:\d+(?:\.\d+)?|[A-Za-zα-ω\u4e00-\u9fff]+)))"
# One letter alone is a variable, but for English words and what an apostrophe, a number or a full stop leaves of one.
_ALONE: Final = r"(?<![A-Za-z0-9_'’.\\-])(?<!\d )([b-zB-HJ-Zα-ω])(?![A-Za-z0-9_'’-]|\.[A-Za-z])"
_PIECE: Final = re.compile(f"“[^”]*”|{_LOW}|{_HIGH}|{_ALONE}")  # the same in mathematics.js
_ROLES: Final[dict[str, Role]] = {"q": "query", "k": "key", "v": "value", "o": "output"}


@dataclass(frozen=True, slots=True)
class Part:
    """Letters that are set alike.

    Attributes:
        text: The letters.
        place: Whether they stand on the line, below or above it.
        italic: Whether they are a variable's.
        role: Whose colour they may wear.
    """

    text: str
    place: Place = "line"
    italic: bool = False
    role: Role | None = None


def parts(text: str) -> tuple[Part, ...]:
    """A text as letters that are set alike; a text without a formula is one part."""
    text = str(text)  # in the reader's language
    pieces, end = list[Part](), 0
    for piece in _PIECE.finditer(text):
        letter, bar, low, *high, alone = piece.groups()
        pieces.append(Part(text[end : piece.start()]))
        end = piece.end()
        if alone:
            pieces.append(Part(alone, italic=True, role=_ROLES.get(alone.lower())))
        elif low:
            role = _ROLES.get(low.lower() if letter in ("W", "b") else letter)
            pieces.append(Part(letter or bar, italic=bool(letter) and letter.isalpha() and letter != "Σ", role=role))
            pieces.append(Part(low, "below", len(low) == 1 and low.isalpha(), role))
        elif above := "".join(filter(None, high)):
            pieces += (Part(part.text, "above", part.italic) for part in parts(above))
        else:
            pieces.append(Part(piece[0]))
    pieces.append(Part(text[end:]))
    return _joined(_coloured([part for part in pieces if part.text]))


def _coloured(pieces: list[Part]) -> list[Part]:
    """Without the colour of a lone q, k or v that stands beside no other role: it may be any number."""
    sure = any(part.role and next_part.place == "below" for part, next_part in pairwise(pieces))
    if sure or len({part.role for part in pieces if part.role}) > 1:
        return pieces
    return [replace(part, role=None) for part in pieces]


def _joined(pieces: list[Part]) -> tuple[Part, ...]:
    alike = groupby(pieces, lambda part: replace(part, text=""))
    return tuple(replace(kind, text="".join(part.text for part in group)) for kind, group in alike)


# ---- in Markdown ----

_SKIPPED: Final = r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|“[^”]*”"
_SIGNS: Final = r"[A-Za-z]{2,}(?=\()|\d+(?:[.,]\d+)*|[-+−·×÷/=<>≤≥≠≈∝√∂Σ∇‖|() ᵢⱼᵀ⁻¹²³]"
_FORMULA: Final = re.compile(rf"({_SKIPPED})|((?:{_LOW}|{_HIGH}|{_ALONE}|{_SIGNS})+)")
_ROW: Final = re.compile(r"^((?:> ?)*\|.*\| *)$", re.MULTILINE)
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_MARKED: Final = re.compile(f"{_LOW}|{_HIGH}")
_EDGES: Final = " ·×÷/=<>≤≥≠≈∝+"  # a sign with nothing to its left or right is no part of a formula
_SPECIAL: Final = re.compile(
    r"([A-Za-z]{2,})(?=\()|([A-Za-z]{2,})|([\u4e00-\u9fff]+)|√(\d+)|(?<=\d),(?=\d)|[^\x00-\x7f]"
)
_NAMES: Final = {
    "·": r"\cdot ", "×": r"\times ", "÷": r"\div ", "−": "-", "√": r"\surd ", "‖": r"\|", "∂": r"\partial ",
    "Σ": r"\sum ", "∇": r"\nabla ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "∝": r"\propto ",
    "←": r"\leftarrow ", "∞": r"\infty ", "ᵢ": "_{i}", "ⱼ": "_{j}", "ᵀ": r"^{\top}", "²": "^{2}", "³": "^{3}",
}  # fmt: skip


def set_markdown(text: str, plain: Callable[[str], str] = str) -> str:
    """Markdown whose formulas are set, as TeX between dollar signs; code, links and formulas of TeX stay as they are.

    Args:
        text: Markdown; or any text, where ``plain`` makes Markdown of what is no formula.
        plain: From a text without formulas to Markdown.
    """
    pieces = _ROW.split(str(text))  # in the reader's language; every other piece is a row of a table
    for i in range(1, len(pieces), 2):
        pieces[i] = "|".join(_set(cell, plain) for cell in _CELL_END.split(pieces[i]))
    pieces[::2] = (_set(piece, plain) for piece in pieces[::2])
    return "".join(pieces)


def _set(text: str, plain: Callable[[str], str]) -> str:
    """Set the formulas of what is no table, or of one cell."""
    made, end = list[str](), 0
    for match in _FORMULA.finditer(text):
        if match[1] or not _MARKED.search(match[0]):
            continue
        start, formula = _trimmed(match[0])
        made += [plain(text[end : match.start() + start]), f"${tex(formula)}$"]
        end = match.start() + start + len(formula)
    return "".join([*made, plain(text[end:])])


def _trimmed(signs: str) -> tuple[int, str]:
    """Trim a run of signs to a formula with closed brackets and no dangling sign; returns its start too."""
    formula = signs
    while True:
        before = formula
        formula = formula.rstrip(_EDGES + "(-−√∂∇Σ").lstrip(_EDGES + ")")
        if formula.endswith(")") and formula.count(")") > formula.count("("):
            formula = formula[:-1]
        elif formula.startswith("(") and formula.count("(") > formula.count(")"):
            formula = formula[1:]
        if formula == before:
            return signs.index(formula), formula


def tex(text: str, colours: Mapping[Role, str] | None = None) -> str:
    """A formula as TeX.

    Args:
        text: The formula, and nothing else.
        colours: The colour of each role, for the letters that have one; all are ink without.
    """
    made, rooted = "", False
    for base, *scripts in _units(parts(text)):
        term = base.text if base.italic else _SPECIAL.sub(_named, base.text)
        rooted, root = base.text.endswith("√"), rooted
        if rooted:
            term = term.removesuffix(_NAMES["√"])
        for place, mark in (("below", "_"), ("above", "^")):
            if inside := "".join(_script(part) for part in scripts if part.place == place):
                term += f"{mark}{{{inside}}}"
        if colours and base.role:
            term = rf"\textcolor{{{colours[base.role]}}}{{{term}}}"
        made += rf"\sqrt{{{term}}}" if root else term
    return made


def _units(pieces: tuple[Part, ...]) -> list[list[Part]]:
    """Parts on the line, each with what stands below and above it."""
    units = list[list[Part]]()
    for part in pieces:
        if part.place == "line" or not units:
            units.append([part])
        else:
            units[-1].append(part)
    return units


def _script(part: Part) -> str:
    if part.place == "below" and not part.italic:
        return rf"\text{{{part.text}}}"
    return part.text if part.italic else _SPECIAL.sub(_named, part.text)


def _named(match: re.Match[str]) -> str:
    function, word, ideographs, root = match.groups()
    if function:
        return rf"\operatorname{{{function}}}"
    if word:
        return rf"\mathrm{{{word}}}"
    if ideographs:
        return rf"\text{{{ideographs}}}"
    return rf"\sqrt{{{root}}}" if root else "{,}" if match[0] == "," else _NAMES.get(match[0], match[0])
