"""The five claims of the anatomy page, measured on the module."""

import math

import torch
from torch import Tensor

from attention_core.experiments.anatomy.config import D_MODEL, AnatomyConfig, breaks
from attention_core.experiments.anatomy.module import SeededDropout
from attention_core.experiments.flops import FlopCounter
from attention_core.experiments.inputs import generator
from attention_core.experiments.judge import judge
from attention_core.experiments.verdict import Relation, Verdict, tolerance
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention

DIRECTIONS = 64
_PASSED_NUMBERS = 2**17  # weights that all training passes together may have


def verdict(
    config: AnatomyConfig, claim: str, quantity: str, measured: float, relation: Relation,
    bound: float | tuple[float, float], cases: str, *, because: str | None = None, unit: str = "",
) -> Verdict:  # fmt: skip
    """A verdict of this experiment; ``because`` is what breaks the claim, by default what the config switches on."""
    because = breaks(config, claim) if because is None else because
    return judge(config, claim, quantity, measured, relation, bound, cases=cases, because=because, unit=unit)


def divisible(config: AnatomyConfig) -> Verdict:
    """mha-divisible: the constructor refuses every number of heads that does not divide d_model, naming both."""
    divisors = sum(D_MODEL % heads == 0 for heads in range(1, D_MODEL + 1))
    refused = 0
    for heads in range(1, D_MODEL + 1):
        try:
            MultiHeadAttention(D_MODEL, heads, d_head=config.d_head or None, device="meta")
        except ValueError as error:
            refused += f"d_model = {D_MODEL}" in str(error) and f"num_heads = {heads}" in str(error)
    quantity = f"refused of 1 … {D_MODEL} heads"
    return verdict(config, "mha-divisible", quantity, refused, "=", D_MODEL - divisors, f"d_model = {D_MODEL}")


def core_flops(module: MultiHeadAttention, x: Tensor, *, is_causal: bool, fused: bool) -> int:
    """Operations of scores and weighted sum, by torch's formulas; what projections take is left out.

    Args:
        module: The module.
        x: Its input (1, n, d_model).
        is_causal: Whether queries look back only.
        fused: Whether to count ``forward`` instead of ``trace``.
    """
    with FlopCounter() as whole:
        (module if fused else module.trace)(x, is_causal=is_causal)
    with FlopCounter() as projections:
        module.out_of_heads(module.into_heads(x, x, x)[2])
    return whole.operations - projections.operations


def training_passes(
    config: AnatomyConfig, module: MultiHeadAttention, x: Tensor, *, is_causal: bool
) -> AttentionTrace:
    """As many passes in training mode as have 2¹⁷ weights together, from 16 to 4,096, in one batch."""
    passes = min(4096, max(16, _PASSED_NUMBERS // (config.heads * len(config.tokens) ** 2)))
    with SeededDropout(config.seed):
        return module.train().trace(x.expand(passes, -1, -1), is_causal=is_causal)


def row_bound(config: AnatomyConfig) -> float:
    """How far rounding alone moves a row's sum from 1; in half precision each weight is rounded once more."""
    dtype = config.torch_dtype
    if dtype in (torch.float64, torch.float32):
        return tolerance(dtype, scale=1.0, terms=len(config.tokens) + 2)
    return torch.finfo(dtype).eps / 2 + tolerance(torch.float32, scale=1.0, terms=len(config.tokens) + 2)


def rows(config: AnatomyConfig, applied: Tensor, weights: Tensor) -> tuple[Verdict, ...]:
    """drop-rows: each row adds up to 1; under dropout only on average, with the spread that theory gives.

    A weight a stays with probability 1 − p and becomes a/(1 − p). So a row's sum has mean 1 and variance
    p/(1 − p) · Σa². The mean and the variance over all rows are held to five of their own standard errors; the
    variance's comes from the fourth cumulant, Σa⁴ · p(1 − 6p(1 − p))/(1 − p)³.

    Args:
        config: The settings.
        applied: Weights that were applied (passes, heads, n, n), float64.
        weights: Weights before dropout (heads, n, n), float64.
    """
    sums, bound = applied.sum(-1), row_bound(config)
    once = float((sums - 1).abs().max())
    passes, p = len(applied), config.dropout
    every = f"all {weights.shape[0] * weights.shape[1]:,} rows" + (f" of {passes:,} passes" if p else "")
    first = verdict(config, "drop-rows", "max |Σⱼ aⱼ − 1|", once, "≤", bound, every)
    if not p:
        return (first,)
    variance = p / (1 - p) * weights.square().sum(-1)
    fourth = weights.pow(4).sum(-1) * p * (1 - 6 * p * (1 - p)) / (1 - p) ** 3
    count = passes * variance.numel()
    mean_error = 5 * math.sqrt(float(variance.mean()) / count) + bound
    spread = float(((sums - 1).square() / variance).mean())
    spread_error = 5 * math.sqrt(float(((fourth + 2 * variance.square()) / variance.square()).mean()) / count)
    spread_error += 4 * bound * float(variance.sqrt().reciprocal().max())
    return (
        first,
        verdict(config, "drop-rows", "mean of Σⱼ aⱼ", float(sums.mean()), "in", (1 - mean_error, 1 + mean_error),
                every, because=""),
        verdict(config, "drop-rows", "variance of Σⱼ aⱼ ÷ (Σⱼ aⱼ² p/(1−p))", spread, "in",
                (1 - spread_error, 1 + spread_error), every, because=""),
    )  # fmt: skip


def hull(config: AnatomyConfig, trace: AttentionTrace) -> Verdict:
    """convex-hull: in no direction does a head's context reach further than the furthest of its values.

    max over directions u of (u · context − maxⱼ u · vⱼ), over ± each axis, 64 random directions, and a feature that
    is 1 in every value, which tells a hull from its multiples. A weight's error moves u · context by at most
    |u|₁ · max |v|, and ‖u‖₂ = 1 leaves |u|₁ ≤ √d_head.

    Args:
        config: The settings.
        trace: One pass or many (passes, heads, n, ·).
    """
    context, values = trace.context.to("cpu", torch.float64), trace.v.to("cpu", torch.float64)
    size = values.shape[-1]
    drawn = torch.randn(DIRECTIONS, size, generator=generator(config.seed, "hull"), dtype=torch.float64)
    axes = torch.eye(size, dtype=torch.float64)
    directions = torch.cat((axes, -axes, drawn / drawn.norm(dim=-1, keepdim=True))).mT  # (d_head, directions)
    reach = (values[:1] @ directions).amax(-2, keepdim=True)  # the values are the same in every pass
    excess = float(((context @ directions) - reach).max())
    ones = trace.weights.to("cpu", torch.float64).sum(-1)
    excess = max(excess, float((ones - 1).max()), float((1 - ones).max()), 0.0)
    scale = max(1.0, math.sqrt(size) * float(values.abs().max()))
    precise = config.torch_dtype if config.torch_dtype == torch.float64 else torch.float32
    bound = tolerance(precise, scale=scale, terms=len(config.tokens) + size + 2)
    if precise != config.torch_dtype:
        bound += (
            torch.finfo(config.torch_dtype).eps * scale
        )  # weights and context are rounded once more, by eps/2 each
    quantity = "max (u·context − maxⱼ u·vⱼ)"
    return verdict(config, "convex-hull", quantity, excess, "≤", bound, f"{directions.shape[1] + 1} directions u")
