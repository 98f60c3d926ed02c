"""Masks, geometry and depth: the remaining statements about the module, with what breaks each."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.modules.masks import key_padding_mask, to_additive
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm
from attention_core.modules.positions import Sinusoidal
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
