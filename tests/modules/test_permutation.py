"""What permuting tokens does, as properties of the real module, with what breaks each."""

import itertools
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.experiments.bounds import tolerance
from attention_core.modules.block import PostNorm, PreNorm, ResidualPostNorm, TransformerBlock
from attention_core.modules.masks import sliding_window_mask
from attention_core.modules.normalization import BatchNorm, LayerNorm, RMSNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, Rotary, Sinusoidal
from attention_core.modules.stack import Decoder
from tests.modules.draws import redrawn, setting, tokens

DTYPES = st.sampled_from((torch.float64, torch.float32))
SEEDS = st.integers(0, 2**31)
POSITIONS = (Sinusoidal(), Learned(max_len=11), Rotary(), Alibi())


def max_over_orders(function: Any, x: torch.Tensor) -> float:
    """The largest |f(σx) − σf(x)| over all orders of the five tokens, in one batch."""
    orders = torch.tensor(list(itertools.permutations(range(x.shape[1]))))
    with torch.no_grad():
        return float((function(x[0][orders]) - function(x[:1])[0][orders]).abs().max())


@given(SEEDS, DTYPES, st.permutations(range(7)), st.booleans())
@settings(max_examples=40)
def test_perm_kv_and_perm_bias(seed: int, dtype: torch.dtype, order: list[int], biased: bool) -> None:
    """Attn(X, σY, σY) = Attn(X, Y, Y), with and without biases, unless keys move without their values."""
    switches = {} if biased else dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)
    module, x, y, bound = setting(seed, dtype, **switches)
    assert (module(x, y[:, order]) - module(x, y)).abs().max() <= bound
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[:, 5:] = True
    along = module(x, y[:, order], key_padding_mask=padding[:, order])
    assert (along - module(x, y, key_padding_mask=padding)).abs().max() <= bound


def test_perm_kv_breaks_when_keys_move_alone_with_slot_positions_or_a_mask_left_behind() -> None:
    module, x, y, bound = setting(0)
    order = [1, 2, 3, 4, 5, 6, 0]
    assert (module(x, y[:, order], y) - module(x, y)).abs().max() > 1000 * bound
    padding = torch.arange(7).expand(2, 7) > 4
    left_behind = module(x, y[:, order], key_padding_mask=padding) - module(x, y, key_padding_mask=padding)
    assert left_behind.abs().max() > 1000 * bound
    for position in POSITIONS:
        module, x, y, bound = setting(0, position=position)
        assert (module(x, y[:, order]) - module(x, y)).abs().max() > 1000 * bound
        carried = module(x, y[:, order], key_positions=torch.tensor(order))
        assert (carried - module(x, y)).abs().max() <= 10 * bound
    module, x, y, bound = setting(0, dropout=0.5)
    torch.manual_seed(0)
    assert (module(x, y[:, order]) - module(x, y)).abs().max() > 1000 * bound


@given(SEEDS, DTYPES, st.permutations(range(5)))
@settings(max_examples=40)
def test_perm_q(seed: int, dtype: torch.dtype, order: list[int]) -> None:
    """Attn(σX, Y, Y) = σ Attn(X, Y, Y), also under a key padding mask, the same for every query."""
    module, x, y, bound = setting(seed, dtype)
    padding = torch.arange(7).expand(2, 7) > 4
    for masks in ({}, {"key_padding_mask": padding}):
        assert (module(x[:, order], y, **masks) - module(x, y, **masks)[:, order]).abs().max() <= bound


def test_perm_q_breaks_with_a_mask_whose_rows_differ() -> None:
    module, x, y, bound = setting(0)
    order, mask = [4, 3, 2, 1, 0], sliding_window_mask(5, 1, 7)
    straight = module(x, y, attn_mask=mask)[:, order]
    assert (module(x[:, order], y, attn_mask=mask) - straight).abs().max() > 1000 * bound
    assert (module(x[:, order], y, attn_mask=mask[order]) - straight).abs().max() <= bound


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_perm_self_and_perm_pool_over_all_orders(dtype: torch.dtype) -> None:
    module, x, _, bound = setting(0, dtype)
    assert max_over_orders(module, x) <= bound
    orders = torch.tensor(list(itertools.permutations(range(5))))
    pooled = module(x[0][orders]).mean(1)
    assert (pooled - pooled[0]).abs().max() <= bound


def test_perm_pool_with_padding_permuted_along() -> None:
    module, x, _, bound = setting(0)
    padding, order = torch.tensor([[False, False, False, True, True]]), [4, 2, 0, 3, 1]
    real = module(x[:1], key_padding_mask=padding)[~padding].mean(0)
    moved = module(x[:1, order], key_padding_mask=padding[:, order])[~padding[:, order]].mean(0)
    assert (moved - real).abs().max() <= bound
    assert (module(x[:1, order], key_padding_mask=padding)[~padding].mean(0) - real).abs().max() > 1000 * bound


@pytest.mark.parametrize(
    ("options", "masks"),
    [({"position": position}, {}) for position in POSITIONS]
    + [({}, {"is_causal": True}), ({}, {"attn_mask": sliding_window_mask(5, 1)})],
)
def test_perm_self_breaks_for_some_order(options: Any, masks: Any) -> None:
    module, x, _, bound = setting(0, **options)
    assert max_over_orders(lambda each: module(each, **masks), x) > 1000 * bound


def test_reversal_survives_what_is_symmetric_and_causal_survives_the_identity_only() -> None:
    reverse = [4, 3, 2, 1, 0]
    for options, masks in (({"position": Alibi()}, {}), ({}, {"attn_mask": sliding_window_mask(5, 1)})):
        module, x, _, bound = setting(0, **options)
        assert (module(x[:, reverse], **masks) - module(x, **masks)[:, reverse]).abs().max() <= bound
    module, x, _, bound = setting(0)
    for order in itertools.permutations(range(5)):
        residual = (module(x[:, list(order)], is_causal=True) - module(x, is_causal=True)[:, list(order)]).abs().max()
        assert (residual <= bound) == (order == tuple(range(5)))


@pytest.mark.parametrize("placement", [PreNorm(), PostNorm(), ResidualPostNorm()])
@pytest.mark.parametrize("norm", [LayerNorm(), RMSNorm(), BatchNorm()])
def test_perm_block(placement: Any, norm: Any) -> None:
    """Norms act on each token alone (BatchNorm on all of them alike): a whole block stays equivariant."""
    block = redrawn(TransformerBlock(12, 3, placement=placement, norm=norm, dtype=torch.float64), std=0.3)
    x = tokens(1, 5, 12)
    assert max_over_orders(block, x) <= tolerance(torch.float64, scale=30.0, terms=200)
    # Weights per slot: not a norm of each token alone.
    slot_norm = redrawn(torch.nn.LayerNorm((5, 12), dtype=torch.float64), seed=2)
    assert max_over_orders(lambda each: slot_norm(block(each)), x) > 0.1


def test_nope_depth() -> None:
    """Causal, no positions: one layer cannot tell the order of the last token's prefix, two layers can."""
    x = tokens(1, 5, 12)
    prefixes = torch.tensor([[*order, 4] for order in itertools.permutations(range(4))])
    spread = []
    for layers, position in ((1, NoPosition()), (2, NoPosition()), (1, Rotary())):
        decoder = redrawn(Decoder(12, 3, layers, position=position, dtype=torch.float64), std=0.5)
        with torch.no_grad():
            last = decoder(x[0][prefixes])[:, -1]
        spread.append(float((last - last[0]).abs().max()))
    assert spread[0] <= tolerance(torch.float64, scale=30.0, terms=200)
    assert spread[1] > 0.01
    assert spread[2] > 0.01


@pytest.mark.parametrize("position", [NoPosition(), Rotary(), Alibi(), Sinusoidal(), Learned(max_len=11)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_count_blind(position: Any, is_causal: bool) -> None:
    """One repeated token gives the same output everywhere, however often repeated, unless positions are added."""
    module, x, _, bound = setting(0, position=position)
    with torch.no_grad():
        outputs = [module(x[:1, :1].expand(1, n, 12), is_causal=is_causal)[0] for n in (1, 2, 7)]
    spread = max(float((output - outputs[0]).abs().max()) for output in outputs)
    assert (spread > 1000 * bound) == isinstance(position, Sinusoidal | Learned)
    assert spread <= bound or isinstance(position, Sinusoidal | Learned)
