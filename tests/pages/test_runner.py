"""The runner: one computation for each key however many ask, a bounded cache, progress, and cancelling."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages._shared.compute.job import Cancelled, Job, array_bytes
from pages._shared.compute.runner import Runner, runner
from attention_core.measuring.step import Step
from tests.processes import PATIENCE_S


@dataclass(frozen=True)
class Config:
    number: int = 0
    size: int = 1


@dataclass(frozen=True)
class Result:
    values: np.ndarray


CALLS: list[int] = []


def square(config: Config) -> Result:
    CALLS.append(config.number)
    time.sleep(0.1)
    return Result(np.full(config.size, config.number**2, dtype=np.float64))


def fail(config: Config) -> Result:
    CALLS.append(config.number)
    raise ArithmeticError("no")


@pytest.fixture(autouse=True)
def forget() -> None:
    CALLS.clear()


def ask_in_parallel(runner: Runner, configs: list[Config]) -> list[Result]:
    threads = ThreadPoolExecutor(len(configs))
    return list(threads.map(lambda config: runner.run(square, config), configs, timeout=PATIENCE_S))


def test_one_computation_serves_all_who_ask_at_once() -> None:
    runner = Runner()
    results = ask_in_parallel(runner, [Config(3)] * 20)
    assert CALLS == [3]
    assert all(result is results[0] for result in results)
    assert results[0].values[0] == 9


def test_each_key_is_computed_once_and_then_kept() -> None:
    runner = Runner()
    ask_in_parallel(runner, [Config(i % 4) for i in range(16)])
    assert sorted(CALLS) == [0, 1, 2, 3]
    assert runner.run(square, Config(2)).values[0] == 4
    assert len(CALLS) == 4


def test_the_cache_is_bounded_and_drops_what_was_not_used_longest() -> None:
    runner = Runner(capacity=3 * (8_000 + 512))
    for number in (1, 2, 3, 1, 4):
        runner.run(square, Config(number, size=1_000))
    assert runner.size <= runner.capacity
    CALLS.clear()
    for number in (1, 3, 4):
        runner.run(square, Config(number, size=1_000))
    assert CALLS == []
    runner.run(square, Config(2, size=1_000))
    assert CALLS == [2]


def test_an_error_reaches_everyone_and_is_not_kept() -> None:
    runner = Runner()
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="no"):
            runner.run(fail, Config())
    assert CALLS == [0, 0]


def test_bytes_of_nested_results_are_counted() -> None:
    assert array_bytes(Result(np.zeros(1_000))) == 8_000 + 512
    assert array_bytes((Result(np.zeros(10)), {"a": np.zeros(5, np.float32)})) == 80 + 512 + 20


SCRIPT = f"""
import sys
import streamlit as st
from pages._shared.compute.progress import compute
here = sys.modules["{__name__}"]
result = compute(here.steps_awaited, here.Config(5))
st.write(float(result.values[0]))
"""


BOTH_WAIT = threading.Event()


def steps_awaited(config: Config) -> Iterator[Step | Result]:
    CALLS.append(config.number)
    yield Step(0, 1, "counting")
    assert BOTH_WAIT.wait(PATIENCE_S)
    yield Result(np.array([config.number], dtype=np.float64))


def test_two_sessions_share_one_long_computation_and_both_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = set()

    def looks_up() -> bool:
        """Stands for the look at what has been moved, which each session takes again and again while it waits."""
        waiting.add(threading.get_ident())
        if len(waiting) == 2:
            BOTH_WAIT.set()
        return False

    monkeypatch.setattr("pages._shared.compute.progress.is_move_waiting", looks_up)
    sessions = [AppTest.from_string(SCRIPT, default_timeout=PATIENCE_S) for _ in range(2)]
    list(ThreadPoolExecutor(2).map(AppTest.run, sessions, timeout=PATIENCE_S))
    assert BOTH_WAIT.is_set()
    assert CALLS == [5]
    assert [session.markdown[0].value for session in sessions] == ["`5.0`", "`5.0`"]
    assert not any(session.exception for session in sessions)


def test_a_long_computation_stops_when_nobody_waits_any_more() -> None:
    runner = Runner()
    with runner.job(steps_in_turn, Config(7)) as job:
        STEPPED.acquire()
    GO.release(100)
    assert job.finished.wait(PATIENCE_S)
    with pytest.raises(Cancelled):
        assert job.result is None
    assert runner.cached(steps_in_turn, Config(7)) is None
    assert runner.run(square, Config(2)).values[0] == 4


STEPPED, GO = threading.Semaphore(0), threading.Semaphore(0)


def steps_in_turn(config: Config) -> Iterator[Step | Result]:
    for done in range(3):
        yield Step(done, 3)
        STEPPED.release()
        GO.acquire()
    yield Result(np.array([config.number], dtype=np.float64))


def test_a_message_that_clears_streamlits_caches_clears_nothing_that_is_known() -> None:
    known = runner()
    st.cache_resource.clear()
    assert runner() is known


def test_the_result_is_never_taken_for_a_step() -> None:
    """Who waits reads the step at any moment, even while the computation winds up after its result."""
    seen = []

    def steps_once(_: None) -> Iterator[Step | str]:
        yield Step(0, 1, "counting")
        seen.append(job.step)
        yield "the result"
        seen.append(job.step)

    job = Job(steps_once, None)
    job.waiting = 1
    job.compute()
    assert seen == [Step(0, 1, "counting"), None]
    assert job.result == "the result"
