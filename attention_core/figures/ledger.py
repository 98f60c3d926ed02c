"""A claim's measurements on one axis: rounding at its left end, what a switch breaks at its right.

The axis is logarithmic, for between the two lie fifteen orders of magnitude. What is no rounding, such as a count,
has no place on it and is told as a number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from attention_core.measuring.number_format import format_number
from attention_core.measuring.verdict import Verdict

LEAST, MOST = -17, 1  # powers of ten at the ends of the axis
TICKS: Final = {-16: "10⁻¹⁶", -12: "10⁻¹²", -8: "10⁻⁸", -4: "10⁻⁴", 0: "1"}
_SMALL: Final = 1e-3  # a bound below it is one of rounding, from above or from below


@dataclass(frozen=True, slots=True)
class Mark:
    """One number.

    Attributes:
        text: The number as it is read.
        at: Its place on the axis, from 0 to 1; None where it has none.
    """

    text: str
    at: float | None


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a claim on the axis.

    Attributes:
        held: What was measured under the claim's condition; None where nothing was.
        bound: What it is held to; None where that is no number on the axis.
        broken: What was measured with the switch that breaks the claim; None where there is no such switch.
    """

    held: Mark | None = None
    bound: Mark | None = None
    broken: Mark | None = None


def place(value: float) -> float:
    """A number's place from 0 to 1; beyond all ticks it is an end."""
    size = abs(value)
    power = math.log10(size) if 0 < size < math.inf else math.inf if size else -math.inf
    return (min(max(power, LEAST), MOST) - LEAST) / (MOST - LEAST)


def ticks() -> tuple[Mark, ...]:
    """The ticks of the axis."""
    return tuple(Mark(text, place(10.0**power)) for power, text in TICKS.items())


def marks(verdicts: Sequence[Verdict], broken: Sequence[Verdict]) -> Marks:
    """A claim's marks: of several numbers the first, and with the switch the first that shows the break.

    Args:
        verdicts: What was measured under its condition; empty where nothing was.
        broken: What was measured with the switch.
    """
    if not verdicts:
        return Marks()
    held = verdicts[0]
    on_axis = _is_on_axis(held)
    bound = held.bound if on_axis and not isinstance(held.bound, tuple) else None
    switched = sorted(broken, key=lambda verdict: (verdict.holds, verdict.key != held.key))
    return Marks(
        held=_mark(held, on_axis),
        bound=None if bound is None else Mark(_number(bound), place(bound)),
        broken=_mark(switched[0], on_axis) if switched else None,
    )


def _is_on_axis(verdict: Verdict) -> bool:
    bound = verdict.bound
    if verdict.counted or verdict.unit or isinstance(bound, tuple) or not math.isfinite(verdict.measured):
        return False
    return math.isfinite(bound) and (verdict.rounding or 0 < bound < _SMALL)


def _mark(verdict: Verdict, on_axis: bool) -> Mark:
    at = place(verdict.measured) if on_axis and not math.isnan(verdict.measured) else None
    return Mark(str(verdict.counted) or f"{_number(verdict.measured)} {verdict.unit}".strip(), at)


def _number(value: float) -> str:
    """Three digits, and whole numbers whole: ``1.39×10⁻¹⁶``, ``33,554,432``."""
    return f"{int(value):,}" if abs(value) < math.inf and value == int(value) else format_number(value)
