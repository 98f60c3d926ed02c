"""Runs of the scaling experiment that several tests look at, each part measured once."""

from functools import cache

from attention_core.studies.scaling import (
    Measured,
    ScalingConfig,
    ScalingCurves,
    ScalingPart,
    ScalingPicture,
    ScalingResult,
    result_of,
    run_picture,
    steps_part,
)

ARRAYS = [name for name in ScalingCurves.__slots__ if name != "name"]


@cache
def part(config: ScalingConfig) -> ScalingPart:
    *_, measured = steps_part(config)
    assert isinstance(measured, ScalingPart)
    return measured


@cache
def run(**settings: object) -> ScalingResult:
    config = ScalingConfig(**settings)
    return result_of(Measured(config, tuple(map(part, config.parts))))


@cache
def picture(**settings: object) -> ScalingPicture:
    return run_picture(ScalingConfig(**settings).for_picture)
