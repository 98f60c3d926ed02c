"""What panels in SVG share: their measures, lines and text. Words stand exactly as they are, formulas are set."""

from collections.abc import Sequence
from typing import Any, Final

from attention_core.figures.mathematics import Place, parts
from attention_core.figures.text import escape_xml
from attention_core.figures.theme import GRID, INK, MUTED, ROLE_COLOURS, Role
from attention_core.measuring.words import characters, is_unspaced_letter

WIDTH: Final = 320
PLOT: Final = 210  # pixels that a panel's values take at most, across and down
LEFT, TOP, BELOW = 64, 66, 44
_MOST_LABELS: Final = 24
_MOST_STACKED: Final = 4  # characters that have room below each other
_INK, _MUTED, _GRID = (colours["light"] for colours in (INK, MUTED, GRID))


def role_colour(role: Role | None) -> str:
    """The colour of a role's words; grey without one."""
    return ROLE_COLOURS["light"][role] if role else _MUTED


def text_at(
    x: float, y: float, text: str, *, size: int = 11, anchor: str = "start", colour: str = _INK, weight: int = 400,
    turn: int = 0,
) -> str:  # fmt: skip
    """Words exactly as they are; ``turn`` is degrees about where they begin."""
    place = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}{place}>{escape_xml(text)}</text>'


_SMALLER: Final = 0.75  # letters below and above the line
_SHIFT: Final[dict[Place, float]] = {"line": 0, "below": 0.22, "above": -0.34}


def set_at(x: float, y: float, text: str, *, coloured: bool = False, size: int = 11, **style: Any) -> str:
    """A text of ours with its formulas set, their letters in the colours of their roles where ``coloured``."""
    made, at = "", 0.0
    for part in parts(text):
        shift = _SHIFT[part.place] * size
        look = f' dy="{shift - at:.1f}"' if shift != at else ""
        look += f' font-size="{_SMALLER * size:.1f}"' if shift else ""
        look += ' font-style="italic"' if part.italic else ""
        look += f' fill="{role_colour(part.role)}"' if coloured and part.role else ""
        made += f"<tspan{look}>{escape_xml(part.text)}</tspan>" if look else escape_xml(part.text)
        at = shift
    return text_at(x, y, "", size=size, **style).removesuffix("</text>") + made + "</text>"


def stacked_at(x: float, label: str, *, above: float = 0, below: float = 0) -> str:
    """A label whose characters stand one below the other, as Chinese is read; empty for others and long ones.

    Args:
        x: Its middle.
        label: The label.
        above: Where its last character stands, if it stands above something.
        below: Where its first one does otherwise.
    """
    letters = characters(label)
    if len(letters) > _MOST_STACKED or not any(map(is_unspaced_letter, label)):
        return ""
    first = below or above - 11 * (len(letters) - 1)
    # A place for each character; where one is several units of UTF-16, SVG counts these.
    places = [first + 11 * at for at, one in enumerate(letters) for _ in range(len(one.encode("utf-16-le")) // 2)]
    told = f'x="{" ".join(f"{x:.1f}" for _ in places)}" y="{" ".join(f"{y:.1f}" for y in places)}"'
    return text_at(x, first, label, size=10, anchor="middle").replace(f'x="{x:.1f}" y="{first:.1f}"', told, 1)


def line_at(x0: float, y0: float, x1: float, y1: float, colour: str = _GRID, width: float = 1, dash: str = "") -> str:
    """A straight line; ``dash`` is an attribute."""
    ends = f'x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"{dash}/>'


def short(label: str, most: int = 9) -> str:
    """A label of so many characters at most."""
    return label if len(label) <= most else label[: most - 1] + "…"


def shown(labels: Sequence[str], most: int = _MOST_LABELS) -> range:
    """Which of many labels are written: each, or evenly so many at most."""
    return range(0, len(labels), -(-len(labels) // most) or 1)
