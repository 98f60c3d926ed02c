"""What a clock says: never a pass condition, but where it is put, how it is read, and when it stops."""

import math
import random

import numpy as np
import pytest
import torch

from attention_core.measuring.clock import ROUNDS, Task, measure, quartiles
from attention_core.measuring.step import Step
from attention_core.studies.complexity import TimeCurves, TimesConfig, TimeShares, steps_times
from attention_core.studies.complexity.fit import fit_exponent

CPU = torch.device("cpu")


def drain(steps):
    """All steps of a generator, and what it returns or last yields."""
    taken = []
    while True:
        try:
            taken.append(next(steps))
        except StopIteration as end:
            return taken, end.value


def test_a_power_law_is_found_exactly_and_noise_widens_its_interval() -> None:
    sizes = np.array([16, 32, 64, 128, 256])
    exact = fit_exponent(sizes, 3e-6 * sizes**1.75)
    assert exact.exponent == pytest.approx(1.75)
    assert exact.high - exact.low < 1e-6
    noisy = fit_exponent(sizes, 3e-6 * sizes**1.75 * np.array([1, 1.2, 0.9, 1.1, 1]))
    assert noisy.low < 1.75 < noisy.high
    assert noisy.high - noisy.low > 0.1


def test_the_interval_is_students_by_hand() -> None:
    fit = fit_exponent(np.exp([0, 1, 2]), np.exp([0, 1, 3]))  # slope 1.5, residuals 1/6, −1/3, 1/6
    assert fit.exponent == pytest.approx(1.5)
    assert fit.high - fit.exponent == pytest.approx(12.706 * math.sqrt((1 / 6) / 1 / 2))
    assert fit.points == 3


def test_only_the_longest_five_count_and_two_are_too_few() -> None:
    sizes = 2.0 ** np.arange(8)
    times = np.where(sizes < 8, 1.0, sizes**2)
    assert fit_exponent(sizes, times).exponent == pytest.approx(2)
    assert fit_exponent(sizes, np.where(sizes > 2, np.nan, 1.0)).points == 2
    assert math.isnan(fit_exponent(sizes, np.where(sizes > 2, np.nan, 1.0)).exponent)


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(0)
    sizes = np.array([1.0, 2, 4, 8, 16])
    covered = 0
    for _ in range(2000):
        fit = fit_exponent(sizes, sizes**1.5 * np.exp(0.1 * random.standard_normal(5)))
        covered += fit.low <= 1.5 <= fit.high
    assert 0.925 <= covered / 2000 <= 0.975


class Clock:
    """Stands still but for what is said to take time: tasks of these tests, or each look at it."""

    def __init__(self, *, look: tuple[float, float] = (0, 0)) -> None:
        self.now = 0.0
        self._look = look
        self._chance = random.Random(0)

    def __call__(self) -> float:
        self.now += self._chance.uniform(*self._look)
        return self.now


def slow_clock() -> Clock:
    """What lies between two looks takes 15 to 30 ms, so that some sizes are timed, and small ones alone."""
    return Clock(look=(0.015, 0.03))


def task(clock: Clock, calls: list[str], name: str, flops: float, takes: float, kind: str = "a") -> Task:
    def call() -> None:
        calls.append(name)
        clock.now += takes

    def make():
        calls.append(f"make {name}")
        return call

    return Task(doing=name, flops=flops, kind=kind, make=make)


def test_repetitions_are_interleaved_and_begin_with_the_least_work() -> None:
    clock, calls = Clock(), []
    tasks = [task(clock, calls, "large", 2, takes=2e-3), task(clock, calls, "small", 1, takes=1e-3)]
    steps, left_out = drain(measure(tasks, 60, CPU, clock))
    assert left_out == []
    assert calls[:6] == ["make small", "small", "small", "make large", "large", "large"]
    assert all(sorted(calls[i : i + 2]) == ["large", "small"] for i in range(6, len(calls), 2))
    assert [one.times for one in tasks] == [pytest.approx([2e-3] * ROUNDS), pytest.approx([1e-3] * ROUNDS)]
    assert steps[0].doing == "small, warming up"
    assert steps[-1].doing.endswith(f"repetition {ROUNDS} of {ROUNDS}")
    assert all(0 <= step.done < step.total for step in steps)
    assert [step.done for step in steps] == sorted(step.done for step in steps)


def test_what_would_take_too_long_is_left_out_before_it_is_made() -> None:
    clock, calls = Clock(), []
    tasks = [task(clock, calls, "short", 1, takes=0.02), task(clock, calls, "long", 1e4, takes=200)]
    _, left_out = drain(measure(tasks, 0.5, CPU, clock))
    assert left_out == [tasks[1]]
    assert "make long" not in calls
    assert all(math.isnan(value) for value in quartiles(tasks[1]))
    assert clock.now == pytest.approx((2 + ROUNDS) * 0.02)


def test_what_takes_less_than_half_a_millisecond_is_repeated_and_divided() -> None:
    clock, calls = Clock(), []
    short = task(clock, calls, "short", 1, takes=1e-4)
    drain(measure([short], 1, CPU, clock))
    assert short.times == pytest.approx([1e-4] * ROUNDS)
    assert calls.count("short") == 2 + 5 * ROUNDS


def test_when_time_is_up_an_admitted_task_was_still_timed_once_and_no_other_is_begun() -> None:
    clock, calls = Clock(), []
    tasks = [task(clock, calls, "first", 1, takes=0.05), task(clock, calls, "second", 2, takes=0, kind="b")]
    _, left_out = drain(measure(tasks, 0.01, CPU, clock))
    assert len(tasks[0].times) == 1
    assert left_out == [tasks[1]]
    assert "make second" not in calls


def test_quartiles_by_hand() -> None:
    one = Task(doing="", flops=1, kind="", make=lambda: lambda: None, times=[5, 1, 2, 4, 3])
    assert quartiles(one) == (2, 3, 4)


@pytest.mark.parametrize("sweep", ["n", "d_model", "heads"])
def test_curves_put_every_time_at_its_place(sweep: str) -> None:
    config = TimesConfig(sweep=sweep, num_tokens=32, d_model=32, num_heads=32, seconds=2)
    *steps, curves = steps_times(config, slow_clock())
    assert steps
    assert all(isinstance(step, Step) for step in steps)
    assert isinstance(curves, TimeCurves)
    assert curves.verdicts == ()
    assert curves.sizes[0] == {"n": 16, "d_model": 32, "heads": 1}[sweep]
    assert curves.median.shape == (3, len(curves.sizes))
    timed = np.isfinite(curves.median)
    assert timed[:, 0].all()
    assert (curves.median[timed] > 0).all()
    assert (curves.low[timed] <= curves.median[timed]).all()
    assert (curves.median[timed] <= curves.high[timed]).all()
    size = curves.sizes.astype(float)
    n, d = {"n": (size, 32), "d_model": (32, size), "heads": (32, 32)}[sweep]
    assert (curves.flops == 8 * n * d**2 + 4 * n**2 * d).all()
    assert int((~timed).sum()) == len(curves.left_out)
    at = curves.largest_common("explicit", "fused", "loop")
    assert at is not None
    assert timed[:, at].all()
    assert not timed[:, at + 1 :].all(0).any()


def test_scores_too_large_for_memory_are_never_made() -> None:
    config = TimesConfig(sweep="d_model", num_tokens=4096, d_model=16, num_heads=16, seconds=2)
    steps = steps_times(config, slow_clock())
    assert "explicit" not in next(steps).doing
    steps.close()
    *_, curves = steps_times(TimesConfig(sweep="n", d_model=32, num_heads=32, seconds=2), slow_clock())
    assert "explicit at n = 1,024: scores and weights need 512 MiB." in curves.left_out
    assert np.isnan(curves.median[0, curves.sizes >= 1024]).all()


def test_shares_lie_between_nothing_and_all_beside_those_of_the_flops() -> None:
    *_, shares = steps_times(TimesConfig(sweep="shares", seconds=5), slow_clock())
    assert isinstance(shares, TimeShares)
    assert shares.share.shape == shares.flop_share.shape == (4, 5)
    timed = shares.share[np.isfinite(shares.share)]
    assert timed.size
    assert ((timed > 0) & (timed < 1)).all()
    assert shares.flop_share[0, 1] == 0.5
    assert shares.verdicts == ()
    crossings = []
    for row, width in zip(shares.share, shares.widths, strict=True):
        above = np.flatnonzero(row >= 0.5)
        if above.size and above[0] > 0:
            two = slice(above[0] - 1, above[0] + 1)
            crossings.append(2 ** np.interp(0.5, row[two], np.log2(shares.sizes[two])) / width)
    assert crossings
    assert shares.crossing == pytest.approx(np.median(crossings))
