"""Scaling: what dividing q·k by √d_head does to scores, weights and gradients, for d_head = 1, 2, 4 … 4096."""

from attention_core.experiments.scaling.config import D_HEADS, INPUTS, SCALES, ScalingConfig, check_d_head
from attention_core.experiments.scaling.measure import run_scaling, steps_scaling
from attention_core.experiments.scaling.result import ScalingCurves, ScalingResult, ScalingView
from attention_core.experiments.scaling.snippet import scaling_snippet

__all__ = [
    "D_HEADS",
    "INPUTS",
    "SCALES",
    "ScalingConfig",
    "ScalingCurves",
    "ScalingResult",
    "ScalingView",
    "check_d_head",
    "run_scaling",
    "scaling_snippet",
    "steps_scaling",
]
