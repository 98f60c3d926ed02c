"""The two pure functions: numbers a reader can check, fully masked rows, half precision, refusals."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.device import available_devices
from attention_core.measuring.bounds import tolerance
from attention_core.modules.dot_product import (
    attention_scores,
    attention_weights,
    merge_masks,
    scaled_dot_product_attention,
)
from attention_core.modules.masks import causal_mask
from tests.modules.draws import MASKS, drawn_masks, tokens

F64 = torch.float64


def test_by_hand() -> None:
    """Scores (0, ln 3) at scale 1: weights (1/4, 3/4), so values 8 and 4 mix to 5."""
    query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [math.log(3), 7.0]])
    value = torch.tensor([[8.0], [4.0]])
    assert attention_weights(query, key, scale=1.0)[0].tolist() == pytest.approx([0.25, 0.75])
    assert scaled_dot_product_attention(query, key, value, scale=1.0).item() == pytest.approx(5.0)
    halved = math.sqrt(3) / (1 + math.sqrt(3))  # scale 1/2: scores (0, ln √3)
    assert attention_weights(query, key, scale=0.5)[0, 1].item() == pytest.approx(halved)


@pytest.mark.parametrize("scale", [-0.3, 0.0])
@pytest.mark.parametrize("d_head", [2, 8])
def test_a_scale_of_zero_or_less_stays_causal(scale: float, d_head: int) -> None:
    """torch's fused kernel gives NaN here: it multiplies the −∞ above the diagonal by the scale."""
    query, key, value = (tokens(2, 3, 7, d_head, seed=seed) for seed in range(3))
    context = scaled_dot_product_attention(query, key, value, is_causal=True, scale=scale)
    weights = attention_weights(query, key, is_causal=True, scale=scale)
    assert (context - weights @ value).abs().max() < 1e-13
    assert (weights.triu(1) == 0).all()


@given(st.sampled_from(MASKS), st.booleans(), st.integers(0, 2**31), st.sampled_from((torch.float64, torch.float32)))
@settings(max_examples=80)
def test_weights_times_values_is_the_fused_context(kind: str, causal: bool, seed: int, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (tokens(2, 3, n, 11, seed=seed + n, dtype=dtype) for n in (5, 7, 8))
    masks = drawn_masks(kind, (2, 3, 5, 7), generator, dtype) | {"is_causal": causal}
    if masks.get("attn_mask") is not None and masks["attn_mask"].dim() == 3:
        masks["attn_mask"] = masks["attn_mask"][:, None]
    weights = attention_weights(query, key, **masks)
    context = scaled_dot_product_attention(query, key, value[:, :, :7], **masks)
    scores = float((query.square() @ key.square().mT).sqrt().max()) / 11**0.5
    bound = tolerance(dtype, scale=float(value.abs().max()) * (1 + scores), terms=11 + 2 * 7)
    assert (weights @ value[:, :, :7] - context).abs().max() <= bound
    sums = weights.sum(-1)
    near_one = (sums - 1).abs() <= tolerance(dtype, scale=1.0, terms=7)
    assert (near_one | (sums == 0)).all()
    assert (near_one == (weights > 0).any(-1)).all()


@pytest.mark.parametrize("device", available_devices())
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("form", ["bool", "additive", "padding"])
def test_a_fully_masked_row_is_zero_with_finite_gradients(device: str, dtype: torch.dtype, form: str) -> None:
    """Fused and explicit alike; the other rows are untouched by the blind one."""
    query, key, value = (tokens(2, 1, n, 4, seed=n, dtype=dtype).to(device).requires_grad_() for n in (3, 5, 5))
    seen = torch.ones(2, 1, 3, 5, dtype=torch.bool, device=device)
    seen[0, 0, 1] = False
    if form == "padding":
        seen[0] = False
    mask = {
        "bool": {"attn_mask": seen},
        "additive": {"attn_mask": torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill(~seen, -torch.inf)},
        "padding": {"key_padding_mask": ~seen[:, 0, 0]},
    }[form]
    blind = ~seen.any(-1)
    weights = attention_weights(query, key, **mask)
    fused = scaled_dot_product_attention(query, key, value, **mask)
    for result in (weights, fused, weights @ value):
        assert (result[blind] == 0).all()
        assert (result[~blind] != 0).any(-1).all()
        grads = torch.autograd.grad(
            result.float().square().sum(), (query, key, value), retain_graph=True, allow_unused=True
        )
        assert all(grad.isfinite().all() for grad in grads if grad is not None)
        assert (grads[0][blind] == 0).all()
    unmasked = attention_weights(query, key)
    assert torch.equal(weights[~blind], unmasked[~blind])


def test_a_hidden_value_must_be_finite() -> None:
    """Weight 0 times NaN is NaN; a hidden key that is NaN spoils its scores only, which the mask then replaces."""
    query, key, value = tokens(1, 3, 4), tokens(1, 5, 4, seed=1), tokens(1, 5, 4, seed=2)
    hidden = torch.tensor([[False, False, False, False, True]])
    value[0, 4] = math.nan
    assert scaled_dot_product_attention(query, key, value, key_padding_mask=hidden).isnan().any()
    assert attention_weights(query, key, key_padding_mask=hidden).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_takes_its_softmax_in_float32(dtype: torch.dtype) -> None:
    query, key = tokens(2, 5, 8, dtype=dtype), tokens(2, 301, 8, seed=1, dtype=dtype)
    scores = (query.float() @ key.float().mT) * 8**-0.5
    assert torch.equal(attention_weights(query, key), scores.softmax(-1).to(dtype))


@pytest.mark.parametrize("masks", [{}, {"attn_mask": torch.ones(1, 7, dtype=torch.bool)}])
def test_dropout_keeps_rows_at_one_only_on_average(masks: dict[str, torch.Tensor]) -> None:
    """Row sums: mean 1, deviation √(p/(1−p)·Σa²); context: that of a·V, deviation √(p/(1−p)·Σ(a·v)²)."""
    torch.manual_seed(0)
    query, key, p = tokens(1, 3), tokens(7, 3, seed=1), 0.3
    queries, keys = query.expand(20_000, 1, 3), key.expand(20_000, 7, 3)
    weights = attention_weights(query, key)
    rows = attention_weights(queries, keys, dropout=p, **masks)
    context = scaled_dot_product_attention(queries, keys, keys, dropout=p, **masks)
    assert ((rows == 0).double().mean() - p).abs() < 5 * math.sqrt(p * (1 - p) / 140_000)
    for found, mean, square in (
        (rows.sum(-1), torch.ones(1, dtype=F64), weights.square().sum(-1)),
        (context[:, 0], (weights @ key)[0], (weights.square() @ key.square())[0]),
    ):
        deviation = (p / (1 - p) * square).sqrt()
        assert ((found.mean(0) - mean).abs() < 5 * deviation / math.sqrt(20_000)).all()
        assert ((found.std(0) / deviation - 1).abs() < 0.05).all()


def test_nothing_to_merge_is_no_mask() -> None:
    assert merge_masks((2, 3, 5), like=tokens(1)) is None
    assert torch.equal(merge_masks((2, 3, 5), is_causal=True, like=tokens(1)), causal_mask(3, 5))


def test_float16_scores_are_float32_products_rounded_once_forward_and_backward() -> None:
    draw = torch.Generator().manual_seed(3)
    shapes = ((2, 5, 37), (2, 7, 37), (2, 5, 7))
    query, key, upstream = (torch.randn(shape, generator=draw).half() for shape in shapes)
    query.requires_grad_()
    scores = attention_scores(query, key, scale=1.0)
    (gradient,) = torch.autograd.grad(scores, query, upstream)
    assert torch.equal(scores, (query.float() @ key.float().mT).half())
    assert torch.equal(gradient, (upstream.float() @ key.float()).half())
