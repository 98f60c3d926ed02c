"""The module against independent answers: NumPy loops, torch's module, torch's fused function, one head at a time."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from attention_core.device import available_devices
from attention_core.modules.dot_product import precise_scores
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from tests.modules.draws import Draw, draws, redraw
from tests.modules.oracle import answer
from tests.sweeps import some_by_day


@given(draws())
@settings(max_examples=60)
def test_forward_and_trace_compute_what_the_loops_compute(example: Draw) -> None:
    expected = answer(example.module, example.case())
    bound = example.bound(expected)
    trace = example.module.trace(*example.args, **example.masks)
    weighed = example.module.trace_weights(*example.args, **example.masks)
    for name in weighed._fields:
        assert torch.equal(getattr(weighed, name), getattr(trace, name)), name
    with np.errstate(invalid="ignore"):
        for name in ("scores", "masked_scores", "weights", "context", "output"):
            ours, theirs = getattr(trace, name).detach().double().numpy(), getattr(expected, name)
            assert ours.shape == theirs.shape, name
            assert (np.isinf(ours) == np.isinf(theirs)).all(), name
            assert np.nan_to_num(np.abs(ours - theirs)).max() <= bound, name
    forward = example.module(*example.args, **example.masks).detach().double().numpy()
    assert np.abs(forward - expected.output).max() <= bound


@given(draws())
@settings(max_examples=40)
def test_forward_equals_one_head_at_a_time(example: Draw) -> None:
    bound = example.bound(answer(example.module, example.case()))
    loop = loop_over_heads(example.module, *example.args, **example.masks)
    assert (example.module(*example.args, **example.masks) - loop).abs().max() <= bound


@pytest.mark.parametrize("device", available_devices())
@pytest.mark.parametrize("options", [{}, {"zero_sink": True}, {"qk_norm": True}])
def test_every_device_computes_the_same(device: str, options: dict[str, bool]) -> None:
    generator = torch.Generator().manual_seed(3)
    module = MultiHeadAttention(10, 2, dtype=torch.float32, **options)
    redraw(module, generator)
    x = torch.randn(3, 7, 10, generator=generator)
    seen = torch.rand(3, 7, 7, generator=generator) < 0.6
    seen[1, 2] = False
    example = Draw(module, (x,), {"attn_mask": seen})
    expected = answer(module, example.case())
    output = module.to(device)(x.to(device), attn_mask=seen.to(device))
    assert output.isfinite().all()
    assert np.abs(output.detach().cpu().double().numpy() - expected.output).max() <= example.bound(expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_stays_close_and_softmax_is_taken_in_float32(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(4)
    module = MultiHeadAttention(10, 2, dtype=dtype)
    redraw(module, generator, std=0.4)
    x, y = (torch.randn(3, n, 10, generator=generator).to(dtype) for n in (5, 61))
    trace = module.trace(x, y)
    example = Draw(module, (x, y), {})
    expected = answer(module, example.case())
    scores = precise_scores(trace.q, trace.k, scale=module.scale)
    assert torch.equal(trace.weights, scores.softmax(-1).to(dtype))
    assert torch.equal(trace.masked_scores, scores.to(dtype))
    # Sums are accumulated in float32 and rounded once: a handful of roundings, whatever their length.
    bound = 8 * torch.finfo(dtype).eps * expected.size
    for output in (trace.output, module(x, y)):
        assert output.dtype == dtype
        assert np.abs(output.detach().double().numpy() - expected.output).max() <= bound


@pytest.mark.parametrize(
    ("masked", "projections"),
    some_by_day(product([False, True], [Full(), TiedKeyValue(), TiedQueryKey(), Identity()]), of=3),
)
def test_gradients_are_those_of_finite_differences(projections: object, masked: bool) -> None:
    generator = torch.Generator().manual_seed(5)
    module = MultiHeadAttention(6, 2, projections=projections, qk_norm=True, dtype=torch.float64)
    redraw(module, generator)
    x = torch.randn(2, 5, 6, generator=generator, dtype=torch.float64, requires_grad=True)
    y = torch.randn(2, 3, 6, generator=generator, dtype=torch.float64, requires_grad=True)
    seen = torch.rand(2, 5, 3, generator=generator) < 0.5
    seen[0, 1] = False
    mask = seen if masked else None
    assert torch.autograd.gradcheck(lambda q, k: module(q, k, attn_mask=mask), (x, y))
    assert torch.autograd.gradcheck(lambda q, k: module.trace(q, k, attn_mask=mask).output, (x, y))
    parameters = tuple(module.parameters())
    names = [name for name, _ in module.named_parameters()]

    def of_parameters(*values: torch.Tensor) -> torch.Tensor:
        swapped = dict(zip(names, values, strict=True))
        return torch.func.functional_call(module, swapped, (x.detach(), y.detach()), {"attn_mask": mask})

    assert torch.autograd.gradcheck(of_parameters, parameters, fast_mode=True)
