"""Latent keys and values: folded or not one function, that of full attention with keys and values of low rank."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.measuring.bounds import tolerance
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.masks import key_padding_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, NoPosition, Rotary
from attention_core.modules.projections import Full
from tests.modules.draws import redrawn, tokens
from tests.modules.oracle import softmax_row, turned
from tests.modules.refusals import refused

F64 = torch.float64
HEADS, D_HEAD, RANK, TURNED = 3, 5, 4, 6
BASE = 50.0


def attention(*, folded: bool, d_rotary: int = 0, dtype: torch.dtype = F64, **options: Any) -> MultiHeadAttention:
    latent = LatentKeyValue(RANK, d_rotary, folded)
    module = MultiHeadAttention(13, HEADS, d_head=D_HEAD, projections=latent, dtype=F64, **options)
    return redrawn(module, std=0.5).to(dtype)


def by_hand(module: MultiHeadAttention, x: np.ndarray, *, halves: bool, d_rotary: int) -> np.ndarray:
    """One sentence in NumPy, by the definition: latents, keys and values of every head, one row after the other."""
    state = {name: each.detach().double().numpy() for name, each in module.state_dict().items()}
    packed = x @ state["in_weight"].T
    width = HEADS * (D_HEAD + d_rotary)
    queries = (packed[:, :width] + state["q_bias"]).reshape(len(x), HEADS, -1)
    kept = packed[:, width:] + state["k_bias"]
    contexts = []
    for head in range(HEADS):
        rows = slice(head * D_HEAD, (head + 1) * D_HEAD)
        k, v = (kept[:, :RANK] @ state[name][rows].T for name in ("k_up_weight", "v_up_weight"))
        scores = queries[:, head, :D_HEAD] @ k.T
        if d_rotary:
            q_apart = np.array(
                [turned(q[head, D_HEAD:], at, Rotary(base=BASE, halves=halves)) for at, q in enumerate(queries)]
            )
            k_apart = np.array(
                [turned(each[RANK:], at, Rotary(base=BASE, halves=halves)) for at, each in enumerate(kept)]
            )
            scores += q_apart @ k_apart.T
        weights = np.array([softmax_row((row / np.sqrt(D_HEAD + d_rotary)).tolist()) for row in scores])
        contexts.append(weights @ v)
    return np.concatenate(contexts, axis=1) @ state["o_weight"].T + state["o_bias"]


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("position", [NoPosition(), Rotary(base=BASE), Rotary(base=BASE, halves=True)])
def test_it_is_what_the_definition_says(position: Any, folded: bool) -> None:
    d_rotary = TURNED if isinstance(position, Rotary) else 0
    module, x = attention(folded=folded, d_rotary=d_rotary, position=position), tokens(1, 7, 13)
    right = by_hand(module, x[0].numpy(), halves=d_rotary > 0 and position.halves, d_rotary=d_rotary)
    for output in (module(x), module.trace(x).output):
        assert np.abs(output[0].detach().numpy() - right).max() <= 1e-13


@given(
    st.sampled_from((NoPosition(), Rotary(base=BASE), Alibi())),
    st.booleans(),
    st.sampled_from(("causal", "padding", "window", "sink", "cross")),
    st.sampled_from((F64, torch.float32)),
)
@settings(max_examples=60)
def test_folding_changes_nothing_whatever_else_is_chosen(
    position: Any, bias: bool, what: str, dtype: torch.dtype
) -> None:
    options: dict[str, Any] = {"position": position, "d_rotary": TURNED if isinstance(position, Rotary) else 0}
    options |= {"k_bias": bias, "v_bias": bias}
    options |= {"window": {"window": 2}, "sink": {"zero_sink": True}}.get(what, {})
    plain, folded = (attention(folded=each, dtype=dtype, **options) for each in (False, True))
    assert plain.state_dict().keys() == folded.state_dict().keys()
    x = tokens(2, 6, 13, dtype=dtype)
    given: dict[str, Any] = {"is_causal": what == "causal"}
    args = (x, tokens(2, 4, 13, seed=1, dtype=dtype)) if what == "cross" else (x,)
    if what == "padding":
        given["key_padding_mask"] = key_padding_mask([6, 3])
    one, other = plain.trace(*args, **given), folded.trace(*args, **given)
    bound = tolerance(dtype, scale=20.0, terms=4 * 13 + RANK)
    assert float((one.weights - other.weights).detach().abs().max()) <= bound
    assert float((one.output - other.output).detach().abs().max()) <= bound
    assert float((plain(*args, **given) - folded(*args, **given)).detach().abs().max()) <= bound
    assert folded.trace(*args, **given).k.shape[1] == 1 != plain.trace(*args, **given).k.shape[1]


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1, 1, 1), (3, 1, 3), (7,)])
def test_the_cache_keeps_a_latent_of_each_word_and_the_outputs_are_those_of_the_whole(
    folded: bool, sizes: tuple[int, ...]
) -> None:
    module = attention(folded=folded, d_rotary=TURNED, position=Rotary(base=BASE))
    x, cache = tokens(2, 7, 13), module.cache(2, 8)
    parts, start = [], 0
    with torch.no_grad():
        for size in sizes:
            parts.append(module(x[:, start : start + size], cache=cache))
            start += size
    assert torch.allclose(torch.cat(parts, dim=1), module(x, is_causal=True), rtol=0, atol=1e-13)
    assert cache.nbytes == 2 * 8 * (RANK + TURNED) * 8
    assert repr(cache).startswith("LatentCache(batch=2, num_kv_heads=1, max_len=8, d_head=10, ")
    grown = module.cache(2, 8)
    torch.cat([module(part, cache=grown) for part in x.split(list(sizes), dim=1)], dim=1).sum().backward()
    found = {name: each.grad for name, each in module.named_parameters()}
    module.zero_grad()
    module(x, is_causal=True).sum().backward()
    for name, each in module.named_parameters():
        assert torch.allclose(found[name], each.grad, rtol=0, atol=1e-11), name


def test_it_is_full_attention_with_matrices_of_low_rank() -> None:
    module = attention(folded=True, k_bias=False, v_bias=False)
    full = MultiHeadAttention(13, HEADS, d_head=D_HEAD, projections=Full(), k_bias=False, v_bias=False, dtype=F64)
    with torch.no_grad():
        latent = module.k_weight
        full.q_weight.copy_(module.q_weight)
        full.k_weight.copy_(module.k_up_weight @ latent)
        full.v_weight.copy_(module.v_up_weight @ latent)
        for name in ("q_bias", "o_weight", "o_bias"):
            getattr(full, name).copy_(getattr(module, name))
    assert torch.linalg.matrix_rank(full.k_weight) == RANK < HEADS * D_HEAD
    x = tokens(2, 6, 13)
    assert torch.allclose(module(x), full(x), rtol=0, atol=1e-13)
    ours = sum(each.numel() for each in module.parameters())
    assert sum(each.numel() for each in full.parameters()) - ours == 2 * HEADS * D_HEAD * (13 - RANK) - RANK * 13


def test_torch_exports_it_whole() -> None:
    module, x = attention(folded=True, d_rotary=TURNED, position=Rotary()), tokens(2, 6, 13)
    made = torch.export.export(module, (x,)).module()
    assert torch.allclose(made(x), module(x), rtol=0, atol=1e-13)


LATENT = LatentKeyValue(4)
ONE_BIAS = "with LatentKeyValue() keys and values are made of one latent, which has one bias or none."
APART = "a part of each head, of an even number of coordinates, must be kept apart for it."
AS_THEY_ARE = (
    "are not possible with LatentKeyValue(): latents stand in the place of keys only where these are multiplied as "
    "they are."
)
OF_ALL = "with LatentKeyValue() every head makes keys and values of its own from what all share."


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"projections": LatentKeyValue(0)}, "rank = 0 is not possible: a positive number is needed."),
        ({"projections": LatentKeyValue(4, -1)}, "d_rotary = -1 is not possible: give 0 or more tokens."),
        ({"num_kv_heads": 2}, f"num_kv_heads = 2 is not num_heads = 4: {OF_ALL}"),
        (
            {"v_bias": False},
            f"k_bias = True and v_bias = False differ: {ONE_BIAS}",
        ),
        *(
            (
                {"position": Rotary(), "projections": LatentKeyValue(4, odd)},
                f"d_rotary = {odd} is not possible with Rotary(): {APART}",
            )
            for odd in (0, 3)
        ),
        *(
            (
                wrong,
                f"qk_norm = {'qk_norm' in wrong} and score = {wrong.get('score', 'product')!r} {AS_THEY_ARE}",
            )
            for wrong in ({"qk_norm": True}, {"score": "additive"})
        ),
    ],
)
def test_what_is_not_possible_is_said(options: dict[str, Any], sentence: str) -> None:
    with refused(sentence):
        MultiHeadAttention(12, 4, **{"projections": LATENT} | options)


def test_what_has_no_heads_of_keys_of_its_own_is_said() -> None:
    module = MultiHeadAttention(12, 4, projections=LATENT)
    with refused(f"{LATENT} leaves no heads of keys to share: all share the latents."):
        module.with_kv_heads(2)
    with refused(f"{LATENT} leaves no rows of W_K to a head: there is no loop over them."):
        loop_over_heads(module, tokens(1, 3, 12, dtype=torch.float32))
    with refused(f"projections = {LATENT} is not possible: latents meet queries under softmax alone."):
        LinearAttention(12, 4, projections=LATENT)
