"""Positions by hand, and the property each kind is made for."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.bounds import tolerance
from attention_core.modules.added_position import AddedPosition
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import (
    Alibi,
    Learned,
    NoPosition,
    Rotary,
    Sinusoidal,
    alibi_bias,
    alibi_slopes,
    rotate,
    rotate_heads,
    sinusoidal_encoding,
)
from tests.modules.draws import redraw, tokens
from tests.modules.refusals import refused

F64 = torch.float64


def test_sinusoidal_by_hand() -> None:
    """Position 1, four features, base 100: wavelengths 2π and 2π · 10."""
    encoded = sinusoidal_encoding(torch.tensor([0, 1]), 4, base=100.0, dtype=F64)
    assert encoded[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert encoded[1].tolist() == pytest.approx([math.sin(1), math.cos(1), math.sin(0.1), math.cos(0.1)], abs=1e-15)
    odd = sinusoidal_encoding(torch.tensor([1]), 3, base=100.0, dtype=F64)
    assert odd[0, 2].item() == pytest.approx(math.sin(100 ** (-2 / 3)), abs=1e-15)
    growing = sinusoidal_encoding(torch.tensor([1]), 3, base=0.5, dtype=F64)
    assert growing[0, 2].item() == pytest.approx(math.sin(0.5 ** (-2 / 3)), abs=1e-15)
    assert AddedPosition(Sinusoidal(), 4).table is None


def test_angles_are_computed_in_float32_or_in_float64_for_float64() -> None:
    """At position 1,000,003 the first angle is exact in both; the second, near 10,000, is rounded in float32."""
    narrow, wide = (
        sinusoidal_encoding(torch.tensor([1_000_003]), 4, dtype=dtype)[0] for dtype in (torch.float32, F64)
    )
    assert (narrow - wide)[:2].abs().max() < 1e-6
    assert (narrow - wide)[2:].abs().max() > 1e-4


def test_sinusoidal_shift_is_one_linear_map() -> None:
    """The encoding of p + 5 is one matrix times that of p, for every p: what makes relative positions learnable."""
    here, there = (sinusoidal_encoding(torch.arange(40) + shift, 8, base=50.0, dtype=F64) for shift in (0, 5))
    solution = torch.linalg.lstsq(here, there).solution
    assert (here @ solution - there).abs().max() < 1e-12
    assert (here @ solution - there.roll(1, 0)).abs().max() > 0.1


def test_rotation_by_hand() -> None:
    """A quarter turn takes (1, 0) to (0, 1); the second pair turns 10 times more slowly for base 100."""
    x = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=F64)
    turned = rotate(x, torch.tensor([3]), base=100.0)[0]
    assert turned.tolist() == pytest.approx([math.cos(3), math.sin(3), math.cos(0.3), math.sin(0.3)], abs=1e-15)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500), st.integers(0, 2**31))
def test_rotary_scores_depend_on_the_distance_alone(i: int, j: int, shift: int, seed: int) -> None:
    q, k = tokens(2, 1, 6, seed=seed)
    near = rotate(q, torch.tensor([i])) @ rotate(k, torch.tensor([j])).mT
    far = rotate(q, torch.tensor([i + shift])) @ rotate(k, torch.tensor([j + shift])).mT
    # An angle of 1,000 is itself rounded: the sum of six terms carries that rounding too.
    assert (near - far).abs() <= tolerance(F64, scale=float(q.norm() * k.norm()) * 1000, terms=6)
    assert torch.allclose(rotate(q, torch.tensor([i])).norm(), q.norm(), rtol=1e-14)


def test_alibi_slopes_of_the_paper() -> None:
    assert alibi_slopes(8) == tuple(2.0**-n for n in range(1, 9))
    assert alibi_slopes(1) == (2.0**-8,)
    assert alibi_slopes(3) == pytest.approx((2**-4, 2**-8, 2**-2))
    assert alibi_slopes(6) == pytest.approx((2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3))


def test_alibi_bias_by_hand() -> None:
    bias = alibi_bias(2, torch.tensor([0, 1]), torch.tensor([0, 1, 5]), dtype=F64)
    assert bias.shape == (2, 2, 3)
    assert bias[0].tolist() == [[0.0, -(2**-4), -5 * 2**-4], [-(2**-4), 0.0, -4 * 2**-4]]
    assert torch.equal(bias[1], bias[0] / 16)


def test_learned_adds_its_rows() -> None:
    added = AddedPosition(Learned(max_len=5), 3, dtype=F64)
    x = torch.zeros(2, 4, 3, dtype=F64)
    assert torch.equal(added(x)[1], added.table[:4])
    positions = torch.tensor([[4, 3, 2, 1], [0, 0, 1, 1]])
    assert torch.equal(added(x, positions), added.table[positions])
    assert added.table.std() > 0.3


def test_inputs_that_were_one_tensor_are_one_afterwards() -> None:
    """The module projects one tensor in one product, so adding positions must not make two of it."""
    added, x, y, positions = AddedPosition(Sinusoidal(), 3), torch.ones(2, 5, 3), torch.ones(2, 7, 3), torch.arange(5)
    query, key, value = added.add_to_each(x, x, x, positions, positions)
    assert query is key is value
    query, key, value = added.add_to_each(x, y, y, None, None)
    assert query is not key
    assert key is value
    query, key, _ = added.add_to_each(x, x, x, positions + 1, positions)
    assert torch.equal(query, added(x, positions + 1))
    assert torch.equal(key, added(x, positions))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_rounded_once_from_float32(dtype: torch.dtype) -> None:
    places, x = torch.arange(7), torch.randn(7, 4, generator=torch.Generator().manual_seed(0)).to(dtype)
    for function in (
        lambda t: sinusoidal_encoding(places, 5, dtype=t),
        lambda t: alibi_bias(3, places, places + 2, dtype=t),
        lambda t: rotate(x.to(t), places),
    ):
        rounded = function(dtype)
        assert rounded.dtype == dtype
        assert torch.equal(rounded, function(torch.float32).to(dtype))


def test_the_base_is_ten_thousand_unless_another_is_given() -> None:
    places, x = torch.arange(7), torch.randn(2, 3, 7, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(sinusoidal_encoding(places, 5), sinusoidal_encoding(places, 5, base=10000.0))
    assert torch.equal(rotate(x, places), rotate(x, places, base=10000.0))
    assert torch.equal(rotate_heads(x, places), rotate_heads(x, places, base=10000.0))
    assert Sinusoidal().base == Rotary().base == 10000.0


@pytest.mark.parametrize("position", [Sinusoidal(base=20.0), Learned(max_len=11), Rotary(base=20.0), Alibi()])
@pytest.mark.parametrize("is_cross", [False, True])
def test_positions_carried_by_the_tokens_leave_attention_equivariant(position: object, is_cross: bool) -> None:
    """Tokens permuted with their positions: outputs permute along. Positions left in their slots: they do not.

    Both directions hold for forward and for trace, in self- and in cross-attention.
    """
    generator = torch.Generator().manual_seed(0)
    module = MultiHeadAttention(12, 3, position=position, dtype=F64)
    redraw(module, generator)
    x, y = (torch.randn(2, n, 12, generator=generator, dtype=F64) for n in (7, 5))
    order, key_order = torch.randperm(7, generator=generator), torch.randperm(5, generator=generator)
    if is_cross:
        straight = module(x, y)
        carried = module(x[:, order], y[:, key_order], query_positions=order, key_positions=key_order)
        fixed = module(x[:, order], y[:, key_order])
        traced = module.trace(x[:, order], y[:, key_order], query_positions=order, key_positions=key_order).output
    else:
        straight = module(x)
        carried, fixed = module(x[:, order], query_positions=order), module(x[:, order])
        traced = module.trace(x[:, order], query_positions=order).output
    assert (carried - straight[:, order]).abs().max() < 1e-13
    assert (traced - carried).abs().max() < 1e-13
    assert (fixed - straight[:, order]).abs().max() > 0.01


def test_positions_may_differ_from_sentence_to_sentence() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, 12, generator=generator, dtype=F64)
    orders = torch.stack([torch.randperm(5, generator=generator) for _ in range(2)])
    for position in (Sinusoidal(), Learned(max_len=5), Rotary(), Alibi()):
        module = MultiHeadAttention(12, 3, position=position, dtype=F64)
        both = module(x, query_positions=orders)
        for sentence in range(2):
            alone = module(x[sentence : sentence + 1], query_positions=orders[sentence])
            assert (both[sentence] - alone[0]).abs().max() < 1e-14
        assert (both - module(x)).abs().max() > 1e-5


def test_key_positions_apart_from_query_positions_in_self_attention() -> None:
    x = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0), dtype=F64)
    shifted = torch.arange(5) + 2
    for position in (Sinusoidal(), Learned(max_len=9), Rotary(), Alibi()):
        module = MultiHeadAttention(12, 3, position=position, dtype=F64)
        apart = module(x, query_positions=shifted, key_positions=torch.arange(5))
        assert (apart - module(x, x.clone(), query_positions=shifted)).abs().max() < 1e-14
        assert (apart - module(x)).abs().max() > 1e-6


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_computes_angles_in_float32(dtype: torch.dtype) -> None:
    positions = torch.tensor([1001])
    exact = sinusoidal_encoding(positions, 6, dtype=F64)
    assert (sinusoidal_encoding(positions, 6, dtype=dtype).double() - exact).abs().max() <= torch.finfo(dtype).eps
    x = torch.ones(1, 6, dtype=dtype)
    assert (rotate(x, positions).double() - rotate(x.double(), positions)).abs().max() <= 2 * torch.finfo(dtype).eps


def test_no_position_is_blind_to_positions() -> None:
    module = MultiHeadAttention(6, 2, position=NoPosition(), dtype=F64)
    x = torch.randn(1, 3, 6, dtype=F64)
    assert torch.equal(module(x, query_positions=torch.tensor([9, 4, 1])), module(x))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            lambda: sinusoidal_encoding(torch.arange(2), 0),
            "d_model = 0 is not possible: a positive number is needed.",
        ),
        (
            lambda: sinusoidal_encoding(torch.arange(2), 4, base=0.0),
            "base = 0.0 is not possible: a positive number is needed.",
        ),
        (
            lambda: rotate(torch.ones(2, 4), torch.arange(2), base=-1.0),
            "base = -1.0 is not possible: a positive number is needed.",
        ),
        (
            lambda: rotate(torch.ones(2, 3), torch.arange(2)),
            "d_head = 3 is odd: rotary positions turn coordinates in pairs; choose an even d_head.",
        ),
        (lambda: alibi_slopes(0), "num_heads = 0 is not possible: a positive number is needed."),
        (lambda: AddedPosition(Learned(0), 4), "max_len = 0 is not possible: a positive number is needed."),
        (lambda: AddedPosition(Sinusoidal(), 0), "d_model = 0 is not possible: a positive number is needed."),
        (
            lambda: AddedPosition(Learned(3), 4)(torch.ones(1, 4, 4)),
            "positions from 0 to 3 do not fit: Learned(max_len=3) knows 0 to 2.",
        ),
        (
            lambda: AddedPosition(Learned(3), 4)(torch.ones(1, 2, 4), torch.tensor([-1, 1])),
            "positions from -1 to 1 do not fit: Learned(max_len=3) knows 0 to 2.",
        ),
    ],
)
def test_refusals(wrong: object, sentence: str) -> None:
    with refused(sentence):
        wrong()
