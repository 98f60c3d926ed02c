"""The module against independent answers: NumPy loops, torch's module, torch's fused function, one head at a time."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.device import available_devices
from attention_core.modules.dot_product import precise_scores
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import NoPosition
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from tests.modules.draws import POSITIONS, Draw, draws, redraw
from tests.modules.oracle import answer


@given(draws())
@settings(max_examples=150)
def test_forward_and_trace_compute_what_the_loops_compute(drawn: Draw) -> None:
    expected = answer(drawn.module, drawn.case())
    bound = drawn.bound(expected)
    trace = drawn.module.trace(*drawn.args, **drawn.masks)
    weighed = drawn.module.trace_weights(*drawn.args, **drawn.masks)
    for name in weighed._fields:
        assert torch.equal(getattr(weighed, name), getattr(trace, name)), name
    with np.errstate(invalid="ignore"):
        for name in ("scores", "masked_scores", "weights", "context", "output"):
            ours, theirs = getattr(trace, name).detach().double().numpy(), getattr(expected, name)
            assert ours.shape == theirs.shape, name
            assert (np.isinf(ours) == np.isinf(theirs)).all(), name
            assert np.nan_to_num(np.abs(ours - theirs)).max() <= bound, name
    forward = drawn.module(*drawn.args, **drawn.masks).detach().double().numpy()
    assert np.abs(forward - expected.output).max() <= bound


def test_weighing_masks_nothing_that_nobody_asked_for() -> None:
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
    assert (MultiHeadAttention(8, 2).trace_weights(x).weights > 0).all()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    "fault", ["scale", "heads swapped", "bias lost", "causal lost", "padding inverted", "weight"]
)
def test_the_bound_sees_a_wrong_module(dtype: torch.dtype, fault: str) -> None:
    """Each of these mistakes moves the answer by more than 100 times the bound: the comparison above can fail."""
    generator = torch.Generator().manual_seed(1)
    module = MultiHeadAttention(10, 2, dtype=dtype)
    redraw(module, generator, std=0.4)
    x = torch.randn(3, 7, 10, generator=generator, dtype=torch.float64).to(dtype)
    padding = torch.rand(3, 7, generator=generator) < 0.4
    drawn = Draw(module, (x,), {"is_causal": True, "key_padding_mask": padding})
    right = answer(module, drawn.case())
    masks = dict(drawn.masks)
    with torch.no_grad():
        match fault:
            case "scale":
                module.scale *= 1.1
            case "heads swapped":
                module.o_weight.copy_(module.o_weight.roll(5, dims=1))
            case "bias lost":
                module.v_bias.zero_()
            case "causal lost":
                masks["is_causal"] = False
            case "padding inverted":
                masks["key_padding_mask"] = ~padding
            case _:
                module.q_weight.copy_(module.q_weight.mT.clone())
        moved = np.abs(module(x, **masks).double().numpy() - right.output).max()
    assert moved > 100 * drawn.bound(right)


@given(draws())
@settings(max_examples=80)
def test_forward_equals_one_head_at_a_time(drawn: Draw) -> None:
    bound = drawn.bound(answer(drawn.module, drawn.case()))
    loop = loop_over_heads(drawn.module, *drawn.args, **drawn.masks)
    assert (drawn.module(*drawn.args, **drawn.masks) - loop).abs().max() <= bound


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: type(position).__name__)
@pytest.mark.parametrize("is_cross", [False, True])
@pytest.mark.parametrize("projections", [Full(), Identity()])
def test_one_head_at_a_time_takes_positions(position: object, is_cross: bool, projections: object) -> None:
    """Positions given for both sides, for the queries or for the keys alone, and for neither; without any mask."""
    generator = torch.Generator().manual_seed(6)
    module = MultiHeadAttention(12, 3, position=position, projections=projections, dtype=torch.float64)
    redraw(module, generator)
    args = tuple(
        torch.randn(2, n, 12, generator=generator, dtype=torch.float64) for n in ((7, 5) if is_cross else (7,))
    )
    queries, keys = torch.randperm(7, generator=generator) + 3, torch.randperm(args[-1].shape[1], generator=generator)
    given_positions = (
        {},
        {"query_positions": queries},
        {"key_positions": keys},
        {"query_positions": queries, "key_positions": keys},
    )
    outputs = []
    for positions in given_positions:
        drawn = Draw(module, args, positions)
        outputs.append(module(*args, **positions))
        bound = drawn.bound(answer(module, drawn.case()))
        assert (loop_over_heads(module, *args, **positions) - outputs[-1]).abs().max() <= bound
    assert isinstance(position, NoPosition) or (outputs[1] - outputs[3]).abs().max() > 0.01


@given(draws(positions=(NoPosition(),), projections=(Full(),)), st.booleans())
@settings(max_examples=80)
def test_equals_torchs_module(drawn: Draw, add_zero_attn: bool) -> None:
    """Same weights, same inputs, torch's own ``nn.MultiheadAttention`` in its explicit form."""
    ours = drawn.module
    dtype = drawn.args[0].dtype
    generator = torch.Generator().manual_seed(2)
    theirs = torch.nn.MultiheadAttention(
        ours.num_heads * ours.d_head, ours.num_heads, batch_first=True, add_zero_attn=add_zero_attn, dtype=dtype
    )
    redraw(theirs, generator)
    converted = MultiHeadAttention.from_torch(theirs)
    args = tuple(
        torch.randn(*x.shape[:2], theirs.embed_dim, generator=generator, dtype=torch.float64).to(dtype)
        for x in drawn.args
    )
    query, key, value = (*args, *args[-1:], *args[-1:])[:3]
    masks = {k: v for k, v in drawn.masks.items() if k in ("attn_mask", "key_padding_mask")}
    merged = Draw(converted, args, masks | {"is_causal": drawn.masks["is_causal"]})
    expected = answer(converted, merged.case())
    hidden = torch.isinf(torch.from_numpy(expected.masked_scores[..., : key.shape[1]]))
    if not add_zero_attn:  # torch's module gives NaN for a fully masked row: leave every query its first key
        hidden[..., 0] &= ~hidden.all(-1)
    added = torch.from_numpy(np.nan_to_num(expected.masked_scores - expected.scores, neginf=0.0))[..., : key.shape[1]]
    mask = added.to(dtype).masked_fill(hidden, -torch.inf)
    output, weights = theirs(query, key, value, attn_mask=mask.flatten(0, 1), average_attn_weights=False)
    trace = converted.trace(*args, attn_mask=mask)
    bound = merged.bound(expected)
    assert (trace.output - output).abs().max() <= bound
    assert (trace.weights - weights).abs().max() <= bound
    assert (converted(*args, attn_mask=mask) - output).abs().max() <= bound


@given(draws(positions=(NoPosition(),), projections=(Identity(),)))
@settings(max_examples=40)
def test_without_projections_equals_torchs_fused_function(drawn: Draw) -> None:
    module = drawn.module
    if module.q_norm is not None or module.zero_sink or module.window is not None:
        return
    query, key, value = (*drawn.args, *drawn.args[-1:], *drawn.args[-1:])[:3]
    q, k, v = (x.unflatten(-1, (module.num_heads, module.d_head)).transpose(1, 2) for x in (query, key, value))
    expected = answer(module, drawn.case())
    hidden = torch.isinf(torch.from_numpy(expected.masked_scores))
    hidden[..., 0] &= ~hidden.all(-1)
    context = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=~hidden, scale=module.scale)
    ours = module(*drawn.args, attn_mask=~hidden)
    assert (ours - context.transpose(1, 2).flatten(2)).abs().max() <= drawn.bound(expected)


@pytest.mark.parametrize("device", available_devices())
@pytest.mark.parametrize("options", [{}, {"zero_sink": True}, {"qk_norm": True}])
def test_every_device_computes_the_same(device: str, options: dict[str, bool]) -> None:
    generator = torch.Generator().manual_seed(3)
    module = MultiHeadAttention(10, 2, dtype=torch.float32, **options)
    redraw(module, generator)
    x = torch.randn(3, 7, 10, generator=generator)
    seen = torch.rand(3, 7, 7, generator=generator) < 0.6
    seen[1, 2] = False
    drawn = Draw(module, (x,), {"attn_mask": seen})
    expected = answer(module, drawn.case())
    output = module.to(device)(x.to(device), attn_mask=seen.to(device))
    assert output.isfinite().all()
    assert np.abs(output.detach().cpu().double().numpy() - expected.output).max() <= drawn.bound(expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_stays_close_and_softmax_is_taken_in_float32(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(4)
    module = MultiHeadAttention(10, 2, dtype=dtype)
    redraw(module, generator, std=0.4)
    x, y = (torch.randn(3, n, 10, generator=generator).to(dtype) for n in (5, 61))
    trace = module.trace(x, y)
    drawn = Draw(module, (x, y), {})
    expected = answer(module, drawn.case())
    scores = precise_scores(trace.q, trace.k, scale=module.scale)
    assert torch.equal(trace.weights, scores.softmax(-1).to(dtype))
    assert torch.equal(trace.masked_scores, scores.to(dtype))
    # Sums are accumulated in float32 and rounded once: a handful of roundings, whatever their length.
    bound = 8 * torch.finfo(dtype).eps * expected.size
    for output in (trace.output, module(x, y)):
        assert output.dtype == dtype
        assert np.abs(output.detach().double().numpy() - expected.output).max() <= bound


@pytest.mark.parametrize("projections", [Full(), TiedKeyValue(), TiedQueryKey(), Identity()])
@pytest.mark.parametrize("masked", [False, True])
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
