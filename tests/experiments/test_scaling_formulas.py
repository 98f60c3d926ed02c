"""Formulas of the scaling experiment: exact where softmax saturates, finite in every precision."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core.measuring.bounds import tolerance
from attention_core.studies.scaling import ScalingConfig
from attention_core.studies.scaling.curves import ROW_STATISTICS
from attention_core.studies.scaling.inputs import Inputs, chunks
from attention_core.studies.scaling.stats import (
    entropy,
    jacobian,
    jacobian_norm,
    rest_of_row,
    row_norms,
    zeros_in,
)
from attention_core.studies.scaling.sweep import KeyLengths, attend, head, products, row_statistics


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


def attended(
    config: ScalingConfig, sizes: tuple[int, ...], factor: list[float]
) -> tuple[Inputs, torch.Tensor, torch.Tensor]:
    """The first chunk, and what a factor makes of it at some sizes."""
    modules, chunk = [head(config, d_head, 1.0) for d_head in sizes], next(chunks(config))
    factors = torch.tensor(factor, dtype=torch.float64)
    return chunk, *attend(products(chunk, modules), chunk, factors, KeyLengths(modules, "cpu"))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("inputs", [{}, {"inputs": "signs", "std": 2.0}, {"qk_norm": True}], ids=str)
def test_every_precision_stays_finite_at_4096(dtype: str, inputs: dict[str, object]) -> None:
    config = ScalingConfig(dtype=dtype, num_keys=8, device="cpu", **inputs)
    for factor in (1.0, 1 / 64):
        _, weights, gradients = attended(config, (64, 4096), [factor] * 2)
        statistics = row_statistics(weights, gradients)
        assert statistics.isfinite().all()
        assert (statistics >= 0).all()
        norms, epsilon = (statistics[ROW_STATISTICS.index(name)] for name in ("jacobian", "epsilon"))
        assert ((norms > 0) == (epsilon > 0)).all()
        assert ((weights.double() > 0).sum(-1) > 1).equal(norms > 0)


def test_gradients_are_those_of_the_closed_form() -> None:
    chunk, found, gradients = attended(ScalingConfig(num_keys=5, device="cpu"), (4, 16), [0.3, 0.7])
    for size, (d_head, factor) in enumerate(((4, 0.3), (16, 0.7))):
        q, k = chunk.queries[:, :d_head], chunk.keys[:, :d_head]
        torch.testing.assert_close(found[size], (factor * q @ k.mT).softmax(-1))
        for row in range(3):
            moved = jacobian(found[size, row][None])[0] @ chunk.upstream[row]
            wanted = (factor * k.mT @ moved).norm()
            torch.testing.assert_close(gradients[size, row], wanted, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize(
    ("dtype", "num_keys", "settings"),
    [
        ("float64", 5, {}), ("float64", 64, {"qk_norm": True}), ("float64", 1, {"mean": 2.0, "correlation": 0.9}),
        ("float32", 64, {}), ("float32", 5, {"mean": 2.0, "correlation": 0.9}), ("bfloat16", 5, {"qk_norm": True}),
        ("bfloat16", 64, {"mean": 2.0, "correlation": 0.9}), ("float16", 64, {}), ("float16", 1, {"qk_norm": True}),
    ],
    ids=str,
)  # fmt: skip
def test_all_sizes_and_factors_at_once_give_what_a_module_of_each_size_and_factor_gives(
    dtype: str, num_keys: int, settings: dict[str, object]
) -> None:
    """Weights and ‖∂L/∂q‖ by autograd through the module itself, within what rounding of the scores may do."""
    config = ScalingConfig(num_keys=num_keys, dtype=dtype, device="cpu", **settings)
    sizes, precise = (1, 2, 4, 64, 1024), torch.float32 if config.torch_dtype.itemsize < 8 else torch.float64
    scaled = [1 / math.sqrt(d_head) for d_head in sizes]
    chunk, found, gradients = attended(config, sizes, scaled)
    for size, d_head in enumerate(sizes):
        module = head(config, d_head, scaled[size])
        own = module.trace_weights(chunk.queries[None, :, :d_head].requires_grad_(), chunk.keys[None, :, :d_head])
        (gradient,) = torch.autograd.grad(own.weights, own.q, chunk.upstream[None, None])
        q, k = own.q[0, 0].detach().double(), own.k[0, 0].double()
        # The scores of both are off by at most this; the logarithm of a weight is off by twice as much at most.
        off = float((q.abs() @ k.abs().mT).max()) * scaled[size] * tolerance(precise, scale=1, terms=d_head)
        off = 2 * off + 4 * torch.finfo(config.torch_dtype).eps
        weights, theirs = found[size].double(), own.weights[0, 0].detach().double()
        tiny = torch.finfo(config.torch_dtype).smallest_normal
        assert ((weights - theirs).abs() <= off * theirs + tiny).all()
        # ∂L/∂q = Kᵀ(diag a − aaᵀ)·upstream·factor: each weight that is off moves it by its key times its upstream.
        sizes_of = theirs * (chunk.upstream.double().abs() + chunk.upstream.double().abs().amax(-1, keepdim=True))
        room = 4 * scaled[size] * off * (sizes_of @ k.norm(dim=-1)) + d_head * num_keys * tiny * float(
            k.abs().max() + 1
        )
        assert ((gradients[size] - row_norms(gradient[0, 0])).abs() <= room).all()


def test_lengths_are_kept_where_keys_are_turned_and_lost_where_half_precision_loses_them() -> None:
    """float16 drops what is below 6e-8; turned keys would have kept it."""
    for dtype, kept in (("float64", True), ("float16", False)):
        config = ScalingConfig(num_keys=3, dtype=dtype, device="cpu")
        modules, chunk = [head(config, 64, 1.0)], next(chunks(config))
        gradient = torch.full((1, 2, 3), 1e-10, dtype=torch.float64 if kept else torch.float32)
        assert bool((KeyLengths(modules, "cpu").of(gradient, chunk) > 0).all()) == kept


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_zeros_are_what_storing_in_half_precision_gives(half: torch.dtype) -> None:
    rows = (10.0 ** torch.linspace(-50, 0, 3001, dtype=torch.float64))[None]
    assert zeros_in(half, rows).item() == (rows.to(half) == 0).double().mean().item()
