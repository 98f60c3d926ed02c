"""Anatomy: one forward pass of attention, cell by cell."""

from attention_core.experiments.anatomy.config import (
    D_MODEL,
    MAX_HEADS,
    WEIGHTS,
    AnatomyConfig,
)
from attention_core.experiments.anatomy.measure import AnatomyResult, HeadTimes, run_anatomy, time_heads
from attention_core.experiments.anatomy.snippet import SHORTEST, anatomy_snippet
from attention_core.experiments.choices import POSITIONS, PROJECTIONS

__all__ = [
    "D_MODEL",
    "MAX_HEADS",
    "POSITIONS",
    "PROJECTIONS",
    "SHORTEST",
    "WEIGHTS",
    "AnatomyConfig",
    "AnatomyResult",
    "HeadTimes",
    "anatomy_snippet",
    "run_anatomy",
    "time_heads",
]
