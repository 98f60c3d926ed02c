"""Scaling: what dividing q·k by √d_head does to scores, weights and gradients, for d_head = 1, 2, 4 … 4096."""

from attention_core.experiments.scaling.config import D_HEADS, SCALES, ScalingConfig, check_d_head
from attention_core.experiments.scaling.curves import ScalingCurves
from attention_core.experiments.scaling.picture import ScalingPicture, ScalingSide, run_picture
from attention_core.experiments.scaling.result import Measured, ScalingResult, conclude, steps_scaling
from attention_core.experiments.scaling.snippet import SHORTEST, scaling_snippet
from attention_core.experiments.scaling.sweep import ScalingPart, steps_part

__all__ = [
    "D_HEADS",
    "SCALES",
    "SHORTEST",
    "Measured",
    "ScalingConfig",
    "ScalingCurves",
    "ScalingPart",
    "ScalingPicture",
    "ScalingResult",
    "ScalingSide",
    "check_d_head",
    "conclude",
    "run_picture",
    "scaling_snippet",
    "steps_part",
    "steps_scaling",
]
