"""The variants against arithmetic of their own, and each law under the switch that breaks it."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from attention_core.measuring.inputs import draw, embed
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.variants import (
    KV_HEADS,
    LENGTHS,
    VariantsConfig,
    run_variants,
)
from attention_core.studies.variants.crossing import TIMED, crossing_of
from attention_core.studies.variants.linear import linear_tolerance
from attention_core.studies.variants.parts import attention, linear, sentence
from attention_core.studies.variants.queries import found_of_queries

WORDS = ("the", "cat", "that", "chased", "the", "dog")


def parameters(seed: int) -> dict[str, np.ndarray]:
    """The eight heads' matrices and biases, drawn as every study draws them."""
    rows = (draw((192, 64), seed, "parameter", "in_weight") / 8).numpy()
    found = dict(zip(("W_q", "W_k", "W_v"), rows.reshape(3, 8, 8, 64), strict=True))
    found |= {f"b_{r}": 0.5 * draw((64,), seed, "parameter", f"{r}_bias").numpy().reshape(8, 8) for r in "qkv"}
    found["W_o"] = (draw((64, 64), seed, "parameter", "o_weight") / 8).numpy()
    return found | {"b_o": 0.5 * draw((64,), seed, "parameter", "o_bias").numpy()}


def by_hand(kv_heads: int, *, seed: int, causal: bool, softmax: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Weights (heads, tokens, tokens) and outputs (tokens, 64) of attention, head by head and word by word."""
    p, x = parameters(seed), embed(WORDS, 64, seed).numpy()
    n, size = len(x), 8 // kv_heads
    weights, context = np.zeros((8, n, n)), np.zeros((n, 8, 8))
    for head in range(8):
        group = slice(head // size * size, (head // size + 1) * size)
        q = x @ p["W_q"][head].T + p["b_q"][head]
        k, v = (x @ p[f"W_{r}"][group].mean(0).T + p[f"b_{r}"][group].mean(0) for r in "kv")
        for i in range(n):
            seen = range(i + 1) if causal else range(n)
            if softmax:
                raw = [math.exp(q[i] @ k[j] / math.sqrt(8)) for j in seen]
            else:
                q_i, k_seen = (
                    [np.where(z > 0, z + 1, np.exp(z)) for z in zs] for zs in ([q[i]], [k[j] for j in seen])
                )
                raw = [float(q_i[0] @ k_j) for k_j in k_seen]
            for j, one in zip(seen, raw, strict=True):
                weights[head, i, j] = one / math.fsum(raw)
            context[i, head] = weights[head, i] @ v
    return weights, context.reshape(n, 64) @ p["W_o"].T + p["b_o"]


@pytest.mark.parametrize("causal", [False, True])
def test_weights_and_distances_are_those_of_arithmetic(causal: bool) -> None:
    result = run_variants(VariantsConfig(tokens=WORDS, seed=3, causal=causal))
    full, whole = by_hand(8, seed=3, causal=causal)
    np.testing.assert_allclose(result.full, full, atol=1e-13)
    for at, kv_heads in enumerate(KV_HEADS):
        weights, output = by_hand(kv_heads, seed=3, causal=causal)
        np.testing.assert_allclose(result.grouped[at], weights, atol=1e-13)
        away = np.linalg.norm(output - whole) / np.linalg.norm(whole)
        assert result.distances[at] == pytest.approx(away, abs=1e-13)
    weights, output = by_hand(8, seed=3, causal=causal, softmax=False)
    np.testing.assert_allclose(result.linear, weights, atol=1e-13)
    away = np.linalg.norm(output - whole) / np.linalg.norm(whole)
    assert result.linear_distance == pytest.approx(away, abs=1e-13)


def test_counts_are_those_of_the_formulas() -> None:
    result = run_variants(VariantsConfig(tokens=WORDS, dtype="float32"))
    assert result.parameters.tolist() == [64 * 64 + 64 + (64 + 16 * kv) * 65 for kv in KV_HEADS]
    assert result.token_bytes.tolist() == [2 * kv * 8 * 4 for kv in KV_HEADS]
    assert result.state_bytes == 8 * 8 * 9 * 4
    assert result.softmax_flops.tolist() == [4 * n**2 * 64 for n in LENGTHS]
    assert result.linear_flops.tolist() == [4 * n * 8 * 8 * 9 for n in LENGTHS]


def test_torchs_own_counter_sees_as_many_operations() -> None:
    module = linear(VariantsConfig(dtype="float32"))
    q, k, v = (torch.rand(1, 8, 1024, 8) for _ in range(3))
    with FlopCounterMode(display=False) as counter:
        _ = q @ (k.mT @ F.pad(v, (0, 1), value=1.0))
    assert counter.get_total_flops() == run_variants(VariantsConfig(length=1024)).linear_flops[0]
    assert module.num_heads == 8


def test_the_cache_fills_row_by_row_and_ends_with_the_causal_weights() -> None:
    result = run_variants(VariantsConfig(tokens=WORDS, num_kv_heads=4, seed=2))
    weights, _ = by_hand(4, seed=2, causal=True)
    np.testing.assert_allclose(result.steps, weights, atol=1e-13)
    assert result.keys.shape == (6, 4 * 8)
    p, x = parameters(2), embed(WORDS, 64, 2).numpy()
    first = x @ p["W_k"][:2].mean(0).T + p["b_k"][:2].mean(0)
    np.testing.assert_allclose(result.keys[:, :8], first, atol=1e-13)
    assert result.moved.max() < 1e-14


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("causal", [False, True])
def test_the_bound_of_linear_attention_is_above_rounding_and_below_a_fault(dtype: str, causal: bool) -> None:
    config = VariantsConfig(tokens=WORDS, dtype=dtype, seed=5)
    module, x = linear(config), sentence(config)
    trace = module.trace(x, is_causal=causal)
    bound = linear_tolerance(module, trace, new_projections=True)
    order = [5, 3, 1, 0, 4, 2]
    if not causal:
        moved = (module(x[:, order]) - module(x)[:, order]).double().abs().max()
        assert moved <= bound
    assert (module(x, is_causal=causal) - trace.output).double().abs().max() <= linear_tolerance(module, trace)
    assert bound < 0.2 * trace.output.double().abs().max()
    with torch.no_grad():
        module.v_bias.zero_()
    assert (module(x, is_causal=causal) - trace.output).double().abs().max() > bound


def test_the_crossing_lies_between_the_lengths_where_the_lead_changes() -> None:
    softmax = 2.0 ** np.arange(10)
    assert crossing_of(np.stack((softmax, np.full(10, 8.0)))) == pytest.approx(TIMED[3])
    assert crossing_of(np.stack((softmax, np.full(10, 2**3.5)))) == pytest.approx(TIMED[3] * 2**0.5)
    late = np.where(np.arange(10) < 6, softmax, np.nan)
    assert crossing_of(np.stack((late, np.full(10, 2**3.5)))) == pytest.approx(TIMED[3] * 2**0.5)
    assert crossing_of(np.stack((softmax, softmax / 2))) == TIMED[0]
    for never in (softmax * 2, np.full(10, np.nan)):
        assert math.isnan(crossing_of(np.stack((softmax, never))))


@pytest.mark.parametrize("kv_heads", [1, 2, 8])
def test_what_a_cache_saves_is_the_products_that_are_not_made_again(kv_heads: int) -> None:
    result = run_variants(VariantsConfig(tokens=WORDS, num_kv_heads=kv_heads))
    wide, narrow = 64, 8 * kv_heads
    for at in range(len(WORDS)):
        n = at + 1
        projections = 2 * wide * (wide + 2 * narrow + wide)  # of one word: q, k, v and the output
        assert result.pass_flops[at] == n * projections + 2 * 2 * n * n * wide
        assert result.step_flops[at] == projections + 2 * 2 * n * wide
        assert result.kept_bytes[at] == n * 2 * narrow * 8
    assert result.verdict("kv-repeat").because == (
        "each head has keys and values of its own, so nothing is shared" if kv_heads == 8 else
        "beside heads that do not share, its outputs differ by "
        f"{result.distances[(1, 2, 4, 8).index(kv_heads)]:.0%} of their length"
    )  # fmt: skip
    copies = run_variants(VariantsConfig(tokens=WORDS, num_kv_heads=kv_heads, repeated=True))
    assert copies.kept_bytes[-1] == len(WORDS) * 2 * 64 * 8


def heads_by_hand(kv_heads: int, seed: int, x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Queries (8, tokens, 8), keys and values (kv_heads, tokens, 8) of plain torch."""
    found = {}
    for name, heads in (("q", 8), ("k", kv_heads), ("v", kv_heads)):
        matrix, bias = (torch.from_numpy(parameters(seed)[f"{kind}_{name}"]) for kind in "Wb")
        matrix, bias = (each.unflatten(0, (heads, 8 // heads)).mean(1) for each in (matrix, bias))
        found[name] = torch.einsum("nc,hdc->hnd", x, matrix) + bias[:, None]
    return found


def attended(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, seed: int, causal: bool) -> torch.Tensor:
    """Outputs (tokens, 64), row by row."""
    rows, p = [], parameters(seed)
    for i in range(q.shape[1]):
        seen = slice(0, i + 1 if causal else q.shape[1])
        of_heads = []
        for head in range(8):
            group = head // (8 // len(k))
            scores = k[group, seen] @ q[head, i] / math.sqrt(8)
            of_heads.append((scores.exp() / scores.exp().sum()) @ v[group, seen])
        rows.append(torch.from_numpy(p["W_o"]) @ torch.cat(of_heads) + torch.from_numpy(p["b_o"]))
    return torch.stack(rows)


@pytest.mark.parametrize("causal", [False, True])
def test_whose_queries_an_output_takes_is_that_of_a_loop_over_words(causal: bool) -> None:
    result, seed = run_variants(VariantsConfig(tokens=WORDS, causal=causal, seed=3)), 3
    mixture, kept = draw((64,), seed, "mixture", "output"), draw((2, 2, 8), seed, "mixture", "kept")
    x = embed(WORDS, 64, seed).requires_grad_()
    above = heads_by_hand(2, seed, x + attended(**heads_by_hand(2, seed, x), seed=seed, causal=causal))
    outputs = attended(**above, seed=seed, causal=causal)
    for i in range(len(WORDS)):
        taken = torch.autograd.grad(outputs[i] @ mixture, list(above.values()), retain_graph=True)
        for part, gradient in zip(result.takes, taken, strict=True):
            np.testing.assert_allclose(part[i], gradient.norm(dim=(0, 2)), rtol=1e-9, atol=1e-13)
        mixed = (torch.stack((above["k"], above["v"]))[:, :, i] * kept).sum()
        (by_word,) = torch.autograd.grad(mixed, x, retain_graph=True)
        np.testing.assert_allclose(result.keeps[i], by_word.norm(dim=1), rtol=1e-9, atol=1e-13)
    assert (np.triu(result.keeps, 1) == 0).all() == causal
    assert result.takes[0].tolist() == np.diag(np.diag(result.takes[0])).tolist()


def test_an_output_of_other_queries_is_noticed_and_of_a_long_sentence_the_first_words_are_looked_at() -> None:
    class Mixed(MultiHeadAttention):
        def trace(self, *given: object, **options: object) -> AttentionTrace:
            trace = super().trace(*given, **options)
            return trace._replace(output=trace.output + trace.q.mean())

    config = VariantsConfig(tokens=tuple(f"w{i}" for i in range(12)), causal=True)
    module = attention(config, config.num_kv_heads)
    module.__class__ = Mixed
    found, takes, _ = found_of_queries(config, module, sentence(config))
    assert (found["no-q-cache.row"].measured, takes.shape) == (8 * 7, (3, 8, 8))
    assert found["no-q-cache.kept"].measured == 8 * 7 // 2


@pytest.mark.parametrize("causal", [False, True])
def test_additive_weights_are_those_of_a_loop(causal: bool) -> None:
    result = run_variants(VariantsConfig(tokens=WORDS, seed=3, causal=causal))
    p, x = parameters(3), embed(WORDS, 64, 3).numpy()
    scored = (draw((8, 8), 3, "parameter", "score_weight") / math.sqrt(8)).numpy()
    expected = np.zeros((8, 6, 6))
    for head in range(8):
        q, k = (x @ p[f"W_{r}"][head].T + p[f"b_{r}"][head] for r in "qk")
        for i in range(6):
            seen = range(i + 1 if causal else 6)
            raw = [math.exp(math.fsum(scored[head] * np.tanh(q[i] + k[j]))) for j in seen]
            expected[head, i, : len(raw)] = np.array(raw) / math.fsum(raw)
    np.testing.assert_allclose(result.additive, expected, atol=1e-13)


@pytest.mark.parametrize("seed", [0, 5])
def test_products_have_the_rank_of_a_head_and_additive_scores_that_of_the_words(seed: int) -> None:
    result, p = run_variants(VariantsConfig(seed=seed)), parameters(seed)
    x, scored = draw((1, 24, 64), seed, "rank")[0].numpy(), draw((8, 8), seed, "parameter", "score_weight") / 8**0.5
    ninth, spectra = [], []
    for head in range(8):
        q, k = (x @ p[f"W_{r}"][head].T + p[f"b_{r}"][head] for r in "qk")
        sums = np.array([[(scored[head].numpy() * np.tanh(a + b)).sum() for b in k] for a in q])
        dots, values = (np.linalg.svd(each, compute_uv=False) for each in (q @ k.T, sums))
        assert (np.linalg.matrix_rank(q @ k.T), np.linalg.matrix_rank(sums)) == (8, 24)
        ninth.append(values[8] / values[0])
        spectra.append((values / values[0], (dots / dots[0])[:8]))
    at = int(np.argmax(ninth))
    np.testing.assert_allclose(result.spectra[1], spectra[at][0], rtol=1e-10, atol=1e-12)
    assert any(np.allclose(result.spectra[0][:8], each, atol=1e-12) for _, each in spectra)
    assert result.verdict("additive-rank.sum").measured == pytest.approx(max(ninth), rel=1e-9)
    without = run_variants(VariantsConfig(seed=seed, no_tanh=True))
    assert without.spectra[1][1] > 1e-3
    assert without.spectra[1][2] < 1e-14
    assert without.verdict("additive-cost.tanh").measured == 0


def test_without_tanh_the_query_says_nothing() -> None:
    weights = run_variants(VariantsConfig(tokens=WORDS, no_tanh=True)).additive
    np.testing.assert_allclose(weights, np.broadcast_to(weights[:, :1], weights.shape), atol=1e-14)
    usual = run_variants(VariantsConfig(tokens=WORDS)).additive
    assert np.abs(usual - usual[:, :1]).max() > 0.05
