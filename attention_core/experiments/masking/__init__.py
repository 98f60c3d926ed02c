"""Masks: who may look at whom, in encoders, decoders and both."""

from attention_core.experiments.masking.config import (
    MAX_SENTENCES,
    MAX_WINDOW,
    PADDINGS,
    POSITIONS,
    SIDES,
    STACKS,
    MaskingConfig,
)
from attention_core.experiments.masking.measure import run_masking
from attention_core.experiments.masking.result import MaskingResult
from attention_core.experiments.masking.snippet import masking_snippet

__all__ = [
    "MAX_SENTENCES",
    "MAX_WINDOW",
    "PADDINGS",
    "POSITIONS",
    "SIDES",
    "STACKS",
    "MaskingConfig",
    "MaskingResult",
    "masking_snippet",
    "run_masking",
]
