"""Norms: what each output number depends on, its length, which part of a bias survives, refusals."""

from typing import Any

import pytest
import torch
from torch import nn

from attention_core.modules.feed_forward import GELU, FeedForward, ReLU, SiLU
from attention_core.modules.normalization import BatchNorm, LayerNorm, NoNorm, RMSNorm, TokenBatchNorm
from tests.modules.draws import redrawn, tokens
from tests.modules.refusals import refused

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


@pytest.mark.parametrize("eps", [0.0, 1e-5, 0.3])
def test_ln_norm_length_is_gamma_root_d(eps: float) -> None:
    """‖y − β1‖ = |γ|√d·σ/√(σ² + ε); with ε = 0 the spread σ of the token does not matter."""
    module = LayerNorm(eps=eps).build(7, dtype=F64)
    with torch.no_grad():
        module.weight.fill_(-1.7)
        module.bias.fill_(0.4)
    x = 3 * tokens(2, 5, 7) + 2
    variance = x.var(-1, correction=0)
    expected = 1.7 * 7**0.5 * (variance / (variance + eps)).sqrt()
    assert ((module(x) - 0.4).norm(dim=-1) - expected).abs().max() < 1e-13
    constant = module(torch.ones(1, 1, 7, dtype=F64))
    assert constant.isnan().all() if eps == 0 else torch.equal(constant, torch.full((1, 1, 7), 0.4, dtype=F64))


def test_bias_norm_which_part_of_a_bias_survives() -> None:
    """BatchNorm cancels it, LayerNorm exactly its feature-constant part, RMSNorm nothing."""
    x, bias = tokens(3, 5, 7), tokens(7, seed=3)
    mean = bias.mean().expand(7)
    batch, layer, rms = (build(norm, 7) for norm in (BatchNorm(), LayerNorm(), RMSNorm()))
    assert (batch(x + bias) - batch(x)).abs().max() < 1e-13
    assert (layer(x + mean) - layer(x)).abs().max() < 1e-13
    assert (layer(x + bias) - layer(x + bias - mean)).abs().max() < 1e-13
    assert (layer(x + bias) - layer(x)).abs().max() > 0.1
    assert (rms(x + mean) - rms(x)).abs().max() > 0.01
    batch.eval()
    assert (batch(x + bias) - batch(x)).abs().max() > 0.1


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


def test_one_token_cannot_train_a_batch_norm() -> None:
    module = TokenBatchNorm(3)
    sentence = "BatchNorm() cannot train on a single token: give two or more, or call eval() to use past statistics."
    with refused(sentence):
        module(torch.ones(1, 1, 3))
    assert module(torch.ones(1, 2, 3)).isfinite().all()
    assert module.eval()(torch.ones(1, 1, 3)).isfinite().all()


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


def test_feed_forward_refuses_sizes_that_are_not_positive() -> None:
    with refused("d_model = 0 is not possible: a positive number is needed."):
        FeedForward(0)
    with refused("d_ff = -1 is not possible: a positive number is needed."):
        FeedForward(4, -1)
