"""The short number in a cell of a matrix; the exact one is shown when it is pointed at."""

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from attention_core.measuring.number_format import format_number

# Weights and probabilities; shares of something named; scores, and all else that has any size or sign; whole numbers;
# how many heads may look, of those that are not hidden.
Cells = Literal["weight", "percent", "score", "count", "allowed"]
_SEEN: Final = 0.005  # a share below has no digit in two decimals
_MOST: Final = 4  # decimals: what needs more is what rounding leaves, and no glance tells it


def decimals(values: NDArray[Any]) -> int | None:
    """How many decimals scores are written with, all alike: one, or where that would say little but 0.0 so many that
    the largest has two digits. None where even four would not do.

    Args:
        values: All scores of a picture, of any shape.
    """
    reach = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if reach >= 1000:
        return 0
    needed = 1 if reach == 0 or reach >= 0.5 else 1 - math.floor(math.log10(reach))
    return needed if needed <= _MOST else None


def format_cell(value: float, cells: Cells, decimals: int | None = None) -> str:
    """A number as it stands in a cell: ``.10``, ``1``, ``12%``, ``−0.4``. Empty where nothing is to be read, as in a
    score of exactly 0.

    Args:
        value: The number.
        cells: What kind of quantity it is.
        decimals: How many a score has, as :func:`decimals` tells for all of a picture; None writes none of them.
    """
    if not math.isfinite(value):
        return format_number(value)
    match cells:
        case "weight":
            text = _fixed(value, 2).replace("0.", ".", 1) if abs(value) < 1 else _fixed(value, 2)
            return text.removesuffix(".00") if abs(value) >= _SEEN else ""
        case "percent":
            return f"{_fixed(100 * value, 0)}%" if abs(value) >= _SEEN else ""
        case "score":
            return "" if decimals is None or value == 0 else _fixed(value, decimals)
        case "count":
            return format_number(math.floor(value + 0.5))
        case "allowed":
            return ""


def _fixed(value: float, decimals: int) -> str:
    """So many decimals, halves away from 0 as browsers round them; no minus before nothing."""
    text = str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    return text.replace("-", "−" if text.strip("-0.") else "")
