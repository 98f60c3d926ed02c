"""Where linear attention takes less time than softmax attention on this device, by the clock."""

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.clock import SECONDS, Task, measure, quartiles
from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import draw
from attention_core.measuring.settings import Switch, setting
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.variants.parts import attention, linear
from attention_core.studies.variants.settings import D_MODEL, VariantsConfig

TIMED: Final = tuple(2**i for i in range(3, 13))  # 8 … 4096 tokens
NAMES: Final = {"softmax": "softmax", "linear": _("linear")}


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossingConfig(RunConfig):
    """What is timed: ``forward`` of softmax attention, on the fused kernel, and of linear attention.

    Attributes:
        causal: Whether a token sees only those before it and itself.
        seconds: All the time there is, 2 … 20: lengths that would not fit into it are left out.
    """

    causal: bool = setting(False, Switch(label=_("Causal mask")))
    seconds: int = setting(4, SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossingResult(Result):
    """How long both take over the length of the text.

    Attributes:
        sizes: The lengths (10,).
        median: Median seconds of softmax attention and of linear attention (2, 10); NaN where a length was left out.
        low: Lower quartiles, likewise.
        high: Upper quartiles.
        crossing: The length from which linear attention takes less, between two lengths as on a log axis; the first
            one where it does so everywhere, NaN where it does so nowhere, among the lengths that were timed.
    """

    sizes: np.ndarray
    median: np.ndarray
    low: np.ndarray
    high: np.ndarray
    crossing: float


def steps_crossing(
    config: CrossingConfig, clock: Callable[[], float] = time.perf_counter
) -> Generator[Step | CrossingResult]:
    """A ``Step`` before each repetition, and last what the clock said; no two runs say the same.

    Args:
        config: What to time.
        clock: Where the time comes from, in seconds.
    """
    layer = VariantsConfig(dtype=config.dtype, device=config.device, seed=config.seed)
    modules: dict[str, Callable[..., Tensor]] = dict(zip(NAMES, (attention(layer), linear(layer)), strict=True))

    def make(name: str, length: int) -> Callable[[], object]:
        x = draw((1, length, D_MODEL), config.seed, "crossing").to(config.torch_device, config.torch_dtype)
        return lambda: modules[name](x, is_causal=config.causal)

    tasks = [
        Task(
            doing=_("{name} at n = {length:,}", name=NAMES[name], length=length),
            flops=float(length**2 if name == "softmax" else length),
            kind=name,
            make=partial(make, name, length),
        )
        for name in NAMES
        for length in TIMED
    ]
    yield from measure(tasks, config.seconds, config.torch_device, clock)
    low, median, high = np.array([quartiles(task) for task in tasks]).T.reshape(3, len(NAMES), len(TIMED))
    yield CrossingResult.of(
        config, sizes=np.array(TIMED), median=median, low=low, high=high, crossing=crossing_of(median)
    )


def crossing_of(median: np.ndarray) -> float:
    """The length from which the second row stays below the first.

    Args:
        median: Seconds of softmax attention and of linear attention at each of ``TIMED`` (2, 10).
    """
    lead = np.log(median[0] / median[1])  # above 0 where linear attention takes less
    timed = np.flatnonzero(np.isfinite(lead))
    if not timed.size or lead[timed[-1]] <= 0:
        return math.nan
    if (lead[timed] > 0).all():
        return float(TIMED[timed[0]])
    before = int(timed[lead[timed] <= 0][-1])
    after = int(timed[timed > before][0])
    part = -lead[before] / (lead[after] - lead[before])
    return float(TIMED[before] * (TIMED[after] / TIMED[before]) ** part)
