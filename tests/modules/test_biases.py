"""What each bias does, as properties of the real module, with what breaks each."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.experiments.bounds import tolerance
from attention_core.modules.dot_product import softmax_over_keys
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Rotary
from attention_core.modules.projections import TiedQueryKey
from tests.modules.draws import setting, tokens

F64 = torch.float64
DTYPES = st.sampled_from((torch.float64, torch.float32))
SEEDS = st.integers(0, 2**31)


def without(module: MultiHeadAttention, bias: str, call: Any) -> Any:
    """``call()`` while one bias is zero."""
    parameter = getattr(module, bias)
    kept = parameter.detach().clone()
    with torch.no_grad():
        parameter.zero_()
        result = call()
        parameter.copy_(kept)
    return result


@given(SEEDS, DTYPES)
@settings(max_examples=40)
def test_bias_k_cancels(seed: int, dtype: torch.dtype) -> None:
    """b_K adds one number to every row of scores; weights and output stay."""
    module, x, y, bound = setting(seed, dtype)
    trace, bare = module.trace(x, y), without(module, "k_bias", lambda: module.trace(x, y))
    added = trace.scores - bare.scores
    assert (added - added[..., :1]).abs().max() <= bound
    assert added.abs().max() > 100 * bound
    assert (trace.weights - bare.weights).abs().max() <= bound
    assert (module(x, y) - without(module, "k_bias", lambda: module(x, y))).abs().max() <= bound


@pytest.mark.parametrize(
    "options", [{"position": Rotary()}, {"qk_norm": True}, {"projections": TiedQueryKey()}, {"zero_sink": True}]
)
def test_bias_k_matters_when_the_key_is_not_alone_with_it(options: Any) -> None:
    module, x, y, bound = setting(0, **options)
    assert (module(x, y) - without(module, "k_bias", lambda: module(x, y))).abs().max() > 1000 * bound


def test_bias_k_of_enormous_size_drowns_the_scores() -> None:
    """Finite precision breaks the cancelling: weights' residual at ‖b_K‖ = 1e6, and NaN in float16."""
    residuals = {}
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        module, x, y, _ = setting(0, F64)
        module, x, y = module.to(dtype), x.to(dtype), y.to(dtype)
        bare = without(module, "k_bias", lambda m=module, a=x, b=y: m.trace(a, b).weights)
        with torch.no_grad():
            module.k_bias.mul_(1e6 / module.k_bias.double().norm())
            residuals[dtype] = float((module.trace(x, y).weights.double() - bare.double()).abs().max())
    assert residuals[torch.float64] < 1e-9
    assert 1e-4 < residuals[torch.float32] < 0.5
    assert residuals[torch.bfloat16] > 0.1
    assert torch.tensor(residuals[torch.float16]).isnan()


@given(SEEDS)
@settings(max_examples=30)
def test_bias_k_gets_no_gradient(seed: int) -> None:
    """∂L/∂b_K = 0 for a loss of the output, since rows of ∂L/∂scores sum to 0; not for a loss that sees scores."""
    module, x, y, bound = setting(seed)
    upstream = tokens(2, 5, 12, seed=seed)
    loss = (module(x, y) * upstream).sum()
    of_k, of_q, of_v = torch.autograd.grad(loss, (module.k_bias, module.q_bias, module.v_bias))
    bound *= float(upstream.abs().sum())
    assert of_k.abs().max() <= bound
    assert of_q.abs().max() > 100 * bound
    assert of_v.abs().max() > 100 * bound
    trace = module.trace(x, y)
    (rows,) = torch.autograd.grad((trace.output * upstream).sum(), trace.scores, retain_graph=True)
    assert rows.sum(-1).abs().max() <= bound
    assert torch.autograd.grad(trace.scores.sum(), module.k_bias)[0].abs().max() > 100 * bound


@given(SEEDS, DTYPES)
@settings(max_examples=40)
def test_bias_v_adds_one_vector_to_every_output(seed: int, dtype: torch.dtype) -> None:
    module, x, y, bound = setting(seed, dtype)
    bare = without(module, "v_bias", lambda: module.trace(x, y))
    trace = module.trace(x, y)
    assert (trace.context - bare.context - module.v_bias.view(3, 1, 4)).abs().max() <= bound
    assert (trace.output - bare.output - module.o_weight @ module.v_bias).abs().max() <= bound


def test_bias_v_is_not_constant_under_dropout_masked_rows_or_a_sink() -> None:
    blind = torch.ones(5, 7, dtype=torch.bool)
    blind[2] = False
    for options, masks in (({"zero_sink": True}, {}), ({}, {"attn_mask": blind}), ({"dropout": 0.5}, {})):
        module, x, y, bound = setting(0, **options)
        torch.manual_seed(0)
        trace = module.trace(x, y, **masks)
        torch.manual_seed(0)
        moved = (
            trace.context - without(module, "v_bias", lambda m=module, a=x, b=y, k=masks: m.trace(a, b, **k)).context
        )
        assert (moved - module.v_bias.view(3, 1, 4)).abs().max() > 1000 * bound


def test_bias_q_changes_the_output_by_the_column_term() -> None:
    """Its effect on the scores is b_Q · k_j · scale: the same in every row, different from key to key."""
    module, x, y, bound = setting(0)
    bare, trace = without(module, "q_bias", lambda: module.trace(x, y)), module.trace(x, y)
    assert (trace.output - bare.output).abs().max() > 1000 * bound
    column = (trace.k @ module.q_bias.view(3, 4, 1)).mT * module.scale
    assert (trace.scores - bare.scores - column).abs().max() <= bound
    normed = torch.nn.functional.layer_norm
    assert (normed(trace.output, (12,)) - normed(bare.output, (12,))).abs().max() > 1000 * bound


@pytest.mark.parametrize("keys", [1, 7])
def test_bias_q_has_no_effect_on_one_key_or_identical_keys(keys: int) -> None:
    module, x, y, bound = setting(0)
    same = y[:, :1].expand(2, keys, 12)
    assert (module(x, same) - without(module, "q_bias", lambda: module(x, same))).abs().max() <= bound


def test_bias_terms_two_of_four_are_constant_along_a_row() -> None:
    module, x, y, bound = setting(0)
    w_q, w_k = (w.view(3, 4, 12) for w in (module.q_weight, module.k_weight))
    b_q, b_k = module.q_bias.view(3, 4), module.k_bias.view(3, 4)
    q, k = torch.einsum("bid,hed->bhie", x, w_q), torch.einsum("bjd,hed->bhje", y, w_k)
    content, by_query = q @ k.mT, torch.einsum("bhie,he->bhi", q, b_k)[..., None]
    by_key, constant = torch.einsum("he,bhje->bhj", b_q, k)[:, :, None], (b_q * b_k).sum(-1)[:, None, None]
    trace = module.trace(x, y)
    assert (module.scale * (content + by_query + by_key + constant) - trace.scores).abs().max() <= bound
    assert (softmax_over_keys(module.scale * (content + by_key)) - trace.weights).abs().max() <= bound
    assert (softmax_over_keys(module.scale * (content + by_query)) - trace.weights).abs().max() > 1000 * bound


@given(SEEDS, st.floats(-1e3, 1e3), DTYPES)
def test_softmax_shift(seed: int, shift: float, dtype: torch.dtype) -> None:
    scores = tokens(3, 7, seed=seed, dtype=dtype)
    moved = softmax_over_keys(scores + shift) - softmax_over_keys(scores)
    assert moved.abs().max() <= tolerance(dtype, scale=float(scores.abs().max()) + abs(shift), terms=1)
    assert (softmax_over_keys(scores + torch.arange(7)) - softmax_over_keys(scores)).abs().max() > 0.01


def test_softmax_shift_breaks_in_half_precision_and_in_a_naive_softmax() -> None:
    scores = torch.tensor([[0.0, 1.0, 2.0]])
    halves = scores.bfloat16()
    assert (softmax_over_keys(halves + 1e3) - softmax_over_keys(halves)).abs().max() > 0.3
    assert softmax_over_keys(scores.half() + 1e5).isnan().all()
    naive = (scores + 1e3).exp()
    assert (naive / naive.sum()).isnan().all()
    assert softmax_over_keys(scores + 1e3).isfinite().all()


def test_bias_mean_of_a_projection_is_its_bias() -> None:
    """E[W x + b] = b for inputs of mean 0, within five standard errors; not for another mean."""
    module = setting(0)[0]
    x = tokens(1, 40_000, 12)
    with torch.no_grad():
        for shift, holds in ((0.0, True), (0.5, False)):
            q, k, v = module.into_heads(x + shift, x + shift, x + shift)
            for heads, bias in ((q, module.q_bias), (k, module.k_bias), (v, module.v_bias)):
                z = (heads.mean(2).flatten() - bias) / (heads.std(2).flatten() / 200)
                assert (z.abs().max() < 5) == holds
