"""Counting one layer: lines, totals, the map over lengths and widths, and the verdicts."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import torch

from attention_core.language import SEMICOLON, joined, ngettext_lazy, pgettext_lazy
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance
from attention_core.measuring.flops import fused_head_size, miscounted
from attention_core.measuring.head_cut import reshape_test, reshaped, without_transpose
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_cut
from attention_core.studies.complexity.count import (
    count_lines,
    count_map,
    count_over_n,
    count_whole,
    crossing,
    module_of,
)
from attention_core.studies.complexity.module import filled, tokens
from attention_core.studies.complexity.rearranged import rearrangements
from attention_core.studies.complexity.result import ComplexityResult
from attention_core.studies.complexity.settings import TOKENS, ComplexityConfig

_LARGE = _("d_head is twice d_model / num_heads, so the heads together are 2 · d_model wide")


def run_complexity(config: ComplexityConfig) -> ComplexityResult:
    """Count everything for one config."""
    return run_tests(ComplexityResult, config, TESTS, _measure)


def _measure(config: ComplexityConfig) -> Measurements:
    lines, (core, total, largest_made), cross = count_lines(config), count_whole(config), crossing(config)
    parts, over_n = np.array(count_map(config)), np.array(count_over_n(config)).T
    n_t, n_s, d = config.num_queries, config.num_keys, config.d_model
    length = f"n = {n_t:,}" if n_t == n_s else f"n_t = {n_t:,}, n_s = {n_s:,}"
    way = _("fused (forward)") if config.fused else _("explicit (trace)")
    sizes = _("{length}, d = {d:,}, h = {heads}, {way}", length=length, d=d, heads=config.num_heads, way=way)
    written = next(line.written for line in lines if line.name == "weights")
    cells = n_t * n_s * config.num_heads * config.torch_dtype.itemsize
    wide = _("{sizes}, h·d_head = {width:,}", sizes=sizes, width=config.width)
    bisected = _("up to n = {most:,}, by bisection", most=4 * d)
    reshape, apart, rounding = _reshaped(config)
    found = reshape | {
        "cplx-core.flops": Measurement(core, 4 * n_t * n_s * d, sizes),
        "cplx-core.bytes": Measurement(written, cells, sizes),
        "cplx-mha": Measurement(total, _whole(config), sizes, note=_made_up(config, _LARGE)),
        "cplx-heads": Measurement(total, _by_heads(config), wide, note=_made_up(config, "")),
        "cplx-bottleneck": Measurement(
            cross, 2 * d, bisected, unit=pgettext_lazy("unit", "tokens"), note=_no_output(config)
        ),
    }
    return found, {
        "config": config, "lines": lines, "rearranged": rearrangements(config), "core": core, "total": total,
        "map_projections": parts[..., 0], "map_core": parts[..., 1], "over_n": over_n,
        "formula_over_n": np.array([_formula(config, n) for n in TOKENS]).T, "crossing": cross,
        "largest_made": largest_made, "fused_apart": apart, "fused_rounding": rounding,
    }  # fmt: skip


def _reshaped(config: ComplexityConfig) -> tuple[dict[str, Measurement], float, float]:
    """mha-reshape, on the settings' sizes but at most 64 tokens; how far the fused kernel is off there, its bound."""
    module, (n_t, n_s) = filled(module_of(config), config), config.compared
    x, y = tokens("x", n_t, config.d_model, config), tokens("y", n_s, config.d_model, config)
    with torch.no_grad():
        trace = module.trace(x, y)
        fused = module(x, y)
        shown = without_transpose(module, trace, x, y).output if config.no_transpose else fused
        heads = ngettext_lazy("{count:,} head", "{count:,} heads", config.num_heads)
        cases = _("{heads}, {queries} queries, {keys} keys", heads=heads, queries=n_t, keys=n_s)
        found = {"mha-reshape": reshaped(module, trace, x, y, shown=shown, cases=cases)}
        return found, largest(on_cpu(fused) - on_cpu(trace.output)), output_tolerance(module, trace)


def _whole(config: ComplexityConfig) -> int:
    """FLOPs of the layer with heads of d_model / num_heads and a W_O."""
    n_t, n_s, d = config.num_queries, config.num_keys, config.d_model
    return 4 * n_t * d**2 + 4 * n_s * d**2 + 4 * n_t * n_s * d


def _by_heads(config: ComplexityConfig) -> int:
    """FLOPs of the layer with heads of any size and a W_O."""
    return 4 * (config.num_queries + config.num_keys) * config.d_model * config.width + config.core_flops


def _seen(config: ComplexityConfig) -> int | None:
    """How many numbers of a head the counter sees in the fused kernel; None where it does not run."""
    sizes = (config.num_heads, *config.compared, config.d_head)
    return fused_head_size(config.torch_device, config.torch_dtype, *sizes) if config.fused else None


def _no_output(config: ComplexityConfig) -> str:
    return _("there is no W_O") if config.no_output else ""


def _changes(config: ComplexityConfig, large: str) -> str:
    fused = miscounted(_seen(config), config.d_head)
    return joined(SEMICOLON, (fused, large if config.large_heads else "", _no_output(config)))


def _made_up(config: ComplexityConfig, large: str) -> str:
    changes = _changes(config, large)
    return changes and _("{changes}: together they leave the sum", changes=changes)


def _core(config: ComplexityConfig) -> Theory:
    changed = joined(SEMICOLON, (miscounted(_seen(config), config.d_head), _LARGE if config.large_heads else ""))
    return Fails(changed) if changed else Holds()


def _total(config: ComplexityConfig, claimed: Callable[[ComplexityConfig], int], large: str) -> Theory:
    """Changes may make up for one another: at n = 2·d, heads twice as large cost what an unseen core saves."""
    seen = _seen(config)
    heads = config.num_heads * (config.d_head if seen is None else seen)
    foreseen = config.projection_flops + 4 * config.num_queries * config.num_keys * heads
    return Holds() if foreseen == claimed(config) else Fails(_changes(config, large))


def _crossing(config: ComplexityConfig) -> Theory:
    """Lengths are whole: with d = 1 the first one past 1.5 · d is 2 · d."""
    return Fails(_no_output(config)) if config.no_output and config.d_model > 1 else Holds()


def _reshape(config: ComplexityConfig) -> Theory:
    if agrees := no_cut(config.num_heads, max(config.num_queries, config.num_keys)):
        return Open(agrees)
    mixes = _("reshaping alone gives each head numbers of several tokens")
    return Fails(mixes) if config.no_transpose else Holds()


TESTS: Final = (
    ClaimTest("cplx-core.flops", "=", _("the operations of scores and weighted sums that torch counts are"),
              _("FLOPs of q·kᵀ and weights·v: 4·n_t·n_s·d"), theory=_core),
    ClaimTest("cplx-core.bytes", "=", _("the bytes that the weights fill are"),
              _("bytes of the weights: h·n_t·n_s numbers")),
    ClaimTest("cplx-mha", "=", _("the operations that torch counts in all are"),
              _("FLOPs: 4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d"), theory=partial(_total, claimed=_whole, large=_LARGE)),
    ClaimTest("cplx-heads", "=", _("with h·d_head in place of d the operations that torch counts in all are"),
              _("FLOPs: (4·n_t·d + 4·n_s·d + 4·n_t·n_s)·h·d_head"),
              theory=partial(_total, claimed=_by_heads, large="")),
    ClaimTest("cplx-bottleneck", "=", _("both parts cost the same at a text of"),
              _("n at which both parts cost the same: 2·d"), theory=_crossing),
    reshape_test(_reshape),
)  # fmt: skip


def _formula(config: ComplexityConfig, n: int) -> tuple[int, int]:
    """FLOPs of the projections and of the core on ``n`` tokens by their formulas."""
    sizes = replace(config, num_queries=n, num_keys=n, fused=False)
    return sizes.projection_flops, sizes.core_flops
