"""Counting one layer: lines, totals, the map over lengths and widths, and the verdicts."""

from dataclasses import replace

import numpy as np

from attention_core.experiments.complexity.config import TOKENS, ComplexityConfig
from attention_core.experiments.complexity.count import count_lines, count_map, count_over_n, count_whole, crossing
from attention_core.experiments.complexity.rearranged import rearrangements
from attention_core.experiments.complexity.reshape import breaks, reshape_residual, reshape_sizes
from attention_core.experiments.complexity.result import ComplexityResult, Line
from attention_core.experiments.flops import miscounted
from attention_core.experiments.judge import frozen, judge
from attention_core.experiments.verdict import Provenance, Verdict

_LARGE = "d_head is twice d_model / num_heads, so the heads together are 2 · d_model wide"
_NO_OUTPUT = "there is no W_O"
_MADE_UP = ": together they leave the sum"
_MIXED = "reshaping alone gives each head numbers of several tokens"


def run_complexity(config: ComplexityConfig) -> ComplexityResult:
    """Count everything for one config."""
    lines = count_lines(config)
    core, total, head_size = count_whole(config)
    parts = np.array(count_map(config), dtype=np.int64)
    cross = crossing(config)
    return ComplexityResult(
        config=config,
        lines=lines,
        rearranged=rearrangements(config),
        core=core,
        total=total,
        map_projections=frozen(parts[..., 0].copy()),
        map_core=frozen(parts[..., 1].copy()),
        over_n=frozen(np.array(count_over_n(config), dtype=np.int64).T.copy()),
        formula_over_n=frozen(np.array([_formula(config, n) for n in TOKENS], dtype=np.int64).T.copy()),
        crossing=cross,
        verdicts=_verdicts(config, lines, (core, total, head_size), cross),
        provenance=Provenance.of(config),
    )


def _verdicts(
    config: ComplexityConfig, lines: tuple[Line, ...], counted: tuple[int, int, int | None], cross: int
) -> tuple[Verdict, ...]:
    core, total, head_size = counted
    n_t, n_s, d = config.num_queries, config.num_keys, config.d_model
    length = f"n = {n_t:,}" if n_t == n_s else f"n_t = {n_t:,}, n_s = {n_s:,}"
    sizes = f"{length}, d = {d:,}, h = {config.num_heads}"
    path = "forward" if config.fused else "trace"
    written = next(line.written for line in lines if line.name == "weights")
    residual, bound = reshape_residual(config)

    fused, no_output = miscounted(head_size, config.d_head), _NO_OUTPUT if config.no_output else ""
    of_core = _all_of(fused, _LARGE if config.large_heads else "")
    of_all, of_heads = _all_of(of_core, no_output), _all_of(fused, no_output)
    # Changes may make up for one another: at n = 2·d, heads twice as large cost what an unseen core saves.
    seen = config.d_head if head_size is None else head_size
    foreseen = config.projection_flops + 4 * n_t * n_s * config.num_heads * seen
    wide = 4 * (n_t + n_s) * d * config.width + config.core_flops
    cells = n_t * n_s * config.num_heads * config.torch_dtype.itemsize
    whole = 4 * n_t * d**2 + 4 * n_s * d**2 + 4 * n_t * n_s * d
    return (
        judge(
            config, "cplx-core.flops", core, "=", 4 * n_t * n_s * d,
            says="the operations of scores and weighted sums that torch counts are",
            quantity=f"FLOPs of q·kᵀ and weights·v in {path}: 4·n_t·n_s·d", cases=sizes, broken=of_core,
        ),
        judge(
            config, "cplx-core.bytes", written, "=", cells, says="the bytes that the weights fill are",
            quantity="bytes of the weights: h·n_t·n_s numbers", cases=sizes,
        ),
        judge(
            config, "cplx-mha", total, "=", whole, says="the operations that torch counts in all are",
            quantity=f"FLOPs of {path}: 4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d", cases=sizes,
            broken=of_all if foreseen != whole else "", note=of_all and f"{of_all}{_MADE_UP}",
        ),
        judge(
            config, "cplx-heads", total, "=", wide,
            says="with h·d_head in place of d the operations that torch counts in all are",
            quantity=f"FLOPs of {path}: (4·n_t·d + 4·n_s·d + 4·n_t·n_s)·h·d_head",
            cases=f"{sizes}, h·d_head = {config.width:,}",
            broken=of_heads if foreseen != wide else "", note=of_heads and f"{of_heads}{_MADE_UP}",
        ),
        judge(
            # Lengths are whole: with d = 1 the first one past 1.5 · d is 2 · d.
            config, "cplx-bottleneck", cross, "=", 2 * d, says="both parts cost the same at a text of",
            quantity="n at which both parts cost the same: 2·d", cases=f"up to n = {4 * d:,}, by bisection",
            broken=no_output if d > 1 else "", note=no_output, unit="tokens",
        ),
        judge(
            config, "mha-reshape", residual, "≤", bound,
            says="all heads at once differ from one head after another by at most",
            quantity="max |all heads at once − one at a time|", cases=_reshape_cases(config),
            broken=_MIXED if breaks(config) else "", exact=lambda exact: reshape_residual(exact)[0],
        ),
    )  # fmt: skip


def _all_of(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def _formula(config: ComplexityConfig, n: int) -> tuple[int, int]:
    """FLOPs of the projections and of the core on ``n`` tokens by their formulas."""
    sizes = replace(config, num_queries=n, num_keys=n, fused=False)
    return sizes.projection_flops, sizes.core_flops


def _reshape_cases(config: ComplexityConfig) -> str:
    n_t, n_s = reshape_sizes(config)
    heads = "1 head" if config.num_heads == 1 else f"{config.num_heads} heads"
    return f"{heads}, {n_t} queries, {n_s} keys"
