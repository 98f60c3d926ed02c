"""The four systems that the sources write out, each computed the source's way beside the package's module."""

import pytest
import torch
from torch import nn

from attention_core.modules.bert import BertSelfAttention, extended_attention_mask
from attention_core.modules.dot_product import scaled_dot_product_attention
from attention_core.modules.multi_head import MultiHeadAttention
from tests.modules.draws import tokens
from tests.modules.refusals import refused

F64 = torch.float64


def test_source_a_self_attention_of_bert() -> None:
    """A: three linear layers, heads by reshape, scores / √d_head, additive mask, softmax, merged context, no W_O."""
    heads, d_head, batch, n = 3, 5, 2, 7
    query, key, value = (nn.Linear(heads * d_head, heads * d_head, dtype=F64) for _ in range(3))
    hidden = tokens(batch, n, heads * d_head)
    mask = extended_attention_mask(torch.tensor([[1] * 7, [1] * 4 + [0] * 3]), dtype=F64)
    parts = [layer(hidden).reshape(batch, n, heads, d_head).permute(0, 2, 1, 3) for layer in (query, key, value)]
    probabilities = torch.softmax(parts[0] @ parts[1].transpose(2, 3) / d_head**0.5 + mask, dim=3)
    expected = (probabilities @ parts[2]).permute(0, 2, 1, 3).reshape(batch, n, heads * d_head)

    ours = BertSelfAttention(heads * d_head, heads, dtype=F64)
    with torch.no_grad():
        for role, layer in (("q", query), ("k", key), ("v", value)):
            getattr(ours.attention, f"{role}_weight").copy_(layer.weight)
            getattr(ours.attention, f"{role}_bias").copy_(layer.bias)
    assert (ours(hidden, mask) - expected).abs().max() < 1e-14
    assert (ours(hidden) - expected).abs().max() > 0.01
    with refused("hidden_size = 16 is not a multiple of num_attention_heads = 3."):
        BertSelfAttention(16, 3)


def test_source_b_appendix_key_bias_on_and_off() -> None:
    """B publishes 1.27e-08 (mean difference of outputs), 1.7e-16 (its variance) and 3.9e-09 (weights), in float32.

    Same seed and draws; the last digits depend on threads and instruction set, so the figures hold within a factor 2.
    In float64 the difference falls by the ratio of the two precisions: it is rounding.
    """
    torch.manual_seed(42)
    x = torch.randn(1, 16, 1024)
    layers = [nn.Linear(1024, 1024, bias=False) for _ in range(3)]
    nn.Linear(1024, 1024, bias=False)  # the second model's query layer, drawn and then overwritten
    bias = nn.Linear(1024, 1024).bias.detach()

    def measured(dtype: torch.dtype) -> tuple[float, float, float]:
        traces = []
        for k_bias in (False, True):
            off = {"q_bias": False, "v_bias": False, "output_projection": False}
            module = MultiHeadAttention(1024, 32, k_bias=k_bias, dtype=dtype, **off)
            with torch.no_grad():
                module.in_weight.copy_(torch.cat([layer.weight for layer in layers]))
                if k_bias:
                    module.k_bias.copy_(bias)
                traces.append(module.trace(x.to(dtype)))
        moved = (traces[0].output - traces[1].output).abs()
        weights = (traces[0].weights - traces[1].weights).abs()
        return float(moved.mean()), float(moved.var()), float(weights.mean())

    published = (1.2734082233123445e-08, 1.7173628739783402e-16, 3.949708116124384e-09)
    for ours, theirs in zip(measured(torch.float32), published, strict=True):
        assert theirs / 2 < ours < theirs * 2
    ratio = torch.finfo(torch.float32).eps / torch.finfo(torch.float64).eps
    exact = measured(torch.float64)
    assert exact[0] < 4 * published[0] / ratio
    assert exact[2] < 4 * published[2] / ratio


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_source_c_scaled_dot_product_attention(causal: bool, padded: bool, dtype: torch.dtype) -> None:
    """C: inputs (n, tokens, d_head); −∞ at padding, a matrix of −∞ above the diagonal, softmax in float32."""
    q, k, v = (tokens(2, n, 5, seed=n).to(dtype) for n in (3, 7, 8))
    v = v[:, :7]
    padding = torch.arange(7) >= torch.tensor([[7], [4]])
    scores = torch.einsum("ntd,nsd->nts", q, k) / 5**0.5
    if padded:
        scores = scores.masked_fill(padding[:, None], -torch.inf)
    if causal:
        scores = scores + torch.full((3, 7), -torch.inf).triu(1).to(dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    weights = torch.softmax(scores, dim=-1, dtype=wide).to(dtype)
    expected = torch.einsum("nts,nsd->ntd", weights, v)
    ours = scaled_dot_product_attention(q, k, v, key_padding_mask=padding if padded else None, is_causal=causal)
    assert (ours - expected).abs().max() <= 16 * torch.finfo(dtype).eps
    assert ours.dtype == dtype


@pytest.mark.parametrize("causal", [False, True])
def test_source_c_multi_head_forward(causal: bool) -> None:
    """C: project, fold the heads into the batch, attend with the padding repeated for each head, unfold, project."""
    heads, d_head, batch, q_len, kv_len = 3, 5, 2, 11 if causal else 7, 11
    d_model = heads * d_head
    projections = [nn.Linear(d_model, d_model, dtype=F64) for _ in range(4)]
    x, y = tokens(batch, q_len, d_model), tokens(batch, kv_len, d_model, seed=1)
    padding = torch.arange(kv_len) >= torch.tensor([[11], [6]])

    def folded(t: torch.Tensor) -> torch.Tensor:
        return t.reshape(batch, -1, heads, d_head).transpose(1, 2).reshape(batch * heads, -1, d_head)

    q, k, v = (folded(layer(t)) for layer, t in zip(projections, (x, y, y), strict=False))
    repeated = padding.repeat_interleave(heads, dim=0)
    o = scaled_dot_product_attention(q, k, v, key_padding_mask=repeated, is_causal=causal)
    merged = o.reshape(batch, heads, q_len, d_head).transpose(1, 2).reshape(batch, q_len, d_model)
    expected = projections[3](merged)

    ours = MultiHeadAttention(d_model, heads, dtype=F64)
    with torch.no_grad():
        ours.in_weight.copy_(torch.cat([layer.weight for layer in projections[:3]]))
        ours.o_weight.copy_(projections[3].weight)
        for name, layer in zip(("q_bias", "k_bias", "v_bias", "o_bias"), projections, strict=True):
            getattr(ours, name).copy_(layer.bias)
    assert (ours(x, y, key_padding_mask=padding, is_causal=causal) - expected).abs().max() < 1e-14
    assert (ours(x, y, is_causal=causal) - expected).abs().max() > 0.01
