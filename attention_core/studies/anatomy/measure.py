"""Anatomy: one sentence, one forward pass, every number kept.

Claims: ``mha-reshape`` heads by reshape = a loop over heads; ``mha-divisible`` d_model is a multiple of the heads;
``head-sees-all`` a head's query is made of all numbers of a word; ``drop-rows`` dropout keeps rows at 1 only on
average; ``convex-hull`` a head's context lies among its values; ``heads-several`` no single head does what several do
together; ``soft-lookup`` how far a context lies from the best key's value; ``cplx-core`` scores and weighted sum take
4 n² d operations.
"""

import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.clock import seconds_of
from attention_core.measuring.flops import count_parts
from attention_core.measuring.head_cut import reshaped, without_transpose
from attention_core.measuring.inputs import SeededDropout
from attention_core.measuring.judge import Measurement, Measurements, run_tests
from attention_core.measuring.verdict import Result
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.dot_product import attention_scores
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.projections import merge_heads
from attention_core.studies.anatomy import mixtures, slices, verdicts
from attention_core.studies.anatomy.module import attention_module, module_input
from attention_core.studies.anatomy.settings import AnatomyConfig

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
        reads: 1 where a head's query depends on a number of its word (heads, d_model).
        scale: Factor of the scores, 1/√d_head.
        mean_max_weight: The largest weight of a row, averaged over queries and heads: what the code prints.
        tie_bound: By what part of itself rounding may change a weight of each row (heads, n).
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
    reads: np.ndarray
    scale: float
    mean_max_weight: float
    tie_bound: np.ndarray

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
    """One pass of the sentence, and the claims measured on it."""
    with torch.inference_mode():
        return run_tests(AnatomyResult, config, (*verdicts.TESTS, *slices.TESTS, *mixtures.TESTS), _measure)


def _measure(config: AnatomyConfig) -> Measurements:
    module, x = attention_module(config), module_input(config)
    masks: Any = {"is_causal": config.causal}
    reference = module.trace(x, **masks)
    without_dropout = displayed = without_transpose(module, reference, x) if config.no_transpose else reference
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", config.heads)
    reshape = reshaped(module, reference, x, shown=without_dropout.output, cases=heads, **masks)
    core = count_parts(module, x, fused=config.fused, **masks)[1]
    n, d, training = len(config.tokens), config.width, reference
    if config.dropout:
        training = verdicts.training_passes(config, module, x, **masks)
        displayed = AttentionTrace(*(each[:1] for each in training))
        if config.no_transpose:
            with SeededDropout(config.seed, "dropout"):
                displayed = without_transpose(module, reference, x)
    reads, used = slices.made_of(config)
    found = verdicts.rows(config, on_cpu(training.weights), on_cpu(reference.weights)[0]) | {
        "mha-reshape": reshape,
        "mha-divisible": verdicts.divisible(config),
        "convex-hull": verdicts.hull(config, training),
        "soft-lookup": verdicts.lookup(config, training, reference),
        "cplx-core": Measurement(
            core, 4 * n * n * d, _("4 n² d with n = {n}, d = {d}", n=n, d=d), unit=_("operations")
        ),
        **slices.measured(config, reads, used),
        **mixtures.several(config),
    }
    place, hard = module.added_position, verdicts.best_keys(on_cpu(without_dropout.weights))
    embedded = x if place is None else place(x)
    rows = [merge_heads(each) for each in module.into_heads(embedded, embedded, embedded)]
    vocabulary, context = tuple(dict.fromkeys(config.tokens)), displayed.context
    biases = {"q_bias": d, "k_bias": d, "v_bias": d, "o_bias": x.shape[-1]}
    return found, {
        "vocabulary": vocabulary,
        "one_hot": torch.tensor([[float(token == word) for word in vocabulary] for token in config.tokens]),
        "words": x[0],
        "slots": on_cpu(embedded[0]) - on_cpu(x[0]),
        "embedded": embedded[0],
        **{f"{role}_weight": getattr(module, f"{role}_weight") for role in "qkvo"},
        **{name: torch.zeros(size) if (b := getattr(module, name)) is None else b for name, size in biases.items()},
        **{f"{role}_rows": each[0] for role, each in zip("qkv", rows, strict=True)},
        **{name: getattr(displayed, name)[0] for name in ("q", "k", "v", "scores", "context", "output")},
        "products": attention_scores(displayed.q, displayed.k, scale=1.0)[0],
        "masked": displayed.masked_scores[0],
        "weights": without_dropout.weights[0],
        "applied": displayed.weights[0],
        "hard": hard[0],
        "looked_up": (hard @ on_cpu(displayed.v))[0],
        "reads": reads,
        "merged": (context.reshape(1, n, -1) if config.no_transpose else merge_heads(context))[0],
        "scale": module.scale,
        "mean_max_weight": float(on_cpu(without_dropout.weights).amax(-1).mean()),
        "tie_bound": verdicts.tie_bound(config, without_dropout),
    }


def time_heads(config: AnatomyConfig) -> HeadTimes:
    """Time one pass with all heads in one product, and one with a loop over heads."""
    with torch.inference_mode():
        module, x = attention_module(config), module_input(config)
        ways = (
            lambda: module(x, is_causal=config.causal),
            lambda: loop_over_heads(module, x, is_causal=config.causal),
        )
        batched, loop = (statistics.median(seconds_of(way, x.device) for _ in range(TIMED_PASSES)) for way in ways)
    return HeadTimes(batched=batched, loop=loop)
