"""Counting one layer: lines, totals, the map over lengths and widths, and the verdicts."""

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.experiments.complexity.config import TOKENS, ComplexityConfig
from attention_core.experiments.complexity.count import count_lines, count_map, count_over_n, count_whole, crossing
from attention_core.experiments.complexity.reshape import breaks, reshape_residual, reshape_sizes
from attention_core.experiments.complexity.result import ComplexityResult, Counts, Line
from attention_core.experiments.verdict import Provenance, Verdict

_FUSED = "torch's counter has no formula for the CPU's fused kernel and counts it as 0"
_LARGE = "d_head is twice d_model / num_heads, so the heads together are 2 · d_model wide"
_NO_OUTPUT = "there is no W_O"
_MIXED = "reshaping alone gives each head numbers of several tokens"


def run_complexity(config: ComplexityConfig) -> ComplexityResult:
    """Count everything for one config; the same config gives the same result, bit for bit."""
    lines = count_lines(config)
    core, total = count_whole(config)
    parts = np.array(count_map(config), dtype=np.int64)
    cross = crossing(config)
    return ComplexityResult(
        config=config,
        lines=lines,
        core=core,
        total=total,
        map_projections=_frozen(parts[..., 0]),
        map_core=_frozen(parts[..., 1]),
        over_n=_frozen(np.array(count_over_n(config), dtype=np.int64).T),
        formula_over_n=_frozen(np.array([_formula(config, n) for n in TOKENS], dtype=np.int64).T),
        crossing=cross,
        verdicts=_verdicts(config, lines, core, total, cross),
        provenance=Provenance.of(config),
    )


def _verdicts(
    config: ComplexityConfig, lines: tuple[Line, ...], core: int, total: int, cross: int
) -> tuple[Verdict, ...]:
    n_t, n_s, d = config.num_queries, config.num_keys, config.d_model
    unseen = config.fused and config.torch_device.type == "cpu"
    length = f"n = {n_t:,}" if n_t == n_s else f"n_t = {n_t:,}, n_s = {n_s:,}"
    sizes = f"{length}, d = {d:,}, h = {config.num_heads}"
    path = "forward" if config.fused else "trace"
    written = next(line.written for line in lines if line.name == "weights")
    residual, bound = reshape_residual(config)

    def verdict(
        claim: str, quantity: str, measured: float, wanted: float, breakers: list[str], **more: Any
    ) -> Verdict:
        given: dict[str, Any] = {"relation": "=", "cases": sizes, "expected": not breakers} | more
        return Verdict(
            claim=claim,
            quantity=quantity,
            measured=float(measured),
            bound=float(wanted),
            dtype=config.dtype,
            device=str(config.torch_device),
            because="; ".join(breakers),
            **given,
        )

    of_core = [_FUSED] * unseen + [_LARGE] * config.large_heads
    no_output = [_NO_OUTPUT] * (not config.output_projection)
    cells = n_t * n_s * config.num_heads * config.torch_dtype.itemsize
    all_words = "4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d"
    whole = 4 * n_t * d**2 + 4 * n_s * d**2 + 4 * n_t * n_s * d
    # Lengths are whole: with d = 1 the first one past 1.5 · d is 2 · d.
    bisection = {"cases": f"up to n = {4 * d:,}, by bisection", "expected": not no_output or d == 1}
    reshaped = {"relation": "≤", "expected": not breaks(config), "cases": _reshape_cases(config)}
    return (
        verdict("cplx-core", f"FLOPs of q·kᵀ and weights·v in {path}: 4·n_t·n_s·d", core, 4 * n_t * n_s * d,
                of_core),
        verdict("cplx-core", "bytes of the weights: h·n_t·n_s numbers", written, cells, []),
        verdict("cplx-mha", f"FLOPs of {path}: {all_words}", total, whole, of_core + no_output),
        verdict("cplx-bottleneck", "n at which both parts cost the same: 2·d", cross, 2 * d,
                no_output, **bisection),
        verdict("mha-reshape", "max |all heads at once − one at a time|", residual, bound,
                [_MIXED] * config.mixed, **reshaped),
    )  # fmt: skip


def _formula(config: ComplexityConfig, n: int) -> tuple[int, int]:
    """FLOPs of the projections and of the core on ``n`` tokens by their formulas."""
    sizes = replace(config, num_queries=n, num_keys=n, fused=False)
    return sizes.projection_flops, sizes.core_flops


def _reshape_cases(config: ComplexityConfig) -> str:
    n_t, n_s = reshape_sizes(config)
    heads = "1 head" if config.num_heads == 1 else f"{config.num_heads} heads"
    return f"{heads}, {n_t} queries, {n_s} keys"


def _frozen(values: Counts) -> Counts:
    values = values.copy()
    values.setflags(write=False)
    return values
