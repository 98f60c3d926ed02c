"""Timing one layer on this device: over its length, its width, its heads, and part by part."""

import math
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.clock import Task, measure, quartiles
from attention_core.measuring.step import Step
from attention_core.modules.dot_product import attention_scores, softmax_over_keys
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.complexity.fit import fit_exponent
from attention_core.studies.complexity.module import filled, shapes_only, tokens
from attention_core.studies.complexity.result import Floats, TimeCurves, Times, TimeShares
from attention_core.studies.complexity.settings import HEADS, MAX_TRACE_BYTES, TOKENS, WIDTHS, TimesConfig

NAMES: Final = (_("explicit"), _("fused"), _("loop"))
PARTS: Final = (_("projections"), _("core"))
FIELDS: Final = {"n": "num_tokens", "d_model": "d_model", "heads": "num_heads"}
_SHARE_TOKENS: Final = TOKENS[1:6]  # 32 … 512
_SHARE_WIDTHS: Final = WIDTHS[1:5]  # 32 … 256
_Place = tuple[int, int]


def steps_times(config: TimesConfig, clock: Callable[[], float] = time.perf_counter) -> Generator[Step | Times]:
    """A ``Step`` before each repetition, and last what the clock said; no two runs say the same.

    Never more than ``config.seconds`` and one repetition long. ``explicit`` is the module's ``trace``, which keeps
    scores and weights, ``fused`` its ``forward``, ``loop`` :func:`loop_over_heads`, which runs the fused kernel too.

    Args:
        config: What to time.
        clock: Where the time comes from, in seconds.
    """
    tasks: dict[_Place, Task] = {}
    left_out: list[str] = []
    grid = config.sweep == "shares"
    for place, layer, name in _places(config):
        if name in ("explicit", *PARTS) and _trace_bytes(layer) > MAX_TRACE_BYTES:
            needed = _mib(_trace_bytes(layer))
            left_out.append(_("{doing}: scores and weights need {size}.", doing=_doing(layer, name), size=needed))
            continue
        make = _part if grid else _whole
        tasks[place] = Task(
            doing=_doing(layer, name),
            flops=_flops(layer.num_tokens, layer.d_model),
            kind=name,
            make=lambda make=make, layer=layer, name=name: make(layer, name),
        )
    too_long = yield from measure(list(tasks.values()), config.seconds, config.torch_device, clock)
    left_out += [
        _("{doing}: too long for {seconds} s.", doing=task.doing, seconds=config.seconds) for task in too_long
    ]
    yield (_shares if grid else _curves)(config, tasks, tuple(left_out))


def _places(config: TimesConfig) -> list[tuple[_Place, TimesConfig, str]]:
    """Row and column of each number to measure, with its layer and its name."""
    if config.sweep == "shares":
        return [
            (
                (len(PARTS) * row + part, column),
                replace(config, num_tokens=n, d_model=d_model, num_heads=math.gcd(config.num_heads, d_model)),
                name,
            )
            for row, d_model in enumerate(_SHARE_WIDTHS)
            for column, n in enumerate(_SHARE_TOKENS)
            for part, name in enumerate(PARTS)
        ]
    field = FIELDS[config.sweep]
    return [
        ((row, column), replace(config, **{field: size}), name)
        for column, size in enumerate(_sizes(config))
        for row, name in enumerate(NAMES)
    ]


def _sizes(config: TimesConfig) -> tuple[int, ...]:
    match config.sweep:
        case "n":
            return TOKENS
        case "heads":
            return tuple(heads for heads in HEADS if config.d_model % heads == 0)
        case _:
            return tuple(d for d in WIDTHS if d % config.num_heads == 0)


def _whole(layer: TimesConfig, name: str) -> Callable[[], Any]:
    """One layer, computed the way that is named."""
    module, x = _filled(layer), tokens("x", layer.num_tokens, layer.d_model, layer)
    compute = {"explicit": module.trace, "fused": module, "loop": lambda x: loop_over_heads(module, x)}[name]
    return lambda: compute(x)


def _part(layer: TimesConfig, name: str) -> Callable[[], Any]:
    """The projections, or scores, softmax and weighted sum, of ``trace``."""
    module, x = _filled(layer), tokens("x", layer.num_tokens, layer.d_model, layer)
    with torch.no_grad():
        q, k, v = module.into_heads(x, x, x, contiguous=True)
    if name == "projections":
        return lambda: module.out_of_heads(module.into_heads(x, x, x, contiguous=True)[2])
    return lambda: softmax_over_keys(attention_scores(q, k, scale=module.scale)) @ v


def _filled(layer: TimesConfig) -> MultiHeadAttention:
    return filled(shapes_only(layer.d_model, layer.num_heads, layer.d_model // layer.num_heads), layer)


def _curves(config: TimesConfig, tasks: dict[_Place, Task], left_out: tuple[str, ...]) -> TimeCurves:
    sizes = np.array(_sizes(config))
    low, median, high = _table(tasks, (len(NAMES), len(sizes)))
    layers = [replace(config, **{FIELDS[config.sweep]: int(size)}) for size in sizes]
    flops = np.array([_flops(layer.num_tokens, layer.d_model) for layer in layers])
    return TimeCurves.of(
        config, config=config, sizes=sizes, names=NAMES, median=median, low=low, high=high, flops=flops,
        fits=tuple(fit_exponent(sizes, row) for row in median),
        flop_fits=tuple(fit_exponent(sizes, np.where(np.isfinite(row), flops, np.nan)) for row in median),
        left_out=left_out,
    )  # fmt: skip


def _shares(config: TimesConfig, tasks: dict[_Place, Task], left_out: tuple[str, ...]) -> TimeShares:
    fastest = np.full((len(PARTS) * len(_SHARE_WIDTHS), len(_SHARE_TOKENS)), np.nan)
    for place, task in tasks.items():
        fastest[place] = min(task.times, default=math.nan)
    projections, core = fastest[0::2], fastest[1::2]
    n, d = np.array(_SHARE_TOKENS), np.array(_SHARE_WIDTHS)[:, None]
    share = core / (core + projections)
    return TimeShares.of(
        config, config=config, sizes=n, widths=d[:, 0], share=share,
        flop_share=n / (n + 2 * d), crossing=_crossing(share), left_out=left_out,
    )  # fmt: skip


def _crossing(share: Floats) -> float:
    """Median over widths of n / d_model where the share passes ½, between two lengths as on a log axis."""
    found = []
    for row, d_model in zip(share, _SHARE_WIDTHS, strict=True):
        above = np.flatnonzero(row >= 0.5)
        if above.size and above[0] > 0 and np.isfinite(row[above[0] - 1]):
            i = int(above[0])
            part = (0.5 - row[i - 1]) / (row[i] - row[i - 1])
            found.append(_SHARE_TOKENS[i - 1] * (_SHARE_TOKENS[i] / _SHARE_TOKENS[i - 1]) ** part / d_model)
    return float(np.median(found)) if found else math.nan


def _table(tasks: dict[_Place, Task], shape: tuple[int, int]) -> tuple[Floats, ...]:
    """Lower quartile, median and upper quartile of every task at its place; NaN where there is none."""
    table = np.full((3, *shape), np.nan)
    for place, task in tasks.items():
        table[:, *place] = quartiles(task)
    return tuple(table)


def _flops(n: int, d_model: int) -> float:
    return float(8 * n * d_model**2 + 4 * n**2 * d_model)


def _trace_bytes(layer: TimesConfig) -> int:
    return 2 * layer.num_heads * layer.num_tokens**2 * layer.torch_dtype.itemsize


def _doing(layer: TimesConfig, name: str) -> str:
    n, d_model = f"n = {layer.num_tokens:,}", f"d_model = {layer.d_model:,}"
    where = {"n": n, "d_model": d_model, "heads": f"h = {layer.num_heads}", "shares": f"{n}, {d_model}"}
    return _("{name} at {where}", name=name, where=where[layer.sweep])


def _mib(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"
