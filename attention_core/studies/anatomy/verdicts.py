"""The claims of the anatomy page, and how far rounding alone takes each of them."""

import math
from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import is_half, sum_tolerance, tolerance
from attention_core.measuring.flops import fused_head_size, miscounted
from attention_core.measuring.head_cut import reshape_test
from attention_core.measuring.inputs import SeededDropout, draw
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import EQUAL_VALUES, no_cut
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.anatomy.settings import D_MODEL, AnatomyConfig

DIRECTIONS = 64
_PASSED_NUMBERS = 2**17  # weights that all training passes together may have
_AT_ONCE = 256  # passes whose contexts are held against all directions together


def divisible(config: AnatomyConfig) -> Measurement:
    """mha-divisible: the constructor refuses every number of heads that does not divide d_model, naming both."""
    divisors = sum(D_MODEL % heads == 0 for heads in range(1, D_MODEL + 1))
    refused = 0
    for heads in range(1, D_MODEL + 1):
        try:
            MultiHeadAttention(D_MODEL, heads, d_head=config.d_head or None, device="meta")
        except ValueError as error:
            refused += f"d_model = {D_MODEL}" in str(error) and f"num_heads = {heads}" in str(error)
    return Measurement(refused, D_MODEL - divisors, f"d_model = {D_MODEL}")


def training_passes(
    config: AnatomyConfig, module: MultiHeadAttention, x: Tensor, *, is_causal: bool
) -> AttentionTrace:
    """As many passes in training mode as have 2¹⁷ weights together, from 16 to 4,096, in one batch."""
    passes = min(4096, max(16, _PASSED_NUMBERS // (config.heads * len(config.tokens) ** 2)))
    with SeededDropout(config.seed, "dropout"):
        return module.train().trace(x.expand(passes, -1, -1), is_causal=is_causal)


def rows(config: AnatomyConfig, applied: Tensor, weights: Tensor) -> dict[str, Measurement]:
    """drop-rows: each row adds up to 1; under dropout only on average, with the spread that theory gives.

    A weight a stays with probability 1 − p and becomes a/(1 − p). So a row's sum has mean 1 and variance
    p/(1 − p) · Σa². The mean and the variance over all rows are held to five of their own standard errors; the
    variance's comes from the fourth cumulant, Σa⁴ · p(1 − 6p(1 − p))/(1 − p)³.

    Args:
        config: The settings.
        applied: Weights that were applied (passes, heads, n, n), float64.
        weights: Weights before dropout (heads, n, n), float64.
    """
    sums, terms = applied.sum(-1), len(config.tokens) + 2
    bound = sum_tolerance(config.torch_dtype, scale=1.0, terms=terms, rounded=0.5)
    passes, p = len(applied), config.dropout
    each = weights.shape[0] * weights.shape[1]
    every = _("all {count:,} rows", count=each)
    if p:
        every = _("all {count:,} rows of {passes:,} passes", count=each, passes=passes)
    found = {"drop-rows": Measurement(largest(sums - 1), bound, every, size=1.0)}
    if not p:
        return found
    variance = p / (1 - p) * weights.square().sum(-1)
    fourth = weights.pow(4).sum(-1) * p * (1 - 6 * p * (1 - p)) / (1 - p) ** 3
    count = passes * variance.numel()
    mean_error = 5 * math.sqrt(float(variance.mean()) / count) + bound
    spread = float(((sums - 1).square() / variance).mean())
    spread_error = 5 * math.sqrt(float(((fourth + 2 * variance.square()) / variance.square()).mean()) / count)
    spread_error += 4 * bound * float(variance.sqrt().reciprocal().max())
    for part, measured, error in (("mean", float(sums.mean()), mean_error), ("spread", spread, spread_error)):
        found[f"drop-rows.{part}"] = Measurement(measured, (1 - error, 1 + error), every)
    return found


def tie_bound(config: AnatomyConfig, trace: AttentionTrace) -> Tensor:
    """By what part of itself rounding may change a weight: its own rounding, and its score's absolute error.

    In half precision key, product and scaled score are rounded by at most one unit in the last place each, as sums
    accumulate in float32, and the penalty of a position once.

    Returns:
        The largest such part of each row (heads, n).
    """
    dtype, size = config.torch_dtype, config.head_size
    q, k, masked = (on_cpu(z)[0] for z in (trace.q, trace.k, trace.masked_scores))
    score = q.norm(dim=-1) * k.norm(dim=-1).amax(-1, keepdim=True) / math.sqrt(size)
    shift = masked.masked_fill(masked.isinf(), 0.0).abs().amax(-1)
    if is_half(dtype):
        return torch.finfo(dtype).eps * (1 + 3 * score + shift)
    return tolerance(dtype, scale=1.0, terms=len(config.tokens) + 2 * D_MODEL + size) * (1 + score + shift)


def hull(config: AnatomyConfig, trace: AttentionTrace) -> Measurement:
    """convex-hull: in no direction does a head's context reach further than the furthest of its values.

    A weight's error moves u · context by at most |u|₁ · max |v|, and ‖u‖₂ = 1 leaves |u|₁ ≤ √d_head.

    Args:
        config: The settings.
        trace: One pass or many (passes, heads, n, ·).
    """
    excess, directions = _excess(config, trace)
    size, terms = trace.v.shape[-1], len(config.tokens) + trace.v.shape[-1] + 2
    scale = max(1.0, math.sqrt(size) * float(on_cpu(trace.v).abs().max()))
    bound = sum_tolerance(
        config.torch_dtype, scale=scale, terms=terms, rounded=scale
    )  # weights and context, eps/2 each
    return Measurement(excess, bound, _("{count} directions u", count=directions), size=largest(on_cpu(trace.v)))


def _excess(config: AnatomyConfig, trace: AttentionTrace) -> tuple[float, int]:
    """The most, over directions u, of u · context − maxⱼ u · vⱼ, at least 0, and how many directions.

    They are ± each axis, 64 random ones, and a feature that is 1 in every value, which tells a hull from its
    multiples.
    """
    context, values = on_cpu(trace.context), on_cpu(trace.v)
    size = values.shape[-1]
    drawn = draw((DIRECTIONS, size), config.seed, "hull")
    axes = torch.eye(size, dtype=torch.float64)
    directions = torch.cat((axes, -axes, drawn / drawn.norm(dim=-1, keepdim=True))).mT  # (d_head, directions)
    reach = (values[:1] @ directions).amax(-2, keepdim=True)  # the values are the same in every pass
    ones = on_cpu(trace.weights).sum(-1) - 1
    further = [largest((some @ directions - reach).clamp(min=0)) for some in context.split(_AT_ONCE)]
    return max(*further, largest(ones)), directions.shape[1] + 1


def lookup(config: AnatomyConfig, passes: AttentionTrace, reference: AttentionTrace) -> Measurement:
    """soft-lookup: the context differs from the best key's value by at most the others' weight times their distance.

    Of Σⱼ aⱼ vⱼ − v* = Σⱼ aⱼ (vⱼ − v*) the best key's own term is 0, whatever its weight. Rounding moves a weight by
    a part of itself and the context once, each by less than the largest value.

    Args:
        config: The settings.
        passes: One pass or many (passes, heads, n, ·).
        reference: One pass without dropout.
    """
    scale = 1 + 2 * float(on_cpu(reference.v).abs().max())
    bound = sum_tolerance(config.torch_dtype, scale=scale, terms=len(config.tokens) + 4, rounded=2 * scale)
    lookups = _("{heads} × {tokens} lookups", heads=config.heads, tokens=len(config.tokens))
    return Measurement(_past_lookup(passes, reference), bound, lookups, size=largest(on_cpu(reference.v)))


def best_keys(weights: Tensor) -> Tensor:
    """1 at the key with the largest weight of each row, the first of several: the weights of a hard lookup."""
    return torch.nn.functional.one_hot(weights.argmax(-1), weights.shape[-1]).to(weights)


def _past_lookup(passes: AttentionTrace, reference: AttentionTrace) -> float:
    """What is left, at least 0; a further number that is 1 in every value notices rows that do not add up to 1."""
    weights, values, context = on_cpu(reference.weights), on_cpu(reference.v), on_cpu(passes.context)
    hard = best_keys(weights)
    others = (weights * (1 - hard)).sum(-1, keepdim=True)
    best = hard @ values
    furthest = (values[..., None, :, :] - best[..., :, None, :]).abs().amax(-2)
    past = ((context - best).abs() - others * furthest).clamp(min=0)
    return largest(past, on_cpu(passes.weights).sum(-1) - 1)


def _reshape(config: AnatomyConfig) -> Theory:
    """A wrong cut into heads changes nothing of one head, one word, or equal values."""
    added = config.positions in ("sinusoidal", "learned")
    all_values_equal = (
        config.weights == "built" and len(set(config.tokens)) == 1 and not added and config.projections != "tied-kv"
    )
    agrees = no_cut(config.heads, len(config.tokens)) or (EQUAL_VALUES if all_values_equal else "")
    if agrees:
        return Open(agrees)
    mixes = _("the rows are cut by view alone, so heads mix the numbers of several words")
    return Fails(mixes) if config.no_transpose else Holds()


def _divisible(config: AnatomyConfig) -> Theory:
    given = _("the size of a head is given, so no number of heads is refused")
    return Fails(given) if config.d_head else Holds()


def _rows(config: AnatomyConfig) -> Theory:
    dropped = _("dropout with p = {p:g} is on, and keeps rows at 1 only on average", p=config.dropout)
    return Fails(dropped) if config.dropout else Holds()


def _shares(config: AnatomyConfig) -> Theory:
    """What needs rows of weights that add up to 1."""
    dropped = _("dropout with p = {p:g} leaves rows that do not add up to 1", p=config.dropout)
    return Fails(dropped) if config.dropout else Holds()


def _counted(config: AnatomyConfig) -> Theory:
    """Torch's counter may see another number of operations in the fused kernel."""
    if not config.fused:
        return Holds()
    sizes = (config.heads, len(config.tokens), len(config.tokens), config.head_size)
    masked = config.positions == "alibi"
    seen = fused_head_size(config.torch_device, config.torch_dtype, *sizes, is_causal=config.causal, masked=masked)
    missed = miscounted(seen, config.head_size)
    return Fails(missed) if missed else Holds()


TESTS: Final = (
    reshape_test(_reshape),
    ClaimTest("mha-divisible", "=", _("of 1 … {count} heads the constructor rejects", count=D_MODEL),
              _("refused of 1 … {count} heads", count=D_MODEL), theory=_divisible),
    ClaimTest("drop-rows", "≤", _("the sum of a row of weights differs from 1 by at most"), "max |Σⱼ aⱼ − 1|",
              theory=_rows),
    ClaimTest("drop-rows.mean", "in", _("with dropout the sums of all rows have the mean"), _("mean of Σⱼ aⱼ")),
    ClaimTest("drop-rows.spread", "in", _("beside what theory gives, the variance of the sums is"),
              _("variance of Σⱼ aⱼ ÷ (Σⱼ aⱼ² p/(1−p))")),
    ClaimTest("convex-hull", "≤", _("the most that a head's context lies outside of its values is"),
              _("max (u·context − maxⱼ u·vⱼ)"), theory=_shares),
    ClaimTest("soft-lookup", "≤",
              _("the most that a context lies beyond what the other keys' weights allow is"),
              _("max (|context − v*| − Σⱼ≠* aⱼ · maxⱼ |vⱼ − v*|)"), theory=_shares),
    ClaimTest("cplx-core", "=", _("scores and weighted sums take"), _("QKᵀ and AV"), theory=_counted),
)  # fmt: skip
