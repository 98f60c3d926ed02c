"""Counting one layer: lines, totals, the map over lengths and widths, and the verdicts."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from attention_core.experiments.complexity.config import TOKENS, ComplexityConfig
from attention_core.experiments.complexity.count import count_lines, count_map, count_over_n, count_whole, crossing
from attention_core.experiments.complexity.rearranged import rearrangements
from attention_core.experiments.complexity.reshape import breaks, reshape_sizes, reshaped
from attention_core.experiments.complexity.result import ComplexityResult, Line
from attention_core.experiments.flops import fused_head_size, miscounted
from attention_core.experiments.judge import Found, Test, judge_all

_LARGE = "d_head is twice d_model / num_heads, so the heads together are 2 · d_model wide"
_MIXED = "reshaping alone gives each head numbers of several tokens"


def run_complexity(config: ComplexityConfig) -> ComplexityResult:
    """Count everything for one config."""
    lines = count_lines(config)
    core, total = count_whole(config)
    parts = np.array(count_map(config), dtype=np.int64)
    cross = crossing(config)
    return ComplexityResult.of(
        config,
        judge_all(config, TESTS, _found(config, lines, core, total, cross), _reshaped),
        config=config,
        lines=lines,
        rearranged=rearrangements(config),
        core=core,
        total=total,
        map_projections=parts[..., 0].copy(),
        map_core=parts[..., 1].copy(),
        over_n=np.array(count_over_n(config), dtype=np.int64).T.copy(),
        formula_over_n=np.array([_formula(config, n) for n in TOKENS], dtype=np.int64).T.copy(),
        crossing=cross,
    )


def _found(config: ComplexityConfig, lines: tuple[Line, ...], core: int, total: int, cross: int) -> dict[str, Found]:
    n_t, n_s, d = config.num_queries, config.num_keys, config.d_model
    length = f"n = {n_t:,}" if n_t == n_s else f"n_t = {n_t:,}, n_s = {n_s:,}"
    sizes = f"{length}, d = {d:,}, h = {config.num_heads}, {'forward' if config.fused else 'trace'}"
    written = next(line.written for line in lines if line.name == "weights")
    cells = n_t * n_s * config.num_heads * config.torch_dtype.itemsize
    wide = f"{sizes}, h·d_head = {config.width:,}"
    bisected = f"up to n = {4 * d:,}, by bisection"
    return {
        "cplx-core.flops": Found(core, 4 * n_t * n_s * d, sizes),
        "cplx-core.bytes": Found(written, cells, sizes),
        "cplx-mha": Found(total, _whole(config), sizes, note=_made_up(config, _LARGE)),
        "cplx-heads": Found(total, _by_heads(config), wide, note=_made_up(config, "")),
        "cplx-bottleneck": Found(cross, 2 * d, bisected, unit="tokens", note=_no_output(config)),
    } | _reshaped(config)


def _reshaped(config: ComplexityConfig) -> dict[str, Found]:
    return {"mha-reshape": reshaped(config)}


def _whole(config: ComplexityConfig) -> int:
    """FLOPs of the layer with heads of d_model / num_heads and a W_O."""
    n_t, n_s, d = config.num_queries, config.num_keys, config.d_model
    return 4 * n_t * d**2 + 4 * n_s * d**2 + 4 * n_t * n_s * d


def _by_heads(config: ComplexityConfig) -> int:
    """FLOPs of the layer with heads of any size and a W_O."""
    return 4 * (config.num_queries + config.num_keys) * config.d_model * config.width + config.core_flops


def _seen(config: ComplexityConfig) -> int | None:
    """How many numbers of a head the counter sees in the fused kernel; None where it does not run."""
    sizes = (config.num_heads, *reshape_sizes(config), config.d_head)
    return fused_head_size(config.torch_device, config.torch_dtype, *sizes) if config.fused else None


def _no_output(config: ComplexityConfig) -> str:
    return "there is no W_O" if config.no_output else ""


def _of_core(config: ComplexityConfig) -> str:
    return _all_of(miscounted(_seen(config), config.d_head), _LARGE if config.large_heads else "")


def _of_total(config: ComplexityConfig, claimed: Callable[[ComplexityConfig], int], large: str) -> str:
    """Changes may make up for one another: at n = 2·d, heads twice as large cost what an unseen core saves."""
    seen = _seen(config)
    heads = config.num_heads * (config.d_head if seen is None else seen)
    foreseen = config.projection_flops + 4 * config.num_queries * config.num_keys * heads
    return "" if foreseen == claimed(config) else _changes(config, large)


def _changes(config: ComplexityConfig, large: str) -> str:
    fused = miscounted(_seen(config), config.d_head)
    return _all_of(fused, large if config.large_heads else "", _no_output(config))


def _made_up(config: ComplexityConfig, large: str) -> str:
    changes = _changes(config, large)
    return changes and f"{changes}: together they leave the sum"


TESTS: Final = (
    Test("cplx-core.flops", "=", "the operations of scores and weighted sums that torch counts are",
         "FLOPs of q·kᵀ and weights·v: 4·n_t·n_s·d", breaks=_of_core),
    Test("cplx-core.bytes", "=", "the bytes that the weights fill are", "bytes of the weights: h·n_t·n_s numbers"),
    Test("cplx-mha", "=", "the operations that torch counts in all are", "FLOPs: 4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d",
         breaks=partial(_of_total, claimed=_whole, large=_LARGE)),
    Test("cplx-heads", "=", "with h·d_head in place of d the operations that torch counts in all are",
         "FLOPs: (4·n_t·d + 4·n_s·d + 4·n_t·n_s)·h·d_head", breaks=partial(_of_total, claimed=_by_heads, large="")),
    # Lengths are whole: with d = 1 the first one past 1.5 · d is 2 · d.
    Test("cplx-bottleneck", "=", "both parts cost the same at a text of", "n at which both parts cost the same: 2·d",
         breaks=lambda config: _no_output(config) if config.d_model > 1 else ""),
    Test("mha-reshape", "≤", "all heads at once differ from one head after another by at most",
         "max |all heads at once − one at a time|", breaks=lambda config: _MIXED if breaks(config) else ""),
)  # fmt: skip


def _all_of(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def _formula(config: ComplexityConfig, n: int) -> tuple[int, int]:
    """FLOPs of the projections and of the core on ``n`` tokens by their formulas."""
    sizes = replace(config, num_queries=n, num_keys=n, fused=False)
    return sizes.projection_flops, sizes.core_flops
