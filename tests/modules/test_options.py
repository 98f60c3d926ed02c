"""Parameters, options and refusals of the module."""

import copy
import math
from typing import Any

import pytest
import torch

from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Learned
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey, split_heads
from tests.modules.draws import redrawn, tokens
from tests.modules.refusals import refused

F64 = torch.float64
BIASES = ("q_bias", "k_bias", "v_bias", "o_bias")


def attention(*args: Any, seed: int = 0, **options: Any) -> MultiHeadAttention:
    return redrawn(MultiHeadAttention(*args, dtype=F64, **options), seed)


@pytest.mark.parametrize("on", [(), ("q_bias",), ("k_bias", "o_bias"), ("v_bias", "q_bias"), BIASES])
@pytest.mark.parametrize("projections", [Full(), TiedKeyValue(), TiedQueryKey()])
def test_biases_one_by_one(on: tuple[str, ...], projections: Any) -> None:
    """An absent bias is no parameter; a present one adds what a zeroed one does not, and has its own gradient."""
    module = attention(15, 3, projections=projections, **{name: name in on for name in BIASES})
    assert {name for name in BIASES if getattr(module, name) is not None} == set(on)
    one = {TiedKeyValue: {"k_bias", "v_bias"}, TiedQueryKey: {"q_bias", "k_bias"}}.get(type(projections), set())
    stored = {name for name, _ in module.named_parameters(remove_duplicate=False)} & set(BIASES)
    assert len(stored) == len(on) - bool(one and one <= set(on)), "tied ones are stored once"
    x, y = tokens(2, 5, 15), tokens(2, 7, 15, seed=8)
    for name in on:
        gradient = torch.autograd.grad(module(x, y).square().sum(), getattr(module, name))[0]
        assert gradient.shape == getattr(module, name).shape
        without = copy.deepcopy(module)
        with torch.no_grad():
            getattr(without, name).zero_()
        moved = (without(x, y) - module(x, y)).abs().max()
        alone = name == "k_bias" and module.k_bias is not module.q_bias and module.k_bias is not module.v_bias
        assert (moved < 1e-13) == alone
        assert alone or moved > 0.01


@pytest.mark.parametrize("projections", [TiedKeyValue(), TiedQueryKey()])
@pytest.mark.parametrize("on", [(True, True), (True, False), (False, True), (False, False)])
def test_tied_projections_share_matrix_and_bias(projections: Any, on: tuple[bool, bool]) -> None:
    """As the untied module with equal matrices: on both sides with both biases, else each side keeps what it has."""
    first, second = ("k", "v") if isinstance(projections, TiedKeyValue) else ("q", "k")
    switches = {f"{first}_bias": on[0], f"{second}_bias": on[1]}
    module = attention(15, 3, projections=projections, **switches)
    full = attention(15, 3, **switches)
    assert module.in_weight.numel() == 2 * 15 * 15
    assert (getattr(module, f"{first}_bias") is getattr(module, f"{second}_bias")) == (on[0] == on[1])
    with torch.no_grad():
        for role in "qkv":
            getattr(full, f"{role}_weight").copy_(getattr(module, f"{role}_weight"))
            if getattr(module, f"{role}_bias") is not None:
                getattr(full, f"{role}_bias").copy_(getattr(module, f"{role}_bias"))
        full.o_weight.copy_(module.o_weight)
        full.o_bias.copy_(module.o_bias)
    x, y = tokens(2, 5, 15), tokens(2, 7, 15, seed=8)
    assert (module(x) - full(x)).abs().max() < 1e-13
    assert (module(x, y) - full(x, y)).abs().max() < 1e-13


def test_identity_has_no_parameters_and_cuts_the_tokens_into_heads() -> None:
    module = MultiHeadAttention(6, 3, projections=Identity())
    assert list(module.parameters()) == []
    assert module.q_weight is module.k_weight is module.v_weight is None
    trace = module.trace(torch.eye(6)[None])
    assert torch.equal(trace.q, split_heads(torch.eye(6)[None], 3))
    assert torch.equal(trace.output, trace.context.transpose(1, 2).flatten(2))


def test_matrices_are_views_that_can_be_replaced() -> None:
    module, x = attention(15, 3, d_head=7), tokens(2, 5, 15)
    assert [tuple(w.shape) for w in (module.q_weight, module.k_weight, module.v_weight)] == [(21, 15)] * 3
    before = module(x)
    with torch.no_grad():
        module.v_weight.zero_()
        module.v_bias.zero_()
    assert torch.equal(module(x), module.o_bias.expand_as(before))
    assert module.in_weight[:42].abs().min() > 0
    assert module.in_weight[42:].abs().max() == 0


def test_initialization_is_that_of_torchs_linear() -> None:
    torch.manual_seed(0)
    module = MultiHeadAttention(1024, 8)
    for parameter in module.parameters():
        assert parameter.abs().max() <= 1024**-0.5
    assert module.in_weight.std().item() == pytest.approx(1024**-0.5 / 3**0.5, rel=0.01)
    first = module.in_weight.clone()
    module.reset_parameters()
    assert not torch.equal(first, module.in_weight)


def test_zero_sink_takes_weight_and_no_mask_hides_it() -> None:
    module, x = attention(6, 2, zero_sink=True, o_bias=False), tokens(1, 5, 6)
    trace = module.trace(x, attn_mask=torch.zeros(5, 5, dtype=torch.bool))
    assert torch.equal(trace.weights[..., 5], torch.ones(1, 2, 5, dtype=F64))
    assert torch.equal(trace.output, torch.zeros(1, 5, 6, dtype=F64))
    causal = module.trace(x, is_causal=True)
    assert (causal.weights[0, :, 0, 1:5] == 0).all()
    assert (causal.weights[..., 5] > 0).all()
    assert torch.equal(causal.k[..., 5, :], torch.zeros(1, 2, 3, dtype=F64))


@pytest.mark.parametrize("options", [{}, {"soft_cap": 0.8}, {"position": Learned(9), "num_kv_heads": 1}])
def test_a_gate_multiplies_what_is_fetched_by_a_number_of_the_token_that_asks(options: Any) -> None:
    module, x, y = attention(6, 2, gate=True, **options), tokens(2, 5, 6), tokens(2, 4, 6, seed=3)
    trace, asks = module.trace(x, y), x if module.added_position is None else module.added_position(x)
    wanted = torch.zeros(2, 5, 6, dtype=F64)
    for b in range(2):
        for i in range(5):
            row = [0.0] * 6  # the heads side by side
            for at in range(6):
                opened = 1 / (1 + math.exp(-float((module.gate_weight[at] @ asks[b, i]).detach())))
                row[at] = opened * float(trace.context[b, at // 3, i, at % 3])
            wanted[b, i] = module.o_weight @ torch.tensor(row, dtype=F64) + module.o_bias
    assert (module(x, y) - wanted).abs().max() < 1e-14
    assert (trace.output - wanted).abs().max() < 1e-14
    values = trace.v.repeat_interleave(2 // module.num_kv_heads, dim=1)
    assert (trace.weights @ values - trace.context).abs().max() < 1e-14, "which is what it was without a gate"
    assert torch.autograd.gradcheck(lambda w: torch.func.functional_call(module, {"gate_weight": w}, (x, y)),
                                    module.gate_weight.detach().requires_grad_())  # fmt: skip


def test_a_closed_gate_lets_nothing_through_and_a_new_one_half() -> None:
    module, x = attention(6, 2, gate=True), tokens(1, 5, 6).abs()
    open_ = MultiHeadAttention(6, 2, dtype=F64)
    open_.load_state_dict({name: each for name, each in module.state_dict().items() if name != "gate_weight"})
    with torch.no_grad():
        module.gate_weight.fill_(-1e6)
        assert torch.equal(module(x), module.o_bias.expand(1, 5, 6))
        module.gate_weight.zero_()
        assert torch.allclose(2 * (module(x) - module.o_bias), open_(x) - open_.o_bias, rtol=0, atol=1e-14)
    module.reset_parameters()
    assert 0 < float(module.gate_weight.detach().abs().max()) <= 6**-0.5
    assert module.extra_repr() == "d_model=6, num_heads=2, gate=True"
    with refused("gate = True is not possible with LatentKeyValue(): what is fetched are latents, not values."):
        MultiHeadAttention(6, 2, gate=True, projections=LatentKeyValue(2))


@pytest.mark.parametrize(("options", "scale"), [({}, 1 / 3**0.5), ({"scale": 0.7}, 0.7), ({"scale": 0.0}, 0.0)])
def test_the_scale_is_one_over_the_root_of_d_head_unless_given(options: Any, scale: float) -> None:
    module = attention(6, 2, **options)
    trace = module.trace(tokens(1, 5, 6))
    assert module.scale == pytest.approx(scale, rel=1e-15)
    assert (trace.scores - scale * (trace.q @ trace.k.mT)).abs().max() < 1e-14


def test_dropout_acts_in_training_only_and_the_trace_shows_the_applied_weights() -> None:
    module, x = attention(6, 2, dropout=0.5), tokens(2, 31, 6)
    torch.manual_seed(0)
    trace = module.trace(x)
    assert (trace.weights == 0).double().mean() == pytest.approx(0.5, abs=0.05)
    assert torch.equal(trace.weights @ trace.v, trace.context)
    assert not torch.equal(module(x), module(x))
    module.eval()
    assert torch.equal(module(x), module(x))
    assert (module.trace(x).weights > 0).all()


def test_heads_lie_one_after_the_other_where_matrix_products_follow() -> None:
    module, x = attention(6, 2), tokens(3, 5, 6)
    assert all(heads.is_contiguous() for heads in module.into_heads(x, x, x, contiguous=True))
    assert not any(heads.is_contiguous() for heads in module.into_heads(x, x, x))
    trace = module.trace(x)
    assert all(heads.is_contiguous() for heads in (trace.q, trace.k, trace.v))
