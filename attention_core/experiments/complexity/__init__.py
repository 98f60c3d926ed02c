"""Complexity: what each line of attention costs in FLOPs and bytes, which part dominates, and how long it takes."""

from attention_core.experiments.complexity.config import (
    HEADS,
    SECONDS,
    SWEEPS,
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    TimesConfig,
    read_cell,
)
from attention_core.experiments.complexity.measure import run_complexity
from attention_core.experiments.complexity.result import ComplexityResult, Fit, Line, TimeCurves, Times, TimeShares
from attention_core.experiments.complexity.snippet import SHORTEST, complexity_snippet
from attention_core.experiments.complexity.times import steps_times

__all__ = [
    "HEADS",
    "SECONDS",
    "SHORTEST",
    "SWEEPS",
    "TOKENS",
    "WIDTHS",
    "ComplexityConfig",
    "ComplexityResult",
    "Fit",
    "Line",
    "TimeCurves",
    "TimeShares",
    "Times",
    "TimesConfig",
    "complexity_snippet",
    "read_cell",
    "run_complexity",
    "steps_times",
]
