"""What is said of counts and times, the cell of a config, and the exported curves."""

import dataclasses

from attention_core.studies.complexity import ComplexityConfig, run_complexity
from attention_core.studies.complexity.draw import (
    cell_of,
    complexity_view,
    proof,
    times_curves,
    times_said,
)
from tests.figures.times import CURVES


def test_the_cell_of_a_config() -> None:
    assert cell_of(ComplexityConfig(num_queries=64, num_keys=64, d_model=32)) == (0, 1, 2)
    for none in ({"num_queries": 32, "num_keys": 64}, {"num_queries": 65, "num_keys": 65}, {"d_model": 24}):
        assert cell_of(ComplexityConfig(**none)) is None


def test_a_fused_kernel_is_told_by_what_it_gives_and_holds_and_not_by_a_count() -> None:
    sizes = {"num_queries": 200, "num_keys": 300, "d_model": 32, "num_heads": 4, "device": "cpu", "dtype": "float64"}
    result, written_out = (run_complexity(ComplexityConfig(fused=fused, **sizes)) for fused in (True, False))
    assert result.fused_apart <= result.fused_rounding < 1e-10
    assert result.largest_made == 300 * 32 * 8, "keys or values: no tensor is larger"
    assert written_out.largest_made == 4 * 200 * 300 * 8 == result.weights_bytes
    said = complexity_view(result).summary
    text = "its largest tensor has `0.0732 MiB`, so it never stores them"
    assert "differs by no more than rounding and never stores the weights" in said
    assert "its largest tensor has 75 KiB, they have 1,875" in said
    assert "does not look inside" in said
    wrong = dataclasses.replace(result, fused_apart=0.5, largest_made=result.weights_bytes)
    assert "differs by more than rounding; its" in complexity_view(wrong).summary
    assert "never stores" not in complexity_view(wrong).summary, "on a device without one"
    undecided = "its largest tensor has `1.83 MiB`, which does not tell whether it stores them"
    proofs = ["\n".join(str(step.measured) for step in proof(each, None)) for each in (result, wrong, written_out)]
    assert [(text in each, undecided in each) for each in proofs] == [(True, False), (False, True), (False, False)]
    assert "fused kernel" not in complexity_view(written_out).summary


def test_an_exponent_that_times_do_not_tell_is_not_said() -> None:
    for low, high, said in ((-1.77, 2.58, False), (0.9, 1.85, True), (0.9, 1.95, False)):
        fits = (dataclasses.replace(CURVES.fits[0], exponent=1.4, low=low, high=high), *CURVES.fits[1:])
        times = dataclasses.replace(CURVES, fits=fits)
        assert ("explicit (trace): time ∝ n^1.40" in times_said(times)) == said
        assert ("explicit (trace): these times cannot tell how they grow with n" in times_said(times)) != said
        assert (times_curves(times).data[0].name == "explicit (trace), ∝ n^1.40") == said
