"""Additive scores against a loop over pairs, and what is theirs alone; all that they share is drawn in ``draws``."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.modules.additive import additive_scores
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Learned
from attention_core.modules.stack import Decoder
from tests.modules.draws import redrawn, tokens

F64 = torch.float64


def attention(seed: int = 0, **options: Any) -> MultiHeadAttention:
    return redrawn(MultiHeadAttention(12, 4, **({"dtype": F64, "score": "additive"} | options)), seed)


@pytest.mark.parametrize("num_kv_heads", [None, 2, 1])
@pytest.mark.parametrize("causal", [False, True])
def test_it_is_a_loop_over_pairs(num_kv_heads: int | None, causal: bool) -> None:
    module, x = attention(num_kv_heads=num_kv_heads), tokens(1, 5, 12)
    p = {name: each.numpy() for name, each in module.state_dict().items()}
    kv_heads, n = num_kv_heads or 4, 5
    q, k, v = np.split(x[0].numpy() @ p["in_weight"].T, (12, 12 + 3 * kv_heads), axis=1)
    q, k, v = q + p["q_bias"], k + p["k_bias"], v + p["v_bias"]
    merged = np.zeros((n, 12))
    scores = np.zeros((4, n, n))
    for head in range(4):
        own, group = slice(3 * head, 3 * head + 3), head // (4 // kv_heads)
        shared = slice(3 * group, 3 * group + 3)
        for i in range(n):
            for j in range(n):
                pair = zip(p["score_weight"][head], q[i, own], k[j, shared], strict=True)
                scores[head, i, j] = math.fsum(w * math.tanh(a + b) for w, a, b in pair)
            seen = range(i + 1 if causal else n)
            powers = [math.exp(scores[head, i, j]) for j in seen]
            for j, power in zip(seen, powers, strict=True):
                merged[i, own] += power / math.fsum(powers) * v[j, shared]
    trace = module.trace(x, is_causal=causal)
    np.testing.assert_allclose(trace.scores[0].detach(), scores, atol=1e-14)
    expected = merged @ p["o_weight"].T + p["o_bias"]
    for output in (trace.output, module(x, is_causal=causal)):
        np.testing.assert_allclose(output[0].detach(), expected, atol=1e-13)


def test_gradients_are_those_of_finite_differences() -> None:
    module, y = attention(num_kv_heads=2, qk_norm=True), tokens(2, 3, 12, seed=9).requires_grad_()
    x, seen = tokens(2, 4, 12).requires_grad_(), torch.ones(4, 3, dtype=torch.bool)
    seen[1] = False  # a query that sees no key
    assert torch.autograd.gradcheck(lambda q, k: module(q, k, attn_mask=seen), (x, y))
    names, values = zip(*module.named_parameters(), strict=True)

    def of_parameters(*given: torch.Tensor) -> torch.Tensor:
        swapped = dict(zip(names, given, strict=True))
        return torch.func.functional_call(module, swapped, (x.detach(), y.detach()), {"attn_mask": seen})

    assert "score_weight" in names
    assert torch.autograd.gradcheck(of_parameters, values, fast_mode=True)


@pytest.mark.parametrize("options", [{}, {"position": Alibi()}, {"position": Learned(9)}, {"zero_sink": True}])
def test_word_by_word_with_a_cache_it_is_the_causal_whole(options: dict[str, Any]) -> None:
    module, x = attention(num_kv_heads=2, **options), tokens(2, 6, 12)
    whole, cache = module(x, is_causal=True), module.cache(2, 6)
    with torch.no_grad():
        parts = torch.cat([module(each, cache=cache) for each in x.split((1, 3, 2), dim=1)], dim=1)
    assert (parts - whole).abs().max() < 1e-13


def test_the_laws_of_order_are_those_of_products() -> None:
    module, x, y, order = attention(), tokens(1, 5, 12), tokens(1, 7, 12, seed=8), [3, 0, 4, 1, 2]
    assert (module(x[:, order]) - module(x)[:, order]).abs().max() < 1e-14
    assert (module(x, y.flip(1)) - module(x, y)).abs().max() < 1e-14
    assert (module(x[:, order], is_causal=True) - module(x, is_causal=True)[:, order]).abs().max() > 1e-2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_scores_in_float32(dtype: torch.dtype) -> None:
    q, k, w = tokens(2, 3, 4, dtype=dtype), tokens(2, 5, 4, seed=8, dtype=dtype), tokens(2, 4, seed=9, dtype=dtype)
    scores = additive_scores(q, k, w, scale=0.5)
    assert scores.dtype == torch.float32
    exact = additive_scores(q.double(), k.double(), w.double(), scale=0.5)
    assert (scores - exact).abs().max() < 1e-6
    module = attention(dtype=dtype)
    trace = module.trace(tokens(1, 5, 12, dtype=dtype))
    assert {each.dtype for each in trace} == {dtype}
    with torch.autocast("cpu", dtype):
        assert attention(dtype=torch.float32).trace(tokens(1, 5, 12, dtype=torch.float32)).weights.dtype == dtype


def test_dropout_acts_on_its_weights_in_training_only() -> None:
    module, x = attention(dropout=0.5), tokens(2, 31, 12)
    torch.manual_seed(0)
    trace = module.trace(x)
    assert (trace.weights == 0).double().mean() == pytest.approx(0.5, abs=0.05)
    assert torch.equal(trace.weights @ trace.v, trace.context)
    assert not torch.equal(module(x), module(x))
    module.eval()
    assert torch.equal(module(x), module.trace(x).output)


def test_its_parameters_its_scale_and_how_it_shows_itself() -> None:
    torch.manual_seed(0)
    module = MultiHeadAttention(64, 4, score="additive")
    assert module.scale == 1.0
    assert module.score_weight.shape == (4, 16)
    first = module.score_weight.clone()
    assert 0 < first.abs().max() <= 0.25
    module.reset_parameters()
    assert not torch.equal(first, module.score_weight)
    assert repr(module) == "MultiHeadAttention(d_model=64, num_heads=4, score='additive')"
    assert MultiHeadAttention(8, 2, score="additive", scale=2.0).extra_repr().endswith("score='additive', scale=2.0")
    products = MultiHeadAttention(64, 4)
    assert products.score_weight is None
    assert set(module.state_dict()) - set(products.state_dict()) == {"score_weight"}
    assert repr(products) == "MultiHeadAttention(d_model=64, num_heads=4)"
    doubled, x = attention(scale=2.0), tokens(1, 3, 12)
    assert torch.equal(doubled.trace(x).scores, 2 * attention().trace(x).scores)


def test_a_stack_has_it_in_every_layer() -> None:
    decoder = Decoder(12, 4, 2, score="additive")
    assert [layer.self_attention.score for layer in decoder.layers] == ["additive", "additive"]
    assert decoder(tokens(1, 3, 12, dtype=torch.float32)).isfinite().all()
