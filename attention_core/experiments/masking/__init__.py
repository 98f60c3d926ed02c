"""Masks: who may look at whom, in encoders, decoders and both."""

from attention_core.experiments.masking.config import (
    PADDINGS,
    POSITIONS,
    SIDES,
    STACKS,
    MaskingConfig,
)
from attention_core.experiments.masking.measure import MaskingResult, ModuleMasks, run_masking
from attention_core.experiments.masking.rows import BlindRow, judge_blind, through_layers
from attention_core.experiments.masking.snippet import SHORTEST, masking_snippet

__all__ = [
    "PADDINGS",
    "POSITIONS",
    "SHORTEST",
    "SIDES",
    "STACKS",
    "BlindRow",
    "MaskingConfig",
    "MaskingResult",
    "ModuleMasks",
    "judge_blind",
    "masking_snippet",
    "run_masking",
    "through_layers",
]
