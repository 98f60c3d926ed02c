"""Fewer heads of keys and values than of queries: against torch's own, Llama's, and the full module."""

import copy
from typing import Any

import pytest
import torch

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, RelativeKey, Rotary
from attention_core.modules.projections import Full, TiedKeyValue
from tests.modules.draws import redrawn, tokens

F64 = torch.float64
KV_HEADS = (1, 2, 3, 6)


def attention(num_kv_heads: int | None, seed: int = 0, **options: Any) -> MultiHeadAttention:
    module = MultiHeadAttention(13, 6, d_head=4, num_kv_heads=num_kv_heads, **({"dtype": F64} | options))
    return redrawn(module, seed, std=0.5)


@pytest.mark.parametrize(
    "options",
    [{}, {"position": Rotary()}, {"position": Alibi()}, {"position": RelativeKey(2, both=True)}, {"qk_norm": True}],
)
@pytest.mark.parametrize("projections", [Full(), TiedKeyValue()])
@pytest.mark.parametrize("on", [(True, True), (True, False), (False, False)])
def test_repeated_keys_and_values_compute_the_same(options: Any, projections: Any, on: tuple[bool, bool]) -> None:
    """Full attention whose heads of keys and values are those of their group, and the middle of the way there."""
    module = attention(1, projections=projections, k_bias=on[0], v_bias=on[1], zero_sink=True, **options)
    x, y = tokens(2, 5, 13), tokens(2, 7, 13, seed=8)
    for more in (2, 3, 6):
        full = module.with_kv_heads(more)
        assert full.num_kv_heads == more
        assert (full(x, y) - module(x, y)).abs().max() < 1e-13
        assert (full(x) - module(x)).abs().max() < 1e-13
        assert (full.trace(x).weights - module.trace(x).weights).abs().max() < 1e-14
        back = full.with_kv_heads(1)
        for name, each in back.state_dict().items():
            torch.testing.assert_close(each, module.state_dict()[name], rtol=0, atol=1e-15)


def test_fewer_heads_are_means_of_those_they_replace() -> None:
    """Ainslie et al. (2023), section 2.1, by hand: the mean of neighbouring heads' matrices and biases."""
    full = attention(None, qk_norm=True).eval()
    full.in_weight.requires_grad_(False)
    pooled = full.with_kv_heads(2)
    for name in ("k_weight", "v_weight", "k_bias", "v_bias"):
        heads = list(getattr(full, name).split(4))
        by_hand = torch.cat([sum(heads[:3]) / 3, sum(heads[3:]) / 3])
        torch.testing.assert_close(getattr(pooled, name), by_hand, rtol=0, atol=1e-15)
    for name in ("q_weight", "q_bias", "o_weight", "o_bias"):
        assert torch.equal(getattr(pooled, name), getattr(full, name))
    assert not pooled.training
    assert (pooled.in_weight.requires_grad, pooled.k_bias.requires_grad) == (False, True)
    assert pooled.in_weight.shape == (24 + 2 * 8, 13)
    with torch.no_grad():
        pooled.k_weight.zero_()
    assert full.k_weight.abs().min() > 0, "the weights are a copy"
    assert torch.equal(full.with_kv_heads(6)(tokens(1, 5, 13)), full(tokens(1, 5, 13)))


def test_a_checkpoint_of_before_loads() -> None:
    """Without ``num_kv_heads`` names, shapes and order of the parameters are what they were."""
    module = attention(None)
    shapes = {name: tuple(each.shape) for name, each in module.state_dict().items()}
    assert shapes == {
        "in_weight": (72, 13), "q_bias": (24,), "k_bias": (24,), "v_bias": (24,), "o_weight": (13, 24),
        "o_bias": (13,),
    }  # fmt: skip
    assert attention(6, seed=1).load_state_dict(copy.deepcopy(module.state_dict())) is not None
    assert repr(module) == repr(attention(6)) == "MultiHeadAttention(d_model=13, num_heads=6, d_head=4)"
    assert repr(attention(2)) == "MultiHeadAttention(d_model=13, num_heads=6, num_kv_heads=2, d_head=4)"
