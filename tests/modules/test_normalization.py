"""Norms: what each output number depends on, its length, which part of a bias survives, refusals."""

from typing import Any

import pytest
import torch
from torch import nn

from attention_core.modules.feed_forward import GELU, FeedForward, ReLU, SiLU
from attention_core.modules.normalization import BatchNorm, LayerNorm, NoNorm, RMSNorm, TokenBatchNorm
from tests.modules.draws import redrawn, tokens

F64 = torch.float64


def build(norm: Any, d_model: int) -> nn.Module:
    return redrawn(norm.build(d_model, dtype=F64), seed=1)


def support(module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Where the derivative of an output by an input is not 0: (batch, tokens, d, batch, tokens, d)."""
    return torch.autograd.functional.jacobian(module, x) != 0


def test_ln_deps_layer_and_rms_norm_look_at_their_own_token_only() -> None:
    same_token = torch.eye(6, dtype=torch.bool).view(2, 3, 1, 2, 3, 1).expand(2, 3, 5, 2, 3, 5)
    for norm in (LayerNorm(), RMSNorm()):
        assert torch.equal(support(build(norm, 5), tokens(2, 3, 5)), same_token)


def test_ln_deps_batch_norm_looks_at_its_own_feature_only_and_in_eval_at_one_number() -> None:
    same_feature = torch.eye(5, dtype=torch.bool).view(1, 1, 5, 1, 1, 5).expand(2, 3, 5, 2, 3, 5)
    module, x = build(BatchNorm(), 5), tokens(2, 3, 5)
    assert torch.equal(support(module, x), same_feature)
    alone = torch.eye(30, dtype=torch.bool).view(2, 3, 5, 2, 3, 5)
    assert torch.equal(support(module.eval(), x), alone)
    assert torch.equal(support(NoNorm().build(5), x), alone)


def test_batch_norm_pools_batch_and_tokens_and_keeps_running_statistics() -> None:
    x = tokens(3, 5, 7)
    module = BatchNorm(eps=0.5, momentum=0.25).build(7, dtype=F64)
    expected = (x - x.mean((0, 1))) / (x.var((0, 1), correction=0) + 0.5).sqrt()
    assert (module(x) - expected).abs().max() < 1e-14
    assert (module.running_mean - 0.25 * x.mean((0, 1))).abs().max() < 1e-15
    slots = nn.BatchNorm1d(5, dtype=F64)(x)  # what torch does with (batch, tokens, d): it normalises slots
    assert (slots - expected).abs().max() > 0.1


def test_rms_norm_by_hand() -> None:
    """The mean square of (3, 4) is 12.5, and with 12.5 for eps the root is 5."""
    token = torch.tensor([[[3.0, 4.0]]], dtype=F64)
    for eps, root in ((0.0, 12.5**0.5), (12.5, 5.0)):
        normed = RMSNorm(eps=eps).build(2, dtype=F64)(token)
        assert normed.flatten().tolist() == pytest.approx([3 / root, 4 / root])


def test_feed_forward_by_hand_and_token_by_token() -> None:
    network = FeedForward(2, 3, activation=ReLU(), dtype=F64)
    with torch.no_grad():
        network.widen.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        network.widen.bias.copy_(torch.tensor([0.0, -1.0, 0.0]))
        network.narrow.weight.copy_(torch.tensor([[1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]))
        network.narrow.bias.zero_()
    # (−2, 3) widens to (−2, 2, 1), ReLU leaves (0, 2, 1), which narrows to (4, 1).
    assert network(torch.tensor([[[-2.0, 3.0]]], dtype=F64)).flatten().tolist() == [4.0, 1.0]
    wide = FeedForward(5, dtype=F64)
    assert wide.widen.out_features == 20
    assert wide.activation == GELU()
    x = tokens(2, 3, 5)
    changed = x.clone()
    changed[0, 1] += 1
    moved = (wide(changed) - wide(x)).abs().sum(-1) > 0
    assert moved.tolist() == [[False, True, False], [False, False, False]]


def test_gelu_is_exact() -> None:
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=F64)
    normal = torch.distributions.Normal(torch.tensor(0.0, dtype=F64), torch.tensor(1.0, dtype=F64))
    assert (GELU()(x) - x * normal.cdf(x)).abs().max() < 1e-15


def test_gelu_by_tanh_and_silu_by_hand() -> None:
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=F64)
    by_tanh = x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2
    assert (GELU(tanh=True)(x) - by_tanh).abs().max() < 1e-15
    assert 1e-5 < (GELU(tanh=True)(x) - GELU()(x)).abs().max() < 1e-3
    assert (SiLU()(x) - x / (1 + (-x).exp())).abs().max() < 1e-15


def test_a_gate_by_hand() -> None:
    network = FeedForward(2, 3, activation=ReLU(), gated=True, bias=False, dtype=F64)
    assert {name for name, _ in network.named_parameters()} == {"widen.weight", "narrow.weight", "gate.weight"}
    with torch.no_grad():
        network.widen.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        network.gate.weight.copy_(torch.tensor([[-1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]))
        network.narrow.weight.copy_(torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]))
    # (−2, 3) widens to (−2, 3, 1); the gate is (2, 6, −2), of which ReLU leaves (2, 6, 0): (−4, 18, 0) narrows.
    assert network(torch.tensor([[[-2.0, 3.0]]], dtype=F64)).flatten().tolist() == [32.0, 18.0]


def test_what_is_not_said_is_the_usual() -> None:
    assert (LayerNorm().eps, RMSNorm().eps, BatchNorm().eps, BatchNorm().momentum) == (1e-5, None, 1e-5, 0.1)
    assert (GELU().tanh, FeedForward(5).widen.out_features, FeedForward(5).activation) == (False, 20, GELU())
    for norm, made in (
        (LayerNorm(0.25), nn.LayerNorm),
        (RMSNorm(0.25), nn.RMSNorm),
        (BatchNorm(0.25), TokenBatchNorm),
    ):
        module = norm.build(3)
        assert type(module) is made
        assert module.eps == 0.25
