"""What is left out under a mask, how curves are told, and what tables hold, for the questions about projections."""

from dataclasses import replace

import pytest

from attention_core.figures.proof import code
from attention_core.measuring.number_format import format_number
from attention_core.studies.projections import ProjectionsConfig, run_projections
from attention_core.studies.projections.draw import (
    projections_view,
    proof,
)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
@pytest.mark.parametrize("spread", [0.0, 0.8])
def test_digits_that_rounding_decides_stand_beside_those_of_float64(dtype: str, spread: float) -> None:
    config = ProjectionsConfig(topic="collapse", dtype=dtype, spread=spread, seed=486995)
    result = run_projections(config)
    exact = run_projections(replace(config, dtype="float64", device="cpu"))
    half = dtype in ("bfloat16", "float16")
    alone, added = (format_number(float(value)) for value in exact.left[:, -1])
    told = f"in float64 it is {alone} and {added} times."
    assert (told in projections_view(config, result).summary) == half
    apart = f"goes to {code(exact.apart[0, -1])}, and with the residual to {code(exact.apart[1, -1])}."
    assert [apart in step.measured for step in proof(result)] == [False, half]
