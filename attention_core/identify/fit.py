"""A scale that is none of those that are looked for, found as a number."""

import math
import time
from dataclasses import replace
from typing import Final

from attention_core.identify.design import Design
from attention_core.identify.probe import Probe

GRID: Final = [10 ** (exponent / 4) for exponent in range(-12, 5)]
CLOSE: Final = 0.4  # at the best point of the grid: what is further off is no matter of scale


def fitted_scale(probe: Probe, design: Design, deadline: float) -> float | None:
    """The scale with which a design comes nearest to the module, or None where no scale comes near."""

    def distance(exponent: float) -> float:
        return probe.distance(replace(design, scale=f"own:{math.exp(exponent)!r}"))

    points = [(distance(math.log(scale)), math.log(scale)) for scale in GRID]
    best, middle = min(points)
    if not best < CLOSE or time.monotonic() > deadline:
        return None
    step = math.log(10) / 4
    low, high = middle - step, middle + step
    golden = (math.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = distance(left), distance(right)
    for turn in range(80):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = distance(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = distance(right)
        if turn == 12 and min(at_left, at_right) > best / 3:
            return None
    return math.exp((low + high) / 2)
