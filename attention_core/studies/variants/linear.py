"""Linear attention: its operations, the order of its products, and how far rounding may move what it computes."""

import math
from functools import cache
from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing, variance
from attention_core.measuring.flops import count_parts
from attention_core.measuring.judge import Measurement, largest
from attention_core.modules.allocate import allocate
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.variants.parts import attention, linear
from attention_core.studies.variants.settings import D_HEAD, D_MODEL, HEADS, LENGTHS, VariantsConfig

QUERIES: Final = 16  # of those that ask all keys, so many are counted: the quadratic form of all would need gigabytes


def found_of_linear(config: VariantsConfig, x: Tensor) -> dict[str, Measurement]:
    """``linear-cost`` and ``linear-order``."""
    n, module = config.length, linear(config)
    once, twice = (core_flops(length, causal=config.causal, quadratic=config.quadratic) for length in (n, 2 * n))
    trace, direct = module.trace(x, is_causal=config.causal), module(x, is_causal=config.causal)
    other = attention(config)(x, is_causal=config.causal) if config.softmax else trace.output
    sizes = _("n = {n:,}, {heads} heads of {size}", n=n, heads=HEADS, size=D_HEAD)
    tokens = _("{count} tokens", count=len(config.tokens))
    difference = largest(on_cpu(direct) - on_cpu(other))
    return {
        "linear-cost.flops": Measurement(once, flops_on_paper(n, causal=config.causal), sizes),
        "linear-cost.twice": Measurement(twice / once, 2.0, sizes, unit=_("×")),
        "linear-order": Measurement(difference, linear_tolerance(module, trace), tokens, largest(direct)),
    }


def flops_on_paper(length: int, *, causal: bool) -> int:
    """FLOPs of both products of linear attention in all heads, with the column that adds up the weights.

    φ(k)ᵀ[v 1] and φ(q) times it are 2 · d_head · (d_head + 1) each for every token; causal ones also form the pairs
    within blocks of d_head tokens, 2 · d_head · d_head and 2 · d_head · (d_head + 1) more.
    """
    pairs = D_HEAD * D_HEAD + D_HEAD * (D_HEAD + 1) if causal else 0
    return HEADS * length * 2 * (2 * D_HEAD * (D_HEAD + 1) + pairs)


@cache
def core_flops(length: int, *, causal: bool, quadratic: bool) -> int:
    """FLOPs of linear attention without its projections, by torch's counter; with ``quadratic`` of its other form.

    One head is counted, as all do the same, and of the quadratic form ``QUERIES``; what is drawn changes nothing. It
    runs on the CPU: torch's shapes without numbers ("meta") import torch's compiler for anything but products, some
    seconds and 90 MB.
    """
    module, x = allocate(LinearAttention(D_HEAD, 1, device="meta")), torch.zeros(1, length, D_HEAD)
    if quadratic:
        return HEADS * length // QUERIES * count_parts(module, x[:, :QUERIES], x)[1]
    return HEADS * count_parts(module, x, fused=True, is_causal=causal)[1]


def flops_over_lengths(config: VariantsConfig) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """FLOPs of softmax attention's core and of linear attention's at each length."""
    counted = (core_flops(length, causal=config.causal, quadratic=config.quadratic) for length in LENGTHS)
    return _softmax_flops(), tuple(counted)


@cache
def _softmax_flops() -> tuple[int, ...]:
    module = MultiHeadAttention(
        D_MODEL, HEADS, q_bias=False, k_bias=False, v_bias=False, o_bias=False, device="meta"
    )  # neither a bias nor a mask changes how many products there are
    return tuple(count_parts(module, torch.empty(1, length, D_MODEL, device="meta"))[1] for length in LENGTHS)


def linear_tolerance(module: LinearAttention, *traces: AttentionTrace, new_projections: bool = False) -> float:
    """Largest difference of two outputs of linear attention that rounding explains.

    Features are positive, so no sum of weights cancels: a weight is off by a share of itself, whose variance is
    (d_head + kv_len + 3) · u², the sums that make it and divide it. Σ_j a_j v_j then moves by Σ_j a_j ε_j v_j, and
    the sum it is divided by, added up on its own, by as much again. Where the projections were rounded anew, φ moves
    with them by at most as much, since φ' ≤ φ and φ' ≤ 1. W_O carries all of it to the output.

    Args:
        module: The module.
        traces: Traces of it; the one that may be off furthest counts.
        new_projections: Whether the two outputs come from queries, keys and values that were rounded apart.
    """
    return max(_tolerance(module, trace, new_projections) for trace in traces)


def _tolerance(module: LinearAttention, trace: AttentionTrace, new_projections: bool) -> float:
    dtype, half = trace.output.dtype, is_half(trace.output.dtype)
    q, k, v, weights, context = (on_cpu(x) for x in (trace.q, trace.k, trace.v, trace.weights, trace.context))
    eps, squares, kv_len = torch.finfo(dtype).eps, weights.square(), v.shape[-2]
    relative = eps**2 / 12 if half else (D_HEAD + kv_len + 3) * (eps / 2) ** 2
    at_context = variance(context, dtype, terms=kv_len, squares=squares @ v.square())
    if new_projections:
        relative += sum(float(variance(_before(x), dtype, terms=D_MODEL).max()) for x in (q, k))
        relative += 2 * eps**2 / 12 if half else 0.0
        at_context += squares @ variance(v, dtype, terms=D_MODEL)
    at_context += relative * (squares @ v.square() + context.square() * squares.sum(-1, keepdim=True))
    merged, sums = (part.transpose(-3, -2).flatten(-2) for part in (at_context, context.square()))
    assert module.o_weight is not None
    matrix, bias = on_cpu(module.o_weight), 0.0 if module.o_bias is None else on_cpu(module.o_bias).square()
    at_output = merged @ matrix.square().mT
    if not half:
        at_output += variance(at_output, dtype, terms=sums.shape[-1], squares=sums @ matrix.square().mT + bias)
    last = float(spacing(on_cpu(trace.output), dtype).max()) if half else 0.0
    return LAMBDA * math.sqrt(2 * float(at_output.max())) + last


def _before(features: Tensor) -> Tensor:
    """What φ was taken of."""
    return torch.where(features > 1, features - 1, features.clamp(min=torch.finfo(torch.float64).tiny).log())
