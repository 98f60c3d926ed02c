"""Runs of the scaling experiment that several tests look at, each made once."""

from functools import cache

from attention_core.experiments.scaling import ScalingConfig, ScalingCurves, ScalingResult, run_scaling

ARRAYS = [name for name in ScalingCurves.__slots__ if name != "name"]


@cache
def run(**settings: object) -> ScalingResult:
    return run_scaling(ScalingConfig(**settings))
