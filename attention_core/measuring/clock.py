"""Timing on a device, which computes while Python goes on: one call, or many tasks fairly in a bounded time."""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch

from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Whole
from attention_core.measuring.step import Step

SECONDS: Final = Whole(
    2, 20, label=gettext_lazy("Time limit (s)"), hint=gettext_lazy("Sizes that need more are left out.")
)
ROUNDS: Final = 7  # repetitions of each task, after one that warms up and tells how long it takes
_SHORTEST_S: Final = 5e-4  # what takes less is repeated until it takes this long, and divided


@dataclass(slots=True, kw_only=True)
class Task:
    """Something to time.

    Attributes:
        doing: What it is, in a few words.
        flops: How much work it is, to foresee its time from a smaller one of the same ``kind``.
        kind: Tasks of one kind take about the same time for the same work.
        make: Builds what is timed; called once, when its turn comes.
        times: Seconds of each repetition.
    """

    doing: str
    flops: float
    kind: str
    make: Callable[[], Callable[[], Any]]
    times: list[float] = field(default_factory=list)


def measure(
    tasks: list[Task], seconds: float, device: torch.device, clock: Callable[[], float] = time.perf_counter
) -> Generator[Step, None, list[Task]]:
    """Time ``tasks`` in ``ROUNDS`` rounds, each task once a round, so that a slow moment slows all alike.

    The first pass goes from the least work to the most; a task is left out if all rounds of it and of the tasks
    accepted so far would take longer than ``seconds``. Should the device slow down later, the last rounds are cut.

    Args:
        tasks: What to time; those that were timed have ``times`` afterwards.
        seconds: All the time there is.
        device: Where the tasks run.
        clock: Where the time comes from, in seconds.

    Yields:
        A step before each repetition.

    Returns:
        The tasks that were left out.
    """
    begun, committed = clock(), 0.0
    pace: dict[str, float] = {}
    admitted: list[tuple[Task, Callable[[], Any], int]] = []
    left_out: list[Task] = []
    for i, task in enumerate(sorted(tasks, key=lambda task: task.flops)):
        yield Step(i, len(tasks) * (1 + ROUNDS), gettext_lazy("{doing}, warming up", doing=task.doing))
        foreseen = pace.get(task.kind, 0.0) * task.flops
        if committed + (2 + ROUNDS) * foreseen > seconds:
            left_out.append(task)
            continue
        call = task.make()
        first = seconds_of(call, device, clock=clock)
        once = min(seconds_of(call, device, clock=clock), first)
        pace[task.kind] = once / task.flops
        admitted.append((task, call, max(1, round(_SHORTEST_S / once))))
        committed += first + once + ROUNDS * max(once, _SHORTEST_S)
    done, total = len(tasks), len(tasks) + len(admitted) * ROUNDS
    for turn in range(ROUNDS):
        for task, call, repeats in admitted if turn % 2 else reversed(admitted):
            doing = gettext_lazy(
                "{doing}, repetition {turn} of {turns}", doing=task.doing, turn=turn + 1, turns=ROUNDS
            )
            yield Step(done, total, doing)
            if clock() - begun < seconds or not task.times:
                task.times.append(seconds_of(call, device, repeats, clock=clock))
            done += 1
    return left_out


def quartiles(task: Task) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile of a task's times; NaN without any."""
    if not task.times:
        return (np.nan, np.nan, np.nan)
    low, middle, high = np.quantile(task.times, (0.25, 0.5, 0.75))
    return float(low), float(middle), float(high)


@torch.inference_mode()
def seconds_of(
    call: Callable[[], object],
    device: torch.device,
    repeats: int = 1,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds that ``call`` takes, the mean of ``repeats``, from an idle device to an idle device."""
    _finish(device)
    start = clock()
    for _ in range(repeats):
        call()
    _finish(device)
    return (clock() - start) / repeats


def _finish(device: torch.device) -> None:
    if device.type != "cpu":
        torch.accelerator.synchronize(device)
