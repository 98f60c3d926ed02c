"""Everything is made in the precision that is asked for, and on the device that is asked for or holds the input.

Every machine has a second device for this: torch's meta device, which holds shapes and no numbers. It is the default
device here, so whatever is made without saying where is made there, and is of no use to the rest.
"""

from typing import Any

import pytest
import torch

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.block import TransformerBlock
from attention_core.modules.dot_product import attention_weights, scaled_dot_product_attention
from attention_core.modules.feed_forward import FeedForward
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.masks import (
    causal_mask,
    describe_mask,
    key_padding_mask,
    sliding_window_mask,
    to_additive,
    to_bool,
)
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm, LayerNorm, RMSNorm
from attention_core.modules.positions import (
    Alibi,
    Learned,
    NoPosition,
    RelativeKey,
    Rotary,
    Sinusoidal,
    alibi_bias,
    rotate,
    sinusoidal_encoding,
)
from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder

CPU, F64 = torch.device("cpu"), torch.float64
MADE = {"device": CPU, "dtype": F64}
X, Y, PADDING = torch.randn(2, 7, 12, **MADE), torch.randn(2, 5, 12, **MADE), key_padding_mask([5, 3])
SLOTS = torch.arange(7)
Z, PADDED = torch.randn(2, 7, 12, **MADE), key_padding_mask([7, 3])


@pytest.mark.parametrize(
    "make",
    [
        lambda: MultiHeadAttention(12, 3, qk_norm=True, position=Learned(11), **MADE),
        lambda: MultiHeadAttention(12, 6, num_kv_heads=2, **MADE),
        lambda: LinearAttention(12, 3, position=Learned(11), **MADE),
        lambda: AddedPosition(Learned(11), 12, **MADE),
        lambda: FeedForward(12, **MADE),
        lambda: LayerNorm().build(12, **MADE),
        lambda: RMSNorm().build(12, **MADE),
        lambda: BatchNorm().build(12, **MADE),
        lambda: TransformerBlock(12, 3, cross_attention=True, **MADE),
        lambda: Encoder(12, 3, 1, position=Learned(11), final_norm=True, **MADE),
        lambda: Decoder(12, 3, 1, cross_attention=True, norm=BatchNorm(), final_norm=True, **MADE),
        lambda: EncoderDecoder(12, 3, 1, final_norm=True, **MADE),
        lambda: MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(12, 3, **MADE)),
    ],
)
def test_parameters_are_made_as_asked(make: Any) -> None:
    with torch.device("meta"):
        module = make()
    tensors = [*module.parameters(), *module.buffers()]
    assert {tensor.device for tensor in tensors} == {CPU}
    assert {tensor.dtype for tensor in tensors if tensor.is_floating_point()} == {F64}


@pytest.mark.parametrize(
    "compute",
    [
        lambda: causal_mask(3, 5, device=CPU),
        lambda: sliding_window_mask(3, 1, 5, device=CPU),
        lambda: to_additive(PADDING, F64),
        lambda: to_bool(X, value=0.5),
        lambda: sinusoidal_encoding(SLOTS, 12, dtype=F64),
        lambda: rotate(X, SLOTS),
        lambda: rotate(X, SLOTS, Rotary(halves=True)),
        lambda: alibi_bias(3, SLOTS, SLOTS, dtype=F64),
        lambda: scaled_dot_product_attention(X, Y, Y, key_padding_mask=PADDING, is_causal=True),
        lambda: attention_weights(X, Y, is_causal=True),
    ],
)
def test_results_are_made_where_the_input_is(compute: Any) -> None:
    expected = compute()
    with torch.device("meta"):
        found = compute()
    assert found.device == CPU
    assert found.dtype == expected.dtype
    assert torch.equal(found, expected)


@pytest.mark.parametrize("position", [Sinusoidal(), Learned(11), Rotary(), Alibi(), RelativeKey(4)])
@pytest.mark.parametrize("options", [{"is_causal": True}, {"is_causal": True, "key_padding_mask": PADDED}])
def test_attention_makes_nothing_elsewhere(position: Any, options: dict[str, Any]) -> None:
    for zero_sink in (False, True):
        module = MultiHeadAttention(12, 3, position=position, zero_sink=zero_sink, k_bias=False, **MADE)
        expected = module(X, Z, **options)
        with torch.device("meta"):
            found = (module(X, Z, **options), module.trace(X, Z, **options).output)
            loop = loop_over_heads(module, X, Z, **options)
        assert torch.equal(found[0], expected)
        for output in (found[1], loop):
            assert (output - expected).abs().max() < 1e-13


def test_masks_are_told_where_they_are() -> None:
    encoder, words = Encoder(12, 3, 1, **MADE), describe_mask(causal_mask(3))
    reports = [encoder.mask_report(X), Decoder(12, 3, 1, **MADE).mask_report(X)]
    here = causal_mask(3)
    with torch.device("meta"):
        assert describe_mask(here) == words
        again = [encoder.mask_report(X), Decoder(12, 3, 1, **MADE).mask_report(X)]
    for (before,), (after,) in zip(reports, again, strict=True):
        assert after.mask.dtype == torch.bool
        assert torch.equal(after.mask, before.mask)


@pytest.mark.parametrize("position", [NoPosition(), Sinusoidal(), Learned(11), Rotary(), Alibi(), RelativeKey(4)])
def test_a_cache_makes_nothing_elsewhere(position: Any) -> None:
    module = MultiHeadAttention(12, 3, position=position, **MADE).requires_grad_(False)
    with torch.device("meta"):
        cache = module.cache(2, X.shape[1])
        parts = [module(X[:, :2], cache=cache, key_padding_mask=PADDED[:, :2]), module(X[:, 2:], cache=cache)]
    given = {"key_padding_mask": torch.nn.functional.pad(PADDED[:, :2], (0, X.shape[1] - 2))}
    assert (torch.cat(parts, dim=1) - module(X, is_causal=True, **given)).abs().max() < 1e-13


@pytest.mark.parametrize("causal", [False, True])
def test_linear_attention_makes_nothing_elsewhere(causal: bool) -> None:
    module = LinearAttention(12, 3, position=Learned(11), **MADE)
    with torch.device("meta"):
        outputs = module(X, is_causal=causal), module.trace(X, is_causal=causal).output
    assert (outputs[0] - outputs[1]).abs().max() < 1e-13
