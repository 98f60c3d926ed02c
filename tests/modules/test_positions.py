"""Positions by hand, and the property each kind is made for."""

import math

import pytest
import torch

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import (
    Alibi,
    Learned,
    Rotary,
    Sinusoidal,
    alibi_bias,
    alibi_slopes,
    rotate,
    rotate_heads,
    sinusoidal_encoding,
)

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


def test_rotation_by_hand() -> None:
    """A quarter turn takes (1, 0) to (0, 1); the second pair turns 10 times more slowly for base 100."""
    x = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=F64)
    turned = rotate(x, torch.tensor([3]), Rotary(100.0))[0]
    assert turned.tolist() == pytest.approx([math.cos(3), math.sin(3), math.cos(0.3), math.sin(0.3)], abs=1e-15)


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
    assert torch.equal(rotate(x, places), rotate(x, places, Rotary(10000.0)))
    assert torch.equal(rotate_heads(x, places), rotate_heads(x, places, Rotary(10000.0)))
    assert Sinusoidal().base == Rotary().base == 10000.0


def test_key_positions_apart_from_query_positions_in_self_attention() -> None:
    x = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0), dtype=F64)
    shifted = torch.arange(5) + 2
    for position in (Sinusoidal(), Learned(max_len=9), Rotary(), Alibi()):
        module = MultiHeadAttention(12, 3, position=position, dtype=F64)
        apart = module(x, query_positions=shifted, key_positions=torch.arange(5))
        assert (apart - module(x, x.clone(), query_positions=shifted)).abs().max() < 1e-14
        assert (apart - module(x)).abs().max() > 1e-6
