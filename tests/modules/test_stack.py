"""Blocks and stacks against torch's own transformer layers, and the masks they report."""

from typing import Any

import pytest
import torch
from torch import nn

from attention_core.modules.block import PostNorm, PreNorm, ResidualPostNorm, SandwichNorm, TransformerBlock
from attention_core.modules.feed_forward import GELU, ReLU
from attention_core.modules.mask_report import recorded_masks
from attention_core.modules.masks import causal_mask, key_padding_mask, sliding_window_mask, to_additive
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm, LayerNorm, NoNorm, RMSNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder
from tests.modules.draws import redrawn, tokens

F64 = torch.float64
PLACEMENTS = (PreNorm(), PostNorm(), ResidualPostNorm(), SandwichNorm())


def copy_layer(block: TransformerBlock, layer: nn.Module) -> None:
    """torch's layer into ours: attention by conversion, the rest by name."""
    redrawn(layer, seed=5, std=0.4)
    pairs = {"self_attention": "self_attn", "cross_attention": "multihead_attn"}
    for ours, theirs in pairs.items():
        if getattr(block, ours) is not None:
            converted = MultiHeadAttention.from_torch(getattr(layer, theirs))
            getattr(block, ours).load_state_dict(converted.state_dict())
    last = "norm3" if block.cross_attention is not None else "norm2"
    rest = {"self_attention_norm": "norm1", "feed_forward_norm": last, "feed_forward.widen": "linear1"}
    rest |= {"feed_forward.narrow": "linear2"} | ({"cross_attention_norm": "norm2"} if last == "norm3" else {})
    for ours, theirs in rest.items():
        block.get_submodule(ours).load_state_dict(getattr(layer, theirs).state_dict())


@pytest.mark.parametrize("placement", [PreNorm(), PostNorm()])
@pytest.mark.parametrize(("activation", "name"), [(ReLU(), "relu"), (GELU(), "gelu")])
def test_a_block_is_torchs_encoder_layer(placement: Any, activation: Any, name: str) -> None:
    theirs = nn.TransformerEncoderLayer(
        15, 3, 11, dropout=0.0, activation=name, batch_first=True, norm_first=placement == PreNorm(), dtype=F64
    )
    ours = TransformerBlock(15, 3, d_ff=11, placement=placement, activation=activation, dtype=F64)
    copy_layer(ours, theirs)
    x, padding = tokens(2, 7, 15), key_padding_mask([7, 5])
    assert (ours(x) - theirs(x)).abs().max() < 1e-12
    masked = theirs(x, src_mask=~causal_mask(7), src_key_padding_mask=padding)
    assert (ours(x, is_causal=True, key_padding_mask=padding) - masked).abs().max() < 1e-12
    assert (ours(x, attn_mask=causal_mask(7), key_padding_mask=padding) - masked).abs().max() < 1e-12


@pytest.mark.parametrize("placement", [PreNorm(), PostNorm()])
def test_a_block_with_cross_attention_is_torchs_decoder_layer(placement: Any) -> None:
    theirs = nn.TransformerDecoderLayer(
        15, 3, 11, dropout=0.0, activation="gelu", batch_first=True, norm_first=placement == PreNorm(), dtype=F64
    )
    ours = TransformerBlock(15, 3, d_ff=11, placement=placement, cross_attention=True, dtype=F64)
    copy_layer(ours, theirs)
    x, memory, padding = tokens(2, 7, 15), tokens(2, 5, 15, seed=1), key_padding_mask([5, 3])
    expected = theirs(x, memory, tgt_mask=~causal_mask(7), memory_key_padding_mask=padding)
    assert (ours(x, memory, is_causal=True, memory_key_padding_mask=padding) - expected).abs().max() < 1e-12


@pytest.mark.parametrize("norm", [LayerNorm(), RMSNorm(), BatchNorm(), NoNorm()])
def test_the_placements_are_their_formulas(norm: Any) -> None:
    x = tokens(2, 7, 15)
    for placement in PLACEMENTS:
        block = redrawn(TransformerBlock(15, 3, d_ff=0, placement=placement, norm=norm, dtype=F64))
        attend, norm_of = block.self_attention, block.self_attention_norm
        expected = {
            PreNorm(): lambda a=attend, n=norm_of: x + a(n(x)),
            PostNorm(): lambda a=attend, n=norm_of: n(x + a(x)),
            ResidualPostNorm(): lambda a=attend, n=norm_of: x + n(a(x)),
            SandwichNorm(): lambda a=attend, n=norm_of, m=block.self_attention_after: x + m(a(n(x))),
        }[placement]()
        assert (block(x) - expected).abs().max() < 1e-13


def test_a_block_holds_what_it_was_asked_for_and_nothing_else() -> None:
    always = {"self_attention", "self_attention_norm"}
    feeds, crosses = {"feed_forward", "feed_forward_norm"}, {"cross_attention", "cross_attention_norm"}
    for options, expected in (
        ({}, always | feeds),
        ({"d_ff": 0}, always),
        ({"cross_attention": True}, always | feeds | crosses),
        ({"cross_attention": True, "d_ff": 0}, always | crosses),
    ):
        assert {name.split(".")[0] for name in TransformerBlock(12, 3, **options).state_dict()} == expected


def test_without_residual_only_the_sublayer_remains() -> None:
    block = TransformerBlock(15, 3, d_ff=0, norm=NoNorm(), residual=False, dtype=F64)
    x = tokens(2, 7, 15)
    assert torch.equal(block(x), block.self_attention(x))


def test_dropout_falls_on_what_a_sublayer_computes() -> None:
    block = TransformerBlock(15, 3, d_ff=0, norm=NoNorm(), dropout=0.5, attention_dropout=0.25, dtype=F64)
    torch.manual_seed(0)
    x = tokens(20, 7, 15)
    assert ((block(x) == x).double().mean() - 0.5).abs() < 0.05
    assert block.self_attention.dropout == 0.25
    assert not (block.eval()(x) == x).any()


@pytest.mark.parametrize(
    "position", [NoPosition(), Sinusoidal(), Learned(max_len=11), Rotary(), Alibi(), RelativeKey(4)]
)
def test_positions_come_in_once_at_the_bottom_or_in_every_self_attention(position: Any) -> None:
    stack = Encoder(12, 3, 2, position=position, input_norm=True, final_norm=True, dtype=F64)
    redrawn(stack, std=0.4)
    x, order = tokens(2, 7, 12), torch.tensor([3, 1, 0, 2, 6, 5, 4])
    expected = stack.input_norm(x if stack.added_position is None else stack.added_position(x))
    for layer in stack.layers:
        expected = layer(expected)
    assert torch.equal(stack(x), stack.final_norm(expected))
    assert (stack(x[:, order], positions=order) - stack(x)[:, order]).abs().max() < 1e-12
    slots_matter = (stack(x[:, order]) - stack(x)[:, order]).abs().max() > 0.01
    assert slots_matter == (position != NoPosition())
    inside = {type(layer.self_attention.position) for layer in stack.layers}
    assert inside == {NoPosition if isinstance(position, Sinusoidal | Learned) else type(position)}


def test_encoder_decoder_reports_which_module_received_which_mask() -> None:
    """Padding in the encoder's self-attention and in cross-attention; causal in the decoder: C's answer."""
    model = EncoderDecoder(12, 3, 2, dtype=F64)
    padding = key_padding_mask([7, 5])
    report = model.mask_report(tokens(2, 7, 12), tokens(2, 5, 12), source_key_padding_mask=padding)
    assert [(use.module, use.kinds) for use in report] == [
        ("encoder.layers.0.self_attention", ("key padding",)),
        ("encoder.layers.1.self_attention", ("key padding",)),
        ("decoder.layers.0.self_attention", ("causal",)),
        ("decoder.layers.0.cross_attention", ("key padding",)),
        ("decoder.layers.1.self_attention", ("causal",)),
        ("decoder.layers.1.cross_attention", ("key padding",)),
    ]
    assert torch.equal(report[0].mask, ~padding[:, None].expand(2, 7, 7))
    assert torch.equal(report[2].mask, causal_mask(5).expand(2, 5, 5))
    assert torch.equal(report[3].mask, ~padding[:, None].expand(2, 5, 7))
    for use in report:
        assert isinstance(model.get_submodule(use.module), MultiHeadAttention)


def test_padding_of_the_target_reaches_its_own_self_attention_alone() -> None:
    model = EncoderDecoder(12, 3, 1, dtype=F64)
    padding = key_padding_mask([5, 3], left=True)
    report = model.mask_report(tokens(2, 7, 12), tokens(2, 5, 12), target_key_padding_mask=padding)
    assert [use.kinds for use in report] == [(), ("key padding", "causal"), ()]
    assert torch.equal(report[1].mask, causal_mask(5) & ~padding[:, None])


def test_both_outputs_are_normalised_where_it_is_asked_for() -> None:
    for options, kind in (
        ({}, type(None)),
        ({"final_norm": True}, nn.LayerNorm),
        ({"final_norm": True, "norm": RMSNorm()}, nn.RMSNorm),
    ):
        model = EncoderDecoder(12, 3, 1, **options)
        assert type(model.encoder.final_norm) is type(model.decoder.final_norm) is kind


def test_reports_show_every_kind_of_mask_and_none() -> None:
    x = tokens(2, 5, 12)
    assert [use.kinds for use in Encoder(12, 3, 1).to(F64).mask_report(x)] == [()]
    assert Encoder(12, 3, 1).to(F64).mask_report(x)[0].mask.all()
    left = key_padding_mask([5, 3], left=True)
    (use,) = Decoder(12, 3, 1, dtype=F64).mask_report(x, key_padding_mask=left, attn_mask=to_additive(causal_mask(5)))
    assert use.kinds == ("key padding", "causal", "attention mask")
    assert torch.equal(use.mask, causal_mask(5) & ~left[:, None])
    by_head = torch.stack([torch.eye(5, dtype=torch.bool), causal_mask(5), torch.eye(5, dtype=torch.bool)])[None]
    assert torch.equal(Encoder(12, 3, 1, dtype=F64).mask_report(x, attn_mask=by_head)[0].mask[1], causal_mask(5))
    by_sentence = ~left[:, None].expand(2, 5, 5)
    assert torch.equal(Encoder(12, 3, 1, dtype=F64).mask_report(x, attn_mask=by_sentence)[0].mask, by_sentence)
    near = Decoder(12, 3, 1, window=1, cross_attention=True, dtype=F64)
    own, across = near.mask_report(x, tokens(2, 7, 12), cache=near.cache(2, 5))
    assert (own.kinds, across.kinds) == (("causal", "window"), ())
    assert torch.equal(own.mask[0], sliding_window_mask(5, 1, causal=True))
    cache = near.cache(2, 6)
    near(x, x, cache=cache)
    assert near.mask_report(x[:, :1], x, cache=cache)[0].mask[0].tolist() == [[False] * 4 + [True] * 2]


def test_recording_ends_with_its_context() -> None:
    module, x = MultiHeadAttention(12, 3, dtype=F64), tokens(2, 5, 12)
    with recorded_masks(module) as uses:
        module(x, tokens(2, 7, 12))
    module(x)
    assert [(use.module, use.mask.shape) for use in uses] == [("", (2, 5, 7))]
