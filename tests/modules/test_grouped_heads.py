"""Fewer heads of keys and values than of queries: against torch's own, Llama's, and the full module."""

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from attention_core.experiments.bounds import tolerance
from attention_core.modules.block import TransformerBlock
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Rotary
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from tests.modules.draws import redrawn, tokens
from tests.modules.refusals import refused

F64 = torch.float64
KV_HEADS = (1, 2, 3, 6)


def drawn(num_kv_heads: int | None, seed: int = 0, **options: Any) -> MultiHeadAttention:
    module = MultiHeadAttention(13, 6, d_head=4, num_kv_heads=num_kv_heads, **({"dtype": F64} | options))
    return redrawn(module, seed, std=0.5)


@pytest.mark.parametrize("num_kv_heads", KV_HEADS)
@pytest.mark.parametrize("dtype", [F64, torch.float32])
@pytest.mark.parametrize("masked", [False, True])
def test_forward_is_torchs_own_with_enable_gqa(num_kv_heads: int, dtype: torch.dtype, masked: bool) -> None:
    module, x = drawn(num_kv_heads, dtype=dtype), tokens(2, 7, 13, dtype=dtype)
    rows = [24, 4 * num_kv_heads, 4 * num_kv_heads]
    q, k, v = F.linear(x, module.in_weight, torch.cat((module.q_bias, module.k_bias, module.v_bias))).split(rows, -1)
    q, k, v = (each.unflatten(-1, (-1, 4)).transpose(1, 2) for each in (q, k, v))
    seen = torch.rand(2, 1, 7, 7, generator=torch.Generator().manual_seed(1)) < 0.7
    seen[..., 0] = True
    mask = seen if masked else None
    context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    expected = F.linear(context.transpose(1, 2).flatten(2), module.o_weight, module.o_bias)
    bound = tolerance(dtype, scale=float(expected.abs().max()), terms=13 + 4 + 2 * 7 + 24)
    trace = module.trace(x, attn_mask=mask)
    assert trace.k.shape == trace.v.shape == (2, num_kv_heads, 7, 4)
    for output in (module(x, attn_mask=mask), module(x, x.clone(), attn_mask=mask), trace.output):
        assert (output - expected).abs().max() <= bound
    wrong = F.scaled_dot_product_attention(q, k.flip(1), v, attn_mask=mask, enable_gqa=True)
    wrong = F.linear(wrong.transpose(1, 2).flatten(2), module.o_weight, module.o_bias)
    assert num_kv_heads == 1 or (wrong - expected).abs().max() > 100 * bound


@pytest.mark.parametrize("options", [{}, {"position": Rotary()}, {"position": Alibi()}, {"qk_norm": True}])
@pytest.mark.parametrize("projections", [Full(), TiedKeyValue()])
@pytest.mark.parametrize("on", [(True, True), (True, False), (False, False)])
def test_repeated_keys_and_values_compute_the_same(options: Any, projections: Any, on: tuple[bool, bool]) -> None:
    """Full attention whose heads of keys and values are those of their group, and the middle of the way there."""
    module = drawn(1, projections=projections, k_bias=on[0], v_bias=on[1], zero_sink=True, **options)
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
    full = drawn(None, qk_norm=True).eval()
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


@pytest.mark.parametrize("num_kv_heads", KV_HEADS)
def test_parameters_are_as_many_as_the_formula_says(num_kv_heads: int) -> None:
    weights = 13 * 4 * (6 + 2 * num_kv_heads) + 13 * 24
    biases = 4 * (6 + 2 * num_kv_heads) + 13
    assert sum(each.numel() for each in drawn(num_kv_heads).parameters()) == weights + biases


def test_a_checkpoint_of_before_loads() -> None:
    """Without ``num_kv_heads`` names, shapes and order of the parameters are what they were."""
    module = drawn(None)
    shapes = {name: tuple(each.shape) for name, each in module.state_dict().items()}
    assert shapes == {
        "in_weight": (72, 13), "q_bias": (24,), "k_bias": (24,), "v_bias": (24,), "o_weight": (13, 24),
        "o_bias": (13,),
    }  # fmt: skip
    assert drawn(6, seed=1).load_state_dict(copy.deepcopy(module.state_dict())) is not None
    assert repr(module) == repr(drawn(6)) == "MultiHeadAttention(d_model=13, num_heads=6, d_head=4)"
    assert repr(drawn(2)) == "MultiHeadAttention(d_model=13, num_heads=6, num_kv_heads=2, d_head=4)"


def test_blocks_pass_it_on() -> None:
    block = TransformerBlock(12, 6, num_kv_heads=2, cross_attention=True)
    assert block.self_attention.num_kv_heads == block.cross_attention.num_kv_heads == 2


NO_GROUPS = "num_heads = 6 is not a multiple of num_kv_heads = {}: equally many heads of queries share each head of "
NO_GROUPS += "keys and values; choose a divisor."
ALIKE = "num_kv_heads = 2 is not num_heads = 6: {} makes queries and keys alike, so there are as many heads of both."


@pytest.mark.parametrize("kind", [MultiHeadAttention, LinearAttention])
@pytest.mark.parametrize(
    ("num_kv_heads", "projections", "sentence"),
    [
        (0, Full(), "num_kv_heads = 0 is not possible: a positive number is needed."),
        (4, Full(), NO_GROUPS.format(4)),
        (12, TiedKeyValue(), NO_GROUPS.format(12)),
        (2, TiedQueryKey(), ALIKE.format("TiedQueryKey()")),
        (2, Identity(), ALIKE.format("Identity()")),
    ],
)
def test_refusals(kind: Any, num_kv_heads: int, projections: Any, sentence: str) -> None:
    with refused(sentence):
        kind(12, 6, num_kv_heads=num_kv_heads, projections=projections)
    with refused(sentence):
        kind(12, 6, projections=projections).with_kv_heads(num_kv_heads)


def test_conversion_between_numbers_that_do_not_divide_is_refused() -> None:
    with refused("num_kv_heads = 2 is neither a multiple nor a divisor of the 3 there are."):
        drawn(3).with_kv_heads(2)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("dtype", [F64, torch.float32])
@pytest.mark.parametrize("halves", [True, False])
def test_equals_hugging_faces_llama_attention(num_kv_heads: int, dtype: torch.dtype, halves: bool) -> None:
    """Random weights. By halves as they are; by pairs with each head's rows of W_Q and W_K in the paper's order."""
    heads, d_head, d_model, n = 4, 6, 20, 7
    config = LlamaConfig(
        hidden_size=d_model, num_attention_heads=heads, num_key_value_heads=num_kv_heads, head_dim=d_head,
        num_hidden_layers=1, attn_implementation="sdpa", attention_bias=True,
    )  # fmt: skip
    theirs = redrawn(LlamaAttention(config, layer_idx=0).to(dtype).eval(), std=0.4)
    x, positions = tokens(2, n, d_model, dtype=dtype), torch.tensor([[3, 4, 5, 6, 7, 8, 9]] * 2)
    seen = torch.ones(n, n, dtype=torch.bool).tril()
    # Cosines and sines of theirs are in float32: here they are made anew in the precision of the inputs.
    inverse = 10000.0 ** (-torch.arange(0, d_head, 2, dtype=F64) / d_head)
    angles = (positions[..., None] * inverse).repeat(1, 1, 2)
    turns = angles.cos().to(dtype), angles.sin().to(dtype)
    made = LlamaRotaryEmbedding(config)(x.float(), positions)
    assert all(torch.allclose(ours.float(), each, atol=1e-5) for ours, each in zip(turns, made, strict=True))
    with torch.no_grad():
        expected = theirs(x, position_embeddings=turns, attention_mask=seen[None, None])[0]
    ours = MultiHeadAttention(
        d_model, heads, num_kv_heads=num_kv_heads, d_head=d_head, position=Rotary(halves=halves), dtype=dtype
    )
    order = torch.arange(d_head) if halves else torch.arange(d_head).view(2, -1).mT.flatten()
    state = {}
    for role, each in (("q", theirs.q_proj), ("k", theirs.k_proj), ("v", theirs.v_proj)):
        for kind, rows in (("weight", each.weight), ("bias", each.bias)):
            by_head = rows.detach().unflatten(0, (-1, d_head))
            state[f"{role}_{kind}"] = (by_head if role == "v" else by_head[:, order]).flatten(0, 1)
    packed = torch.cat([state.pop(f"{role}_weight") for role in "qkv"])
    ours.load_state_dict(
        {"in_weight": packed, "o_weight": theirs.o_proj.weight, "o_bias": theirs.o_proj.bias} | state
    )
    with torch.no_grad():
        trace = ours.trace(x, is_causal=True, query_positions=positions)
        score = float(trace.q.norm(dim=-1).max() * trace.k.norm(dim=-1).max()) / d_head**0.5
        scale = float(trace.v.abs().max()) * (1 + score) * float(theirs.o_proj.weight.norm(dim=1).max())
        bound = tolerance(dtype, scale=scale, terms=2 * d_model + d_head + 2 * n + heads * d_head)
        outputs = (trace.output, ours(x, is_causal=True, query_positions=positions))
        for output in outputs:
            assert (output - expected).abs().max() <= bound
        other = copy.deepcopy(ours)
        other.position = Rotary(halves=not halves)
        assert (other(x, is_causal=True, query_positions=positions) - expected).abs().max() > 100 * bound
