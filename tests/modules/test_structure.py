"""Masks, geometry and depth: the remaining statements about the module, with what breaks each."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.modules.block import TransformerBlock
from attention_core.modules.masks import key_padding_mask, to_additive
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm, LayerNorm, NoNorm
from attention_core.modules.positions import NoPosition, Rotary, Sinusoidal
from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder
from tests.modules.draws import redrawn, tokens

F64 = torch.float64
SEEDS = st.integers(0, 2**31)


@given(SEEDS)
@settings(max_examples=20)
def test_mask_encoder(seed: int) -> None:
    """What padding holds moves real outputs by exactly 0, and they are those of the unpadded sentence."""
    encoder = redrawn(Encoder(12, 3, 2, position=Sinusoidal(), dtype=F64))
    x, padding = tokens(2, 7, 12, seed=seed), key_padding_mask([7, 5])
    other = x.masked_fill(padding[..., None], 5.0)
    out = encoder(x, key_padding_mask=padding)
    assert torch.equal(encoder(other, key_padding_mask=padding)[~padding], out[~padding])
    assert (encoder(x[1:, :5]) - out[1, :5]).abs().max() < 1e-11
    assert (encoder(other) - encoder(x))[~padding].abs().max() > 0.01


def test_mask_encoder_breaks_with_batch_norm_and_with_nan_in_the_padding() -> None:
    x, padding = tokens(2, 7, 12), key_padding_mask([7, 5])
    other = x.masked_fill(padding[..., None], 5.0)
    encoder = redrawn(Encoder(12, 3, 2, norm=BatchNorm(), dtype=F64))
    moved = encoder(other, key_padding_mask=padding) - encoder(x, key_padding_mask=padding)
    assert moved[~padding].abs().max() > 0.01
    spoiled = x.masked_fill(padding[..., None], math.nan)
    module = redrawn(MultiHeadAttention(12, 3, dtype=F64))
    assert module(spoiled, key_padding_mask=padding)[1].isnan().all()
    assert module(spoiled, key_padding_mask=padding)[0].isfinite().all()


def test_mask_decoder_right_padding_needs_no_mask_left_padding_does() -> None:
    decoder, sentence = redrawn(Decoder(12, 3, 2, dtype=F64)), tokens(1, 5, 12)
    right = torch.cat([sentence, tokens(1, 2, 12, seed=1)], dim=1)
    left = torch.cat([tokens(1, 2, 12, seed=1), sentence], dim=1)
    alone = decoder(sentence)
    assert (decoder(right)[:, :5] - alone).abs().max() < 1e-12
    assert (decoder(left)[:, 2:] - alone).abs().max() > 0.1
    hidden = key_padding_mask([5], 7, left=True)
    masked = decoder(left, key_padding_mask=hidden)
    assert (masked[:, 2:] - alone).abs().max() < 1e-12
    assert masked.isfinite().all(), "padding on the left gives fully masked rows"
    shifted = redrawn(Decoder(12, 3, 2, position=Sinusoidal(), dtype=F64))
    off = shifted(left, key_padding_mask=hidden)[:, 2:] - shifted(sentence)
    assert off.abs().max() > 0.01
    positions = torch.tensor([0, 0, 0, 1, 2, 3, 4])
    mended = shifted(left, key_padding_mask=hidden, positions=positions)[:, 2:] - shifted(sentence)
    assert mended.abs().max() < 1e-12


def test_mask_encdec_padding_of_the_source_does_not_reach_the_target() -> None:
    model = redrawn(EncoderDecoder(12, 3, 2, dtype=F64))
    source, target, padding = tokens(2, 7, 12), tokens(2, 5, 12, seed=1), key_padding_mask([7, 5])
    other = source.masked_fill(padding[..., None], 5.0)
    out = model(source, target, source_key_padding_mask=padding)
    assert torch.equal(model(other, target, source_key_padding_mask=padding), out)
    assert (model(other, target) - model(source, target)).abs().max() > 0.01
    later = target.clone()
    later[:, 2] += 1.0
    assert torch.equal(model(source, later, source_key_padding_mask=padding)[:, :2], out[:, :2])


def test_mask_additive_minus_ten_thousand_is_minus_infinity_for_ordinary_scores() -> None:
    module, x = redrawn(MultiHeadAttention(12, 3, dtype=F64)), tokens(2, 7, 12)
    seen = torch.rand(7, 7, generator=torch.Generator().manual_seed(0)) < 0.6
    seen |= torch.eye(7, dtype=torch.bool)
    large, infinite = (to_additive(seen, F64, value=value) for value in (-1e4, -math.inf))
    assert torch.equal(module.trace(x, attn_mask=large).weights, module.trace(x, attn_mask=infinite).weights)
    module.scale *= 1e5
    leaking = module.trace(x, attn_mask=large).weights
    assert leaking.masked_select(~seen).max() > 0.5
    assert module.trace(x, attn_mask=infinite).weights.masked_select(~seen).max() == 0


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_mask_additive_a_row_of_minus_ten_thousands_is_not_hidden(dtype: torch.dtype) -> None:
    """The constant cancels, in half precision too, whose scores are float32; only its own rounding is left."""
    module, x = redrawn(MultiHeadAttention(12, 3, dtype=F64), std=0.3).to(dtype), tokens(2, 7, 12).to(dtype)
    blind = torch.full((7, 7), -1e4).to(dtype)
    weights, unmasked = module.trace(x, attn_mask=blind).weights, module.trace(x).weights
    # Of each of two scores; weights of at most 1.
    lost = torch.finfo(torch.promote_types(dtype, torch.float32)).eps * 1e4
    assert (weights - unmasked).abs().max() <= 2 * lost + torch.finfo(dtype).eps
    assert (unmasked - 1 / 7).abs().max() > 0.05
    assert (module.trace(x, attn_mask=torch.full((7, 7), -math.inf).to(dtype)).weights == 0).all()


@pytest.mark.parametrize("form", ["bool", "additive", "padding"])
def test_mask_full_gives_the_output_bias_and_finite_gradients(form: str) -> None:
    module, x = redrawn(MultiHeadAttention(12, 3, dtype=F64)), tokens(2, 7, 12)
    seen = torch.ones(2, 7, 7, dtype=torch.bool)
    seen[0, 3] = False
    if form == "padding":
        seen[0] = False
    masks = {
        "bool": {"attn_mask": seen},
        "additive": {"attn_mask": to_additive(seen, F64)},
        "padding": {"key_padding_mask": ~seen[:, 0]},
    }[form]
    blind = ~seen.any(-1)
    trace = module.trace(x, **masks)
    for output in (module(x, **masks), trace.output):
        assert torch.equal(output[blind], module.o_bias.expand_as(output[blind]))
        grads = torch.autograd.grad(output.square().sum(), tuple(module.parameters()), retain_graph=True)
        assert all(grad.isfinite().all() for grad in grads)
    assert (trace.weights.transpose(1, 2)[blind] == 0).all()
    assert (trace.masked_scores.transpose(1, 2)[blind] == -math.inf).all()
    encoder = redrawn(Encoder(12, 3, 2, dtype=F64))
    assert encoder(x, key_padding_mask=key_padding_mask([0, 7])).isfinite().all()


@given(SEEDS)
@settings(max_examples=30)
def test_convex_hull(seed: int) -> None:
    """In every direction no context reaches beyond its head's values, unless dropout scales the weights up."""
    module = redrawn(MultiHeadAttention(12, 3, dtype=F64, dropout=0.5)).eval()
    x = tokens(2, 7, 12, seed=seed)
    directions = torch.cat([torch.eye(4, dtype=F64), tokens(64, 4, seed=seed)])
    trace = module.trace(x)
    reach = (trace.v @ directions.mT).amax(-2, keepdim=True)
    assert (trace.context @ directions.mT - reach).max() <= 1e-14
    module.train()
    torch.manual_seed(seed)
    beyond = module.trace(tokens(200, 7, 12, seed=seed))
    assert (beyond.context @ directions.mT - (beyond.v @ directions.mT).amax(-2, keepdim=True)).max() > 0.01


@pytest.mark.parametrize(
    ("options", "holds"), [({}, True), ({"position": Rotary()}, False), ({"qk_norm": True}, False)]
)
def test_gauge(options: Any, holds: bool) -> None:
    """W_Q → M W_Q, W_K → M⁻ᵀ W_K, W_V → N W_V, W_O → W_O N⁻¹ in a head, and heads permuted: the same function."""
    module = redrawn(MultiHeadAttention(12, 3, dtype=F64, **options))
    x, y = tokens(2, 5, 12), tokens(2, 7, 12, seed=1)
    before, weights = module(x, y), module.in_weight.detach().clone()
    with torch.no_grad():
        for head in range(3):
            rows = slice(4 * head, 4 * head + 4)
            m, n = (torch.eye(4, dtype=F64) + 0.3 * tokens(4, 4, seed=10 * head + i) for i in (1, 2))
            for role, change in (("q", m), ("k", m.inverse().T), ("v", n)):
                for each in (getattr(module, f"{role}_weight"), getattr(module, f"{role}_bias")):
                    each[rows] = change @ each[rows]
            module.o_weight[:, rows] = module.o_weight[:, rows] @ n.inverse()
        order = torch.tensor([2, 0, 1]).repeat_interleave(4) * 4 + torch.arange(4).repeat(3)
        for role in "qkv":
            for each in (getattr(module, f"{role}_weight"), getattr(module, f"{role}_bias")):
                each.copy_(each[order].clone())
        module.o_weight.copy_(module.o_weight[:, order].clone())
    residual = (module(x, y) - before).abs().max()
    assert (residual < 1e-12) == holds
    assert holds or residual > 1e-3
    assert (module.in_weight - weights).norm() > 0.5 * weights.norm()


def test_rank_collapse() -> None:
    """Attention alone draws all tokens together with depth; a causal mask only slows it, the residual prevents it."""
    distance = {}
    for name, stack, residual in (("alone", Encoder, False), ("causal", Decoder, False), ("residual", Encoder, True)):
        torch.manual_seed(0)
        block = {"d_ff": 0, "norm": NoNorm(), "residual": residual, "v_bias": False, "o_bias": False}
        with torch.no_grad():
            x = stack(16, 4, 12, dtype=F64, **block)(tokens(1, 32, 16))
        distance[name] = float((x - x.mean(1, keepdim=True)).norm() / x.norm())
    assert distance["alone"] < 1e-10
    assert 1e6 * distance["alone"] < distance["causal"] < 0.5
    assert distance["residual"] > 0.1


def test_scale_absorb() -> None:
    """The scale folded into W_Q and b_Q is the same function; with QK-norm it is not."""
    for qk_norm in (False, True):
        module, x = redrawn(MultiHeadAttention(12, 3, qk_norm=qk_norm, dtype=F64)), tokens(2, 5, 12)
        before = module(x)
        with torch.no_grad():
            module.q_weight.mul_(module.scale)
            module.q_bias.mul_(module.scale)
        module.scale = 1.0
        assert ((module(x) - before).abs().max() < 1e-13) == (not qk_norm)


@pytest.mark.parametrize("position", [NoPosition(), Rotary()])
def test_a_block_of_one_token_attends_to_itself(position: Any) -> None:
    block = TransformerBlock(12, 3, position=position, norm=LayerNorm(), dtype=F64)
    assert block.self_attention.trace(tokens(2, 1, 12)).weights.flatten().tolist() == [1.0] * 6
    assert block(tokens(2, 1, 12)).shape == (2, 1, 12)
