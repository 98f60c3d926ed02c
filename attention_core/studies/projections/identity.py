"""Attention without W_Q, W_K, W_V beside attention with them: how much each word looks at itself (``qkv-none``)."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import product_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.positions import alibi_slopes, rotate_heads
from attention_core.modules.projections import Full, Identity
from attention_core.studies.projections.parts import NO_TWO_WORDS, attention, mask, words
from attention_core.studies.projections.settings import ProjectionsConfig, compared_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityResult(Result):
    """Weights without and with learned projections on the same words.

    Attributes:
        weights: Without (0) and with projections (1) (2, heads, tokens, tokens).
        norms: Norm of each word's part in each head (heads, tokens).
        lost_queries: How many queries of all heads look harder at another word than at themselves, by more than
            rounding.
        queries: How many there are.
        lead: Largest score of another word minus one's own score.
        sizes: The sizes of a head that are compared, ascending (sizes,).
        own: Mean weight of a word on itself, without (0) and with projections (1), for each size (2, sizes).
        predicted: The same for equal norms and random directions, by ``e^s / (e^s + (n − 1) e^(1/2T²))`` with
            ``s = √d_head / T`` (sizes,).
    """

    weights: np.ndarray
    norms: np.ndarray
    lost_queries: int
    queries: int
    lead: float
    sizes: np.ndarray
    own: np.ndarray
    predicted: np.ndarray


def run_identity(config: ProjectionsConfig) -> IdentityResult:
    """Attend without projections and with random ones, at the config's size of a head and at all others."""
    return run_tests(IdentityResult, config, (TEST,), _measure)


def _measure(config: ProjectionsConfig) -> Measurements:
    without, learned = _traces(config, config.d_head)
    weights, other = torch.cat([on_cpu(trace.weights) for trace in (without, learned)]), _different(config)
    scores = on_cpu(without.masked_scores)[0]
    ahead = scores - scores.diagonal(0, -2, -1)[..., None]
    lead = _largest(ahead, other)
    bound = float(product_tolerance(without, 1 / (config.temperature * math.sqrt(config.d_head))).max())
    lost, queries = int(((ahead > bound) & other).any(-1).sum()), weights[0].shape[:2].numel()
    sizes = compared_sizes(config)
    n, roots = len(config.tokens), np.sqrt(sizes) / config.temperature
    at_sizes = [
        [float(trace.weights.diagonal(0, -2, -1).float().mean()) for trace in _traces(config, size)] for size in sizes
    ]
    cases = _("{lost} of {queries} queries look harder at another word", lost=lost, queries=queries)
    return {TEST.key: Measurement(lead, bound, cases, size=largest(on_cpu(without.scores)))}, {
        "weights": weights,
        "norms": on_cpu(words(config))[0].unflatten(-1, (config.num_heads, -1)).norm(dim=-1).mT,
        "lost_queries": lost,
        "queries": queries,
        "lead": lead,
        "sizes": np.array(sizes),
        "own": np.array(at_sizes).T,
        "predicted": 1 / (1 + (n - 1) * np.exp(1 / (2 * config.temperature**2) - roots)),
    }


def _traces(config: ProjectionsConfig, d_head: int) -> tuple[AttentionTrace, AttentionTrace]:
    x, scale = words(config, d_head), 1 / (config.temperature * math.sqrt(d_head))
    modules = (attention(config, kind, d_head=d_head, scale=scale) for kind in (Identity(), Full()))
    without, learned = (module.trace(x, attn_mask=mask(config)) for module in modules)
    return without, learned


def _different(config: ProjectionsConfig) -> Tensor:
    """Which words differ (tokens, tokens)."""
    return torch.tensor([[a != b for b in config.tokens] for a in config.tokens])


def _equal_norms(config: ProjectionsConfig) -> bool:
    return config.spread == 0 and not (config.whole_norms and config.num_heads > 1)


def _largest(values: Tensor, other: Tensor) -> float:
    """The largest value between different words; 0 where all words are equal."""
    return float(values.masked_fill(~other, -math.inf).max()) if other.any() else 0.0


def _foreseen(config: ProjectionsConfig) -> float:
    """By how much a longer word wins against a word in its own query, by plain products of the words' vectors."""
    if config.qk_norm or _equal_norms(config):
        return 0.0
    x = words(replace(config, dtype="float64", device="cpu"))[0].unflatten(-1, (config.num_heads, -1)).transpose(0, 1)
    if config.positions == "rotary":
        x = rotate_heads(x[None], None)[0]
    scores = x @ x.mT / (config.temperature * math.sqrt(config.d_head))
    slots, other = torch.arange(len(config.tokens)), _different(config)
    if config.positions == "alibi":
        slopes = torch.tensor(alibi_slopes(config.num_heads)).double()
        scores = scores - slopes[:, None, None] * (slots[:, None] - slots).abs()
    if config.causal:
        other = other & (slots <= slots[:, None])
    return _largest(scores - scores.diagonal(0, -2, -1)[..., None], other)


def _own_word(config: ProjectionsConfig) -> Theory:
    """No word scores higher than a word in its own query."""
    lead = _foreseen(config)
    if lead > 0:
        return Fails(_("norms differ within a head, and a word with a longer vector wins"), size=lead)
    return Holds() if config.differ else Open(NO_TWO_WORDS)


TEST: Final = ClaimTest(
    "qkv-none", "≤", _("another word's score, less a word's own, is at most"),
    _("max (sᵢⱼ − sᵢᵢ) over other words j"), theory=_own_word, rounds=False,
)  # fmt: skip
