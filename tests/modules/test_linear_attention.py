"""Linear attention against loops, its own quadratic form, and torch's counter."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from attention_core.measuring.bounds import tolerance
from attention_core.modules.linear_attention import LinearAttention, positive_features
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Learned, NoPosition, Sinusoidal
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from tests.modules.draws import redrawn, tokens

F64 = torch.float64


def linear(*, seed: int = 0, dtype: torch.dtype = F64, **options: Any) -> LinearAttention:
    return redrawn(LinearAttention(12, 6, dtype=dtype, **({"d_head": 3} | options)), seed)


def by_hand(module: LinearAttention, x: torch.Tensor, y: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """Head by head, query by query, key by key, with Python's numbers."""

    def phi(number: float) -> float:
        return number + 1 if number > 0 else math.exp(number)

    def rows(z: torch.Tensor, role: str) -> torch.Tensor:
        weight, bias = getattr(module, f"{role}_weight"), getattr(module, f"{role}_bias")
        z = z if weight is None else z @ weight.mT
        return z if bias is None else z + bias

    q, k, v = rows(x, "q"), rows(y, "k"), rows(y, "v")
    d_head, shared = module.d_head, module.num_heads // module.num_kv_heads
    context = torch.zeros(*x.shape[:2], module.num_heads * d_head, dtype=F64)
    for b in range(len(x)):
        for head in range(module.num_heads):
            for i in range(x.shape[1]):
                sums, total, pairs = [0.0] * d_head, 0.0, range(d_head)
                for j in seen[b, i].nonzero().flatten().tolist():
                    asked = [phi(float(q[b, i, head * d_head + c])) for c in pairs]
                    met = [phi(float(k[b, j, head // shared * d_head + c])) for c in pairs]
                    weight = math.fsum(a * c for a, c in zip(asked, met, strict=True))
                    total += weight
                    sums = [
                        s + weight * float(v[b, j, head // shared * d_head + c])
                        for c, s in zip(pairs, sums, strict=True)
                    ]
                for c in range(d_head):
                    context[b, i, head * d_head + c] = sums[c] / total if total else 0.0
    return context if module.o_weight is None else context @ module.o_weight.mT + module.o_bias


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_both_forms_are_the_loops(num_kv_heads: int, causal: bool, padded: bool) -> None:
    module, x = linear(num_kv_heads=num_kv_heads), tokens(2, 7, 12)
    padding = torch.tensor([[False] * 7, [True] * 3 + [False, False, True, False]]) if padded else None
    seen = torch.ones(2, 7, 7, dtype=torch.bool)
    seen = seen.tril() if causal else seen
    if padding is not None:
        seen = seen & ~padding[:, None]
    expected = by_hand(module, x, x, seen)
    given = {"is_causal": causal, "key_padding_mask": padding}
    assert (module(x, **given) - expected).abs().max() < 1e-13
    trace = module.trace(x, **given)
    assert (trace.output - expected).abs().max() < 1e-13
    assert torch.equal(trace.weights != 0, seen[:, None].expand(-1, 6, -1, -1))
    blind = ~seen.any(-1)
    sums = trace.weights.sum(-1)
    assert (sums - (~blind)[:, None].double()).abs().max() < 1e-15 * 8
    assert torch.equal(module(x, **given)[blind], module.o_bias.expand(int(blind.sum()), -1))
    wrong = {"is_causal": not causal, "key_padding_mask": padding}
    assert (module(x, **wrong) - expected).abs().max() > 0.01


@given(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(0, 12)),
    st.sampled_from((Full(), TiedKeyValue(), TiedQueryKey(), Identity())),
    st.sampled_from((NoPosition(), Sinusoidal(), Learned(20))),
    st.sampled_from((F64, torch.float32)),
    st.sampled_from(("self", "causal", "cross")),
    st.booleans(),
)
@settings(max_examples=80)
def test_the_linear_form_is_the_quadratic_form(
    sizes: tuple[int, int, int], projections: Any, position: Any, dtype: torch.dtype, kind: str, padded: bool
) -> None:
    batch, q_len, kv_len = sizes
    options = {"d_head": 2} if isinstance(projections, Identity) else {}
    module = linear(projections=projections, position=position, dtype=dtype, **options)
    args = tuple(tokens(batch, n, 12, seed=n).to(dtype) for n in ((q_len, kv_len) if kind == "cross" else (q_len,)))
    padding = torch.rand(batch, args[-1].shape[1], generator=torch.Generator().manual_seed(1)) < 0.4
    given = {"is_causal": kind == "causal", "key_padding_mask": padding if padded else None}
    given["query_positions"] = torch.arange(q_len) + 2
    with torch.no_grad():
        trace, output = module.trace(*args, **given), module(*args, **given)
    assert output.shape == trace.output.shape == (batch, q_len, 12)
    if output.numel():
        # Every weight is positive, so no sum cancels: each form rounds by its lengths, relative to the values' size.
        largest = float(trace.v.abs().max()) if trace.v.numel() else 0.0
        matrix = 1.0 if module.o_weight is None else float(module.o_weight.abs().sum(1).max())
        bound = tolerance(dtype, scale=max(1.0, largest * matrix), terms=2 * args[-1].shape[1] + 4 * 12)
        assert (output - trace.output).abs().max() <= bound


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_sums_in_float32(dtype: torch.dtype) -> None:
    """The sum of φ(q)·φ(k) over 20,000 keys is above float16's 65,504."""
    module, x, y = linear(dtype=dtype), tokens(1, 5, 12).to(dtype), tokens(1, 20_000, 12, seed=8).to(dtype)
    exact = linear().requires_grad_(False)
    exact.load_state_dict(module.state_dict())
    output = module(x, y)
    assert output.dtype == dtype
    trace = exact.trace(x.double(), y.double())
    assert trace.scores.sum(-1).max() > 65504
    # q and k are rounded once before φ, whose slope is at most 1, and the output once after it.
    size = float(trace.v.abs().max() * exact.o_weight.abs().sum(1).max())
    assert (output - trace.output).abs().max() <= 4 * torch.finfo(dtype).eps * size


def test_its_cost_grows_with_the_tokens_and_not_with_their_square() -> None:
    """Counted by torch, without projections: 2 products of d_head × (d_head + 1) for each token and head; causal ones
    by blocks of d_head tokens, d_head more for each pair of a block."""
    module = LinearAttention(12, 2, projections=Identity())
    for n in (6, 12, 48, 192):
        counted = {}
        for causal in (False, True):
            with FlopCounterMode(display=False) as counter:
                module(tokens(1, n, 12).float(), is_causal=causal)
            counted[causal] = counter.get_total_flops()
        assert counted[False] == 2 * n * 2 * 2 * 6 * 7
        assert counted[True] == 2 * n * (2 * 2 * 6 * 7 + 2 * 6 * (6 + 7))
        with FlopCounterMode(display=False) as counter:
            module.trace(tokens(1, n, 12).float())
        assert counter.get_total_flops() == 2 * 2 * 2 * n**2 * 6


def test_parameters_are_those_of_multi_head_attention() -> None:
    module = linear(num_kv_heads=2)
    full = MultiHeadAttention(12, 6, d_head=3, num_kv_heads=2, dtype=F64)
    full.load_state_dict(module.state_dict())
    x = tokens(2, 5, 12)
    assert (full.trace(x).v - module.trace(x).v).abs().max() < 1e-14
    assert (positive_features(full.trace(x).q) - module.trace(x).q).abs().max() < 1e-14
    assert repr(module) == "LinearAttention(d_model=12, num_heads=6, num_kv_heads=2, d_head=3)"
    assert (module.with_kv_heads(6)(x) - module(x)).abs().max() < 1e-13
