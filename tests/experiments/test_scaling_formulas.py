"""Formulas of the scaling experiment: exact where softmax saturates, finite in every precision."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.scaling import ScalingConfig
from attention_core.experiments.scaling.curves import ROW_STATISTICS
from attention_core.experiments.scaling.inputs import chunks
from attention_core.experiments.scaling.stats import (
    entropy,
    jacobian,
    jacobian_norm,
    rest_of_row,
    row_norms,
    zeros_in,
)
from attention_core.experiments.scaling.sweep import attend, head, row_statistics


def random_rows(spread: float) -> torch.Tensor:
    stream = torch.Generator().manual_seed(1)
    return (spread * torch.randn(500, 7, generator=stream, dtype=torch.float64)).softmax(-1)


@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0, 5.0, 20.0])
def test_jacobian_and_its_norm_are_the_textbook_s(spread: float) -> None:
    rows = random_rows(spread)
    textbook = torch.diag_embed(rows) - rows[:, :, None] * rows[:, None, :]
    torch.testing.assert_close(jacobian(rows), textbook, rtol=0, atol=1e-15)
    torch.testing.assert_close(jacobian_norm(rows), torch.linalg.matrix_norm(jacobian(rows)), rtol=1e-12, atol=0)


@given(st.lists(st.floats(-800, 0), min_size=1, max_size=9))
def test_no_row_breaks_the_bounds(scores: list[float]) -> None:
    weights = torch.tensor([scores], dtype=torch.float64).softmax(-1)
    norm, epsilon = float(jacobian_norm(weights)), float(rest_of_row(weights))
    assert 0 <= norm <= 2 * epsilon * (1 + 1e-12)
    assert (norm > 0) == (epsilon > 0)


def test_nothing_cancels_or_underflows_where_softmax_saturates() -> None:
    tiny = torch.tensor([[1.0, 1e-200], [1.0, 5e-324], [1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    torch.testing.assert_close(
        jacobian_norm(tiny), torch.tensor([2e-200, 1e-323, 0, 0], dtype=torch.float64), rtol=1e-12, atol=0
    )
    assert rest_of_row(tiny).tolist() == [1e-200, 5e-324, 0, 0]
    assert float(row_norms(torch.tensor([[3e-300, 4e-300]], dtype=torch.float64))) == pytest.approx(5e-300)
    assert row_norms(torch.zeros(1, 3)).tolist() == [0]
    assert entropy(tiny)[2:].tolist() == [0, 0]
    assert float(entropy(torch.full((1, 8), 0.125))) == pytest.approx(math.log(8))
    # The textbook's expanded square is what this avoids.
    one = torch.tensor([1.0 - 2**-24, 2**-24])
    expanded = one.square().sum() - 2 * one.pow(3).sum() + one.square().sum() ** 2
    assert expanded <= 0 < float(jacobian_norm(one[None]))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("inputs", [{}, {"inputs": "signs", "std": 2.0}, {"qk_norm": True}], ids=str)
def test_every_precision_stays_finite_at_4096(dtype: str, inputs: dict[str, object]) -> None:
    config = ScalingConfig(dtype=dtype, num_keys=8, **inputs)
    chunk = next(chunks(config))
    for attended in attend(head(config, 4096, 1.0), chunk, [1.0, head(config, 4096).scale]):
        statistics = row_statistics(attended.weights, row_norms(attended.gradient))
        assert statistics.isfinite().all()
        assert (statistics >= 0).all()
        norms, epsilon = (statistics[ROW_STATISTICS.index(name)] for name in ("jacobian", "epsilon"))
        assert ((norms > 0) == (epsilon > 0)).all()
        assert ((attended.weights.double() > 0).sum(-1) > 1).equal(norms > 0)


def test_gradients_are_those_of_the_closed_form() -> None:
    config = ScalingConfig(num_keys=5)
    chunk = next(chunks(config))
    own, other = attend(head(config, 16, 1.0), chunk, [0.3, 0.7])
    for factor, attended in ((0.3, own), (0.7, other)):
        scores = factor * chunk.queries[:, :16] @ chunk.keys[:, :16].mT
        torch.testing.assert_close(attended.weights, scores.softmax(-1))
        for row in range(3):
            moved = jacobian(attended.weights[row][None])[0] @ chunk.upstream[row]
            torch.testing.assert_close(
                attended.gradient[row], factor * chunk.keys[:, :16].mT @ moved, rtol=1e-10, atol=1e-14
            )


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_one_product_serves_every_factor_as_a_module_of_its_own_would(dtype: str) -> None:
    config = ScalingConfig(num_keys=5, dtype=dtype)
    chunk, modules = next(chunks(config)), [head(config, 16, 0.7), head(config, 16)]
    shared = attend(head(config, 16, 1.0), chunk, [module.scale for module in modules])
    for module, served in zip(modules, shared, strict=True):
        (alone,) = attend(module, chunk)
        trace = module.trace(chunk.queries[None, :, :16], chunk.keys[None, :, :16])
        assert torch.equal(alone.weights, trace.weights[0, 0])
        for name in ("scores", "weights", "gradient"):
            assert torch.equal(getattr(served, name), getattr(alone, name)), name


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_zeros_are_what_storing_in_half_precision_gives(half: torch.dtype) -> None:
    rows = (10.0 ** torch.linspace(-50, 0, 3001, dtype=torch.float64))[None]
    assert zeros_in(half, rows).item() == (rows.to(half) == 0).double().mean().item()
