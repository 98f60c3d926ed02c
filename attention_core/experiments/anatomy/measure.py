"""Anatomy: one sentence, one forward pass, every number kept.

Claims: ``mha-reshape`` heads by reshape = a loop over heads; ``mha-divisible`` d_model is a multiple of the heads;
``drop-rows`` dropout keeps rows at 1 only on average; ``convex-hull`` a head's context lies among its values;
``soft-lookup`` how far it lies from the best key's value; ``cplx-core`` scores and weighted sum take 4 n² d
operations.
"""

import statistics
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.anatomy import claims
from attention_core.experiments.anatomy.config import AnatomyConfig
from attention_core.experiments.anatomy.module import attention_module, miscut_trace, module_input
from attention_core.experiments.arrays import array, on_cpu
from attention_core.experiments.bounds import output_tolerance
from attention_core.experiments.clock import seconds_of
from attention_core.experiments.inputs import SeededDropout
from attention_core.experiments.judge import Found, judge_all, largest
from attention_core.experiments.verdict import Result, Verdict
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.dot_product import attention_scores
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import merge_heads

TIMED_PASSES = 50
ALIKE_WITHIN = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class AnatomyResult(Result):
    """Every intermediate of one pass of one sentence; all arrays float64 and read-only, n tokens.

    Attributes:
        vocabulary: The distinct words, in the order they first appear.
        one_hot: 1 where a token is a word (n, words).
        words: Word vectors (n, d_model).
        slots: What is added for the position (n, d_model); zeros where nothing is.
        embedded: ``words + slots``, the module's input (n, d_model).
        q_weight: W_Q (width, d_model), as ``nn.Linear`` stores it; likewise ``k_weight``, ``v_weight``.
        q_bias: b_Q (width,), zeros where there is none; likewise ``k_bias``, ``v_bias``.
        o_weight: W_O (d_model, width).
        o_bias: b_O (d_model,), zeros where there is none.
        q_rows: Queries before they are cut into heads (n, width); likewise ``k_rows``, ``v_rows``.
        q: Queries as they meet the keys (heads, n, d_head); likewise ``k`` and, for the values, ``v``.
        products: q · k before scaling (heads, n, n).
        scores: q · k · scale (heads, n, n).
        masked: Scores as softmax sees them, −∞ where a key is hidden (heads, n, n).
        weights: Softmax of ``masked`` (heads, n, n).
        applied: The weights that were applied: ``weights``, after dropout where it is on.
        context: applied · v (heads, n, d_head).
        hard: The weights of a hard lookup: 1 at the best key of each query (heads, n, n).
        looked_up: What it returns, the best key's value (heads, n, d_head).
        merged: The heads' contexts side by side (n, width).
        output: merged · W_Oᵀ + b_O (n, d_model).
        scale: Factor of the scores, 1/√d_head.
        mean_max_weight: The largest weight of a row, averaged over queries and heads: what the code prints.
        tie_bound: By what part of itself rounding may change a weight of each row (heads, n).
        loop_residual: max |f(X) − loop over heads|.
        core_flops: Floating-point operations of the core, as torch counts them.
        verdicts: One or more for each claim.
    """

    vocabulary: tuple[str, ...]
    one_hot: np.ndarray
    words: np.ndarray
    slots: np.ndarray
    embedded: np.ndarray
    q_weight: np.ndarray
    k_weight: np.ndarray
    v_weight: np.ndarray
    o_weight: np.ndarray
    q_bias: np.ndarray
    k_bias: np.ndarray
    v_bias: np.ndarray
    o_bias: np.ndarray
    q_rows: np.ndarray
    k_rows: np.ndarray
    v_rows: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    products: np.ndarray
    scores: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    applied: np.ndarray
    context: np.ndarray
    hard: np.ndarray
    looked_up: np.ndarray
    merged: np.ndarray
    output: np.ndarray
    scale: float
    mean_max_weight: float
    tie_bound: np.ndarray
    loop_residual: float
    core_flops: int

    def looks(self, head: int) -> str | None:
        """Where the words after the first look most, by the keys that rounding cannot tell from the largest one.

        ``alike`` if these are all that no mask hides, ``back`` if that is the word before alone, ``itself`` if it is
        the word alone, ``elsewhere`` if it is none of these for sure. None where rounding leaves it open, which for
        ``alike`` it does above a tenth of the weights, or there is one word only.

        Args:
            head: The head, from 0.
        """
        weights, seen = self.weights[head], ~np.isneginf(self.masked[head])
        least = weights.max(axis=1) * (1 - self.tie_bound[head])
        tied = (seen & (weights >= least[:, None]))[1:]
        n = len(weights)
        wanted = {"alike": seen[1:], "back": np.eye(n, k=-1, dtype=bool)[1:], "itself": np.eye(n, dtype=bool)[1:]}
        if n == 1:
            return None
        for name, keys in wanted.items():
            if (tied == keys).all():
                return None if name == "alike" and self.tie_bound[head].max() > ALIKE_WITHIN else name
        return "elsewhere" if all((keys & ~tied).any() for keys in wanted.values()) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadTimes:
    """How long one pass takes on this machine, now: no two runs agree.

    Attributes:
        batched: Median seconds of ``forward``, all heads in one product.
        loop: Median seconds of the loop over heads.
    """

    batched: float
    loop: float

    @property
    def batched_us(self) -> int:
        """``batched`` in microseconds."""
        return round(self.batched * 1e6)

    @property
    def loop_us(self) -> int:
        """``loop`` in microseconds."""
        return round(self.loop * 1e6)


def run_anatomy(config: AnatomyConfig) -> AnatomyResult:
    """One pass of the sentence, and the claims measured on it.

    Args:
        config: The sentence and the module.
    """
    with torch.inference_mode():
        seen = _see(config)
        return _result(seen, judge_all(config, claims.TESTS, seen.found, lambda other: _see(other).found))


class _Seen(NamedTuple):
    """One pass without dropout (``still``), one as it is shown, and what was measured of them."""

    config: AnatomyConfig
    module: MultiHeadAttention
    x: Tensor
    still: AttentionTrace
    shown: AttentionTrace
    found: dict[str, Found]


def _see(config: AnatomyConfig) -> _Seen:
    module, x = attention_module(config), module_input(config)
    honest = module.trace(x, is_causal=config.causal)
    still = miscut_trace(module, x, honest) if config.miscut else honest
    residual = claims.loop_residual(config, module, x, still)
    heads = f"{config.heads} head{'s' * (config.heads > 1)}"
    n, d = len(config.tokens), config.width
    found = {
        "mha-reshape": Found(residual, output_tolerance(module, honest), heads, size=largest(on_cpu(honest.output))),
        "mha-divisible": claims.divisible(config),
        "cplx-core": Found(
            claims.core_flops(module, x, is_causal=config.causal, fused=config.fused),
            4 * n * n * d, f"4 n² d with n = {n}, d = {d}", unit="operations",
        ),
    }  # fmt: skip
    passes, shown = honest, still
    if config.dropout:
        passes = claims.training_passes(config, module, x, is_causal=config.causal)
        shown = AttentionTrace(*(each[:1] for each in passes))
        if config.miscut:
            with SeededDropout(config.seed, "dropout"):
                shown = miscut_trace(module, x, honest)
    found |= claims.rows(config, on_cpu(passes.weights), on_cpu(honest.weights)[0])
    found |= {"convex-hull": claims.hull(config, passes), "soft-lookup": claims.lookup(config, passes, honest)}
    return _Seen(config, module, x, still, shown, found)


def time_heads(config: AnatomyConfig) -> HeadTimes:
    """Time one pass with all heads in one product, and one with a loop over heads.

    Args:
        config: The sentence and the module.
    """
    with torch.inference_mode():
        module, x = attention_module(config), module_input(config)
        ways = (
            lambda: module(x, is_causal=config.causal),
            lambda: loop_over_heads(module, x, is_causal=config.causal),
        )
        batched, loop = (statistics.median(seconds_of(way, x.device) for _ in range(TIMED_PASSES)) for way in ways)
    return HeadTimes(batched=batched, loop=loop)


def _result(seen: _Seen, verdicts: tuple[Verdict, ...]) -> AnatomyResult:
    config, module, x, still, shown, found = seen
    place = module.added_position
    embedded = x if place is None else place(x)
    vocabulary = tuple(dict.fromkeys(config.tokens))
    rows = [merge_heads(heads) for heads in module.into_heads(embedded, embedded, embedded)]
    merged = shown.context.reshape(1, len(config.tokens), -1) if config.miscut else merge_heads(shown.context)
    parameters = {
        name: array(torch.zeros(size) if (held := getattr(module, name)) is None else held)
        for name, size in (
            ("q_weight", 0), ("k_weight", 0), ("v_weight", 0), ("o_weight", 0),
            ("q_bias", config.width), ("k_bias", config.width), ("v_bias", config.width), ("o_bias", x.shape[-1]),
        )
    }  # fmt: skip
    hard = claims.best_keys(on_cpu(still.weights))
    return AnatomyResult.of(
        config,
        verdicts,
        vocabulary=vocabulary,
        one_hot=torch.tensor([[float(token == word) for word in vocabulary] for token in config.tokens]),
        words=x[0],
        slots=on_cpu(embedded[0]) - on_cpu(x[0]),
        embedded=embedded[0],
        **parameters,
        q_rows=rows[0][0],
        k_rows=rows[1][0],
        v_rows=rows[2][0],
        q=shown.q[0],
        k=shown.k[0],
        v=shown.v[0],
        products=attention_scores(shown.q, shown.k, scale=1.0)[0],
        scores=shown.scores[0],
        masked=shown.masked_scores[0],
        weights=still.weights[0],
        applied=shown.weights[0],
        context=shown.context[0],
        hard=hard[0],
        looked_up=(hard @ on_cpu(shown.v))[0],
        merged=merged[0],
        output=shown.output[0],
        scale=module.scale,
        mean_max_weight=float(on_cpu(still.weights).amax(-1).mean()),
        tie_bound=claims.tie_bound(config, still),
        loop_residual=found["mha-reshape"].measured,
        core_flops=int(found["cplx-core"].measured),
    )
