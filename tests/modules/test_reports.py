"""What other attention code was reported to get wrong, a test for each kind; the rest is in test_laws."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.block import PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.dot_product import attention_weights, scaled_dot_product_attention
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.mask_report import recorded_masks
from attention_core.modules.masks import (
    causal_mask,
    describe_mask,
    key_padding_mask,
    sliding_window_mask,
    to_additive,
)
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm, LayerNorm, NoNorm, RMSNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.projections import Full, TiedKeyValue, TiedQueryKey
from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder
from tests.sweeps import some_by_day

pytestmark = pytest.mark.usefixtures("unchecked")  # as for everyone who imports the package
F64 = torch.float64
HALVES = [torch.float16, torch.bfloat16]
POSITIONS = [NoPosition(), Sinusoidal(), Learned(9), Rotary(), Alibi(), RelativeKey(4)]
NORMS = [LayerNorm(), RMSNorm(), BatchNorm(), NoNorm()]


@pytest.mark.parametrize("shape", [(0, 4, 8), (2, 0, 8), (0, 0, 8)])
@pytest.mark.parametrize("position", some_by_day(POSITIONS, of=3), ids=repr)
@pytest.mark.parametrize("norm", NORMS, ids=repr)
@pytest.mark.parametrize("placement", [PreNorm(), PostNorm(), ResidualPostNorm()], ids=repr)
def test_nothing_in_nothing_out(shape: tuple[int, ...], position: Any, norm: Any, placement: Any) -> None:
    x = torch.randn(shape, dtype=F64)
    options = {"position": position, "norm": norm, "placement": placement, "final_norm": True, "dtype": F64}
    both = EncoderDecoder(8, 2, 1, **options)
    statistics = [each.clone() for each in both.buffers()]
    padding = torch.ones(shape[:2], dtype=torch.bool)
    for module in (both.encoder, Decoder(8, 2, 1, **options)):
        assert module(x, key_padding_mask=padding).shape == shape
        assert module.trace(x).self_attention[0].weights.shape == (shape[0], 2, shape[1], shape[1])
    assert both(x, x).shape == shape
    assert both(x, torch.randn(shape[0], 3, 8, dtype=F64)).isfinite().all()
    if not torch.randn(shape[0], 3, 8).numel():
        for before, after in zip(statistics, both.buffers(), strict=True):
            assert torch.equal(before, after), "nothing was averaged"


def test_masks_of_no_tokens() -> None:
    assert causal_mask(0).shape == sliding_window_mask(0, 1).shape == (0, 0)
    assert key_padding_mask([], 5).shape == (0, 5)
    assert key_padding_mask([0, 0]).shape == (2, 0)
    assert describe_mask(causal_mask(0)) == describe_mask(torch.ones(2, 3, 0)) == "no query sees any key"
    assert describe_mask(torch.ones(0, 3, 3)) == "there is no sentence"


def test_where_no_key_is_there_nothing_is_fetched() -> None:
    module, x = MultiHeadAttention(8, 2, dtype=F64), torch.randn(2, 3, 8, dtype=F64)
    for output in (module(x, x[:, :0]), module.trace(x, x[:, :0]).output, loop_over_heads(module, x, x[:, :0])):
        assert torch.equal(output, module.o_bias.expand(2, 3, 8))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("value", [torch.finfo(torch.float32).min, torch.finfo(F64).min, -1e9, -1e5])
@pytest.mark.parametrize("mask_dtype", [torch.float32, F64])
def test_what_rounding_makes_infinite_hides(dtype: torch.dtype, value: float, mask_dtype: torch.dtype) -> None:
    """In rows that see a key, and in those whose every key is hidden so."""
    module, x = MultiHeadAttention(8, 2, dtype=dtype), torch.randn(1, 4, 8).to(dtype).requires_grad_()
    seen = causal_mask(4)
    seen[2] = False
    mask = torch.zeros(4, 4, dtype=mask_dtype).masked_fill(~seen, torch.tensor(value, dtype=mask_dtype))
    hides = torch.tensor(value).to(dtype).isinf()
    trace, output = module.trace(x, attn_mask=mask), module(x, attn_mask=mask)
    assert (trace.weights[0, :, 2] == 0).all() == hides
    assert (output[0, 2] == module.o_bias).all() == hides
    for found in (trace.output, output):
        assert found.isfinite().all()
        assert torch.autograd.grad(found.float().sum(), x)[0].isfinite().all()


@pytest.mark.parametrize("lower", HALVES)
def test_scores_may_overflow_before_they_are_scaled(lower: torch.dtype) -> None:
    """q·k is above float16's 65,504 here, and far below it once scaled, or not; so under autocast."""
    q, k = torch.full((1, 3, 64), 80.0), torch.arange(320.0).view(1, 5, 64) % 7 * 20
    k[..., 0] += 300
    exact = attention_weights(q.double(), k.double())
    assert (q @ k.mT).abs().max() > 65504
    assert (attention_weights(q.to(lower), k.to(lower)) - exact).abs().max() < 1e-1
    module = MultiHeadAttention(64, 1, scale=1.0)
    with torch.no_grad():
        module.in_weight.copy_(torch.eye(64).repeat(3, 1))
    with torch.autocast("cpu", lower):
        for output in (module(q, k, k), module.trace(q, k, k).output):
            assert output.isfinite().all()


def test_nothing_times_infinity_is_nothing() -> None:
    for dtype in (F64, torch.float32, *HALVES):
        mask = to_additive(torch.tensor([True, True, False]), dtype, value=-torch.inf)
        assert mask.tolist() == [0, 0, -torch.inf]
        assert mask.dtype == dtype
    assert to_additive(torch.tensor([False]), torch.float16, value=-1e9).tolist() == [-torch.inf]


@pytest.mark.parametrize("projections", [TiedQueryKey(), TiedKeyValue()])
def test_a_tied_bias_is_one_parameter_under_either_name(projections: Any) -> None:
    first, second = ("q_bias", "k_bias") if isinstance(projections, TiedQueryKey) else ("k_bias", "v_bias")
    module = MultiHeadAttention(8, 2, projections=projections, dtype=F64)
    state = module.state_dict()
    assert getattr(module, first) is getattr(module, second) is not None
    assert second not in state
    one, other = torch.randn(8, dtype=F64), torch.randn(8, dtype=F64)
    module.load_state_dict(state | {second: one, first: one})
    assert torch.equal(getattr(module, first), one)
    module.load_state_dict({name: each for name, each in state.items() if name != first} | {second: other})
    assert torch.equal(getattr(module, first), other)
    with pytest.raises(RuntimeError, match="are one parameter here, but two different values were given"):
        module.load_state_dict(state | {second: one, first: other})
    setattr(module, second, None)
    assert getattr(module, first) is None


@pytest.mark.parametrize("written", range(5))
def test_masks_are_recorded_however_the_call_is_spelled(written: int) -> None:
    module, x, memory = MultiHeadAttention(8, 2), torch.randn(2, 2, 8), torch.randn(2, 5, 8)
    padding = key_padding_mask([5, 3])
    calls: list[Callable[[], Any]] = [
        lambda: module(x, memory, key_padding_mask=padding),
        lambda: module(x, key=memory, value=memory, key_padding_mask=padding),
        lambda: module(query=x, key=memory, key_padding_mask=padding),
        lambda: module(x, memory, None, key_padding_mask=padding),
        lambda: module(key_padding_mask=padding, value=memory, key=memory, query=x),
    ]
    with recorded_masks(module) as uses:
        calls[written]()
    assert [use.kinds for use in uses] == [("key padding",)]
    assert torch.equal(uses[0].mask, ~padding[:, None].expand(2, 2, 5))
    with recorded_masks(module) as uses:
        module(query=x, key=None)
    assert uses[0].mask.shape == (2, 2, 2)


def test_learned_positions_where_there_are_only_shapes() -> None:
    added, x = AddedPosition(Learned(9), 8), torch.randn(2, 5, 8)
    positions = torch.tensor([[0, 1, 2, 3, 4], [4, 3, 2, 1, 8]])
    by_hand = x + added.table[positions]
    assert torch.equal(torch.vmap(lambda one: added(x, one), out_dims=1)(positions)[:, 0], x + added.table[:5])
    assert torch.equal(torch.vmap(lambda t, one: added(t[None], one)[0])(x, positions), by_hand)
    assert added.to("meta")(x.to("meta"), positions.to("meta")).shape == x.shape
    assert added(x[:, :0].to("meta"), positions[:, :0].to("meta")).shape == (2, 0, 8)
    with FakeTensorMode() as mode:
        fake = AddedPosition(Learned(9), 8)
        assert fake(mode.from_tensor(x), mode.from_tensor(positions)).shape == x.shape


def test_learned_positions_are_drawn_again_after_meta() -> None:
    with torch.device("meta"):
        encoder = Encoder(8, 2, 1, position=Learned(200))
    encoder.to_empty(device="cpu")
    with torch.no_grad():
        encoder.added_position.table.fill_(torch.nan)
    encoder.added_position.reset_parameters()
    assert 0.9 < encoder.added_position.table.std() < 1.1


@pytest.mark.parametrize("shape", [(), (5,), (1, 5), (3, 1), (3, 5), (1, 3, 5), (2, 3, 5), (2, 1, 5), (2, 1, 1)])
def test_every_mask_that_broadcasts(shape: tuple[int, ...]) -> None:
    q, k = torch.randn(2, 3, 4, dtype=F64), torch.randn(2, 5, 4, dtype=F64)
    for mask in (torch.rand(shape) < 0.7, torch.randn(shape, dtype=F64)):
        whole = mask.expand(2, 3, 5)
        expected = scaled_dot_product_attention(q, k, k, attn_mask=whole)
        assert (scaled_dot_product_attention(q, k, k, attn_mask=mask) - expected).abs().max() < 1e-14
        assert (attention_weights(q, k, attn_mask=mask) @ k - expected).abs().max() < 1e-14
        for sink in (False, True):
            module = MultiHeadAttention(4, 2, zero_sink=sink, dtype=F64)
            expected = module(q, k, attn_mask=whole)
            found = (module(q, k, attn_mask=mask), loop_over_heads(module, q, k, attn_mask=mask))
            for output in (*found, module.trace(q, k, attn_mask=mask).output):
                assert (output - expected).abs().max() < 1e-14


def test_repr_says_sizes_and_what_is_not_the_default() -> None:
    assert repr(MultiHeadAttention(64, 4)) == "MultiHeadAttention(d_model=64, num_heads=4)"
    module = MultiHeadAttention(
        64, 4, d_head=8, k_bias=False, scale=1.0, position=Rotary(), projections=TiedKeyValue(), zero_sink=True
    )
    assert repr(module) == (
        "MultiHeadAttention(d_model=64, num_heads=4, d_head=8, projections=TiedKeyValue(), scale=1.0, "
        "position=Rotary(base=10000.0, halves=False, part=1.0, scaling=None), zero_sink=True, k_bias=False)"
    )
    bare = repr(MultiHeadAttention(6, 2, output_projection=False, dropout=0.5, window=3))
    assert bare == "MultiHeadAttention(d_model=6, num_heads=2, window=3, dropout=0.5, output_projection=False)"
    assert MultiHeadAttention(6, 2, qk_norm=True).extra_repr() == "d_model=6, num_heads=2, qk_norm=True"
    shown = repr(Decoder(8, 2, 1, position=Learned(9), placement=PostNorm(), residual=False))
    for part in ("Learned(max_len=9)", "placement=PostNorm(), residual=False", "activation=GELU(tanh=False)"):
        assert part in shown


@pytest.mark.parametrize("projections", [Full(), TiedKeyValue()])
def test_a_stack_gives_every_trace(projections: Any) -> None:
    encoder = Encoder(8, 2, 3, position=Rotary(), projections=projections, dtype=F64)
    x, padding = torch.randn(2, 5, 8, dtype=F64), key_padding_mask([5, 3])
    found = encoder.trace(x, key_padding_mask=padding)
    assert (found.output - encoder(x, key_padding_mask=padding)).abs().max() < 1e-13
    assert len(found.self_attention) == 3
    assert not found.cross_attention
    first = encoder.layers[0]
    expected = first.self_attention.trace(first.self_attention_norm(x), key_padding_mask=padding)
    assert torch.equal(found.self_attention[0].weights, expected.weights)
    assert encoder(x).grad_fn is not None, "and afterwards computes as before"
    decoder = Decoder(8, 2, 2, cross_attention=True, dtype=F64)
    found = decoder.trace(x, torch.randn(2, 7, 8, dtype=F64))
    assert [trace.weights.shape[-1] for trace in found.self_attention] == [5, 5]
    assert [trace.weights.shape[-1] for trace in found.cross_attention] == [7, 7]


def test_parameters_of_a_replica_lie_elsewhere() -> None:
    module, x = MultiHeadAttention(8, 2, dtype=F64), torch.randn(2, 3, 8, dtype=F64)
    before, parameters = module(x), dict(module._parameters)
    module._parameters.clear()  # as in the replicas of nn.DataParallel
    for name, each in parameters.items():
        object.__setattr__(module, name, each)
    for output in (module(x), module.trace(x).output, module(x, x.clone())):
        assert (output - before).abs().max() < 1e-13
