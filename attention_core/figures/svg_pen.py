"""The pen that draws panels in SVG: measures, colours, lines, text. Words stand as they are, formulas are set."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from attention_core.figures.mathematics import Place, parts
from attention_core.figures.panels import Limits
from attention_core.figures.text import escape_xml
from attention_core.figures.theme import (
    GRID,
    HIDDEN,
    INK,
    MUTED,
    PAPER,
    PRIMARY,
    ROLE_COLOURS,
    TONES,
    Mode,
    Role,
    Tone,
)
from attention_core.language import columns
from attention_core.measuring.words import characters, is_unspaced_letter

LEFT, TOP, RIGHT, BELOW = 64, 66, 46, 52
LETTER: Final = 0.55  # of its size that a letter takes along its line, at most on average
_PLOT: Final = 210
MOST_LABELS: Final = 24
_MOST_STACKED: Final = 4  # characters that have room below each other
_SMALLER: Final = 0.75  # letters below and above the line
_SHIFT: Final[dict[Place, float]] = {"line": 0, "below": 0.22, "above": -0.34}


@dataclass(frozen=True, slots=True)
class Pen:
    """Draws in the colours of a theme.

    Attributes:
        mode: The theme.
        across: Pixels that a panel's values take at most from left to right.
        down: And from top to bottom.
        bare: Whether rows go without their names, which stand beside a panel before this one.
    """

    mode: Mode = "light"
    across: float = _PLOT
    down: float = _PLOT
    bare: bool = False

    @property
    def width(self) -> float:
        """The width of a whole panel."""
        return LEFT + self.across + RIGHT

    @property
    def start(self) -> float:
        """The left end of its words."""
        return LEFT if self.bare else 4

    @property
    def bottom(self) -> float:
        """The lower end of a panel's values."""
        return TOP + self.down

    @property
    def paper(self) -> str:
        """The colour of the background."""
        return PAPER[self.mode]

    @property
    def ink(self) -> str:
        """The colour of text."""
        return INK[self.mode]

    @property
    def muted(self) -> str:
        """The colour of what explains."""
        return MUTED[self.mode]

    @property
    def grid(self) -> str:
        """The colour of lines behind the values."""
        return GRID[self.mode]

    @property
    def hidden(self) -> str:
        """The colour of a cell that shows no number."""
        return HIDDEN[self.mode]

    @property
    def accent(self) -> str:
        """The colour of what a picture is about, and of what is chosen."""
        return PRIMARY[self.mode]

    def colour(self, worn: Role | Tone | None) -> str:
        """The colour of a role or a tone; grey without one."""
        known = {**ROLE_COLOURS[self.mode], **TONES[self.mode], "accent": self.accent}
        return known[worn] if worn else self.muted

    def text(
        self, x: float, y: float, text: str, *, size: float = 11, anchor: str = "start", colour: str = "",
        weight: int = 400, turn: int = 0,
    ) -> str:  # fmt: skip
        """Words exactly as they are; ``turn`` is degrees about where they begin."""
        place = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        style = f'font-size="{size:g}" text-anchor="{anchor}" fill="{colour or self.ink}" font-weight="{weight}"'
        return f'<text x="{x:.1f}" y="{y:.1f}" {style}{place}>{escape_xml(text)}</text>'

    def formula(
        self, x: float, y: float, text: str, *, coloured: bool = False, size: float = 11, beside: str = "",
        **style: Any,
    ) -> str:  # fmt: skip
        """A text of ours with its formulas set, their letters in the colours of their roles where ``coloured``.

        Args:
            x: Where it begins.
            y: Its base line.
            text: The text.
            coloured: See above.
            size: Of its letters.
            beside: Another one that follows it, larger and in the accent's colour.
            style: As of ``text``.
        """
        made, at = self._set(text, size, coloured=coloured)
        if beside:
            back = f' dy="{-at:.1f}"' if at else ""
            large = f'dx="10" font-size="{size + 2:g}" font-weight="700" fill="{self.accent}"{back}'
            made += f"<tspan {large}>{self._set(beside, size + 2)[0]}</tspan>"
        return self.text(x, y, "", size=size, **style).removesuffix("</text>") + made + "</text>"

    def _set(self, text: str, size: float, *, coloured: bool = False) -> tuple[str, float]:
        """Set a formula as ``tspan`` elements; returns too how far below the line it ends."""
        made, at = "", 0.0
        for part in parts(text):
            shift = _SHIFT[part.place] * size
            look = f' dy="{shift - at:.1f}"' if shift != at else ""
            look += f' font-size="{_SMALLER * size:.1f}"' if shift else ""
            look += ' font-style="italic"' if part.italic else ""
            look += f' fill="{self.colour(part.role)}"' if coloured and part.role else ""
            made += f"<tspan{look}>{escape_xml(part.text)}</tspan>" if look else escape_xml(part.text)
            at = shift
        return made, at

    def stacked(self, x: float, label: str, *, above: float = 0, below: float = 0) -> str:
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
        places = [
            first + 11 * at for at, letter in enumerate(letters) for _ in range(len(letter.encode("utf-16-le")) // 2)
        ]
        attributes = f'x="{" ".join(f"{x:.1f}" for _ in places)}" y="{" ".join(f"{y:.1f}" for y in places)}"'
        made = self.text(x, first, label, size=10, anchor="middle")
        return made.replace(f'x="{x:.1f}" y="{first:.1f}"', attributes, 1)

    def line(
        self, x0: float, y0: float, x1: float, y1: float, colour: str = "", width: float = 1, dash: str = ""
    ) -> str:
        """A straight line; ``dash`` is an attribute."""
        ends = f'x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"'
        return f'<line {ends} stroke="{colour or self.grid}" stroke-width="{width}"{dash}/>'


def disc(x: float, y: float, radius: float, colour: str, rim: str = "") -> str:
    """A dot; ``rim`` is the colour around it."""
    around = f' stroke="{rim}" stroke-width="1.5"' if rim else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"{around}/>'


def rect(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    """A filled box; ``more`` are attributes."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{more}/>'


def text_width(text: str, size: float = 10) -> float:
    """Pixels that words take along their line, rather more than fewer."""
    return LETTER * size * columns(text)


def short(label: str, most: int = 9) -> str:
    """A label of so many characters at most."""
    return label if len(label) <= most else label[: most - 1] + "…"


def shown(labels: Sequence[str], most: int = MOST_LABELS) -> range:
    """Which of many labels are written: each, or evenly so many at most."""
    return range(0, len(labels), -(-len(labels) // most) or 1)


def ticks(limits: Limits, count: int, *, log: bool) -> list[float]:
    """Round numbers on an axis, about ``count`` of them, two at least; powers of ten on a log axis, or its ends."""
    low, high = limits
    if low == high:
        return [low]
    if log:
        first, last = math.ceil(math.log10(low) - 1e-6), math.floor(math.log10(high) + 1e-6)
        every = max(1, math.ceil((last - first + 1) / count))
        made = [10.0**power for power in range(first, last + 1, every)]
        return made if len(made) > 1 else [float(f"{value:.3g}") for value in limits]
    power = 10.0 ** math.floor(math.log10((high - low) / (count + 2)))
    steps = [times * power for times in (1, 2, 2.5, 5, 10, 20)]
    step = next((value for value in steps if _last(high, value) - _first(low, value) <= count), steps[-1])
    return [float(f"{at * step:.6g}") for at in range(_first(low, step), _last(high, step) + 1)]


def _first(low: float, step: float) -> int:
    return math.ceil(low / step - 1e-6)


def _last(high: float, step: float) -> int:
    return math.floor(high / step + 1e-6)
