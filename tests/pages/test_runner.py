"""The runner: one computation for each key however many ask, a bounded cache, progress, and cancelling."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages._shared.compute.progress import progress_text
from pages._shared.compute.runner import PATIENCE, SWITCH_S, Cancelled, Job, Runner, array_bytes, runner
from attention_core.experiments.step import Step
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
    results: dict[int, Result] = {}
    threads = [
        threading.Thread(target=lambda i=i, config=config: results.update({i: runner.run(square, config)}))
        for i, config in enumerate(configs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    return [results[i] for i in range(len(configs))]


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
from pages._shared.compute.progress import run_with_progress
here = sys.modules["{__name__}"]
result = run_with_progress(here.steps_awaited, here.Config(5))
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
    threads = [threading.Thread(target=session.run) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
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


def test_threads_take_turns_more_often_only_while_a_long_computation_runs() -> None:
    def interval(_: Config) -> float:
        return sys.getswitchinterval()

    def steps_interval(_: Config) -> Iterator[Step | float]:
        yield Step(0, 1)
        yield sys.getswitchinterval()

    runner, usual = Runner(), sys.getswitchinterval()
    assert runner.run(steps_interval, Config(0)) == SWITCH_S < usual
    assert runner.run(interval, Config(0)) == sys.getswitchinterval() == usual


def test_long_computations_take_turns_and_who_is_new_does_not_wait_for_those_who_have_had_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages._shared.compute.runner.TURN_S", 0.0)
    turns, begun, order = [], threading.Event(), threading.Event()

    def steps_of(config: Config) -> Iterator[Step | int]:
        for done in range(config.size):
            turns.append(config.number)
            yield Step(done, config.size)
            begun.set()
            assert order.wait(PATIENCE_S)
        yield config.number

    runner = Runner()
    with ExitStack() as asked:
        jobs = [asked.enter_context(runner.job(steps_of, Config(0, size=4)))]
        assert begun.wait(PATIENCE_S)
        jobs += [asked.enter_context(runner.job(steps_of, Config(i, size=1))) for i in range(1, 6)]
        assert [runner.ahead(job) for job in jobs] == [0, 1, 2, 3, 4, 5]
        order.set()
        assert all(job.finished.wait(PATIENCE_S) for job in jobs)
    assert [job.result for job in jobs] == [0, 1, 2, 3, 4, 5]
    # A turn ends at its first step. 0 is in its second when the others come: 1 and 2 are new and come first, then it
    # is the turn of one that is not, 0; then 3 and 4, and 1, which only ends; then 5.
    assert turns == [0, 0, 1, 2, 0, 3, 4, 5, 0]


def test_between_its_steps_a_long_computation_lets_others_pass_for_some_times_what_a_step_took() -> None:
    waits: list[float] = []

    def steps_of(_: None) -> Iterator[Step | str]:
        for done in range(3):
            time.sleep(0.02)
            yield Step(done, 3)
        yield "done"

    assert Runner(yield_to_pages=waits.append).run(steps_of, None) == "done"
    assert len(waits) == 3
    assert all(wait >= PATIENCE * 0.02 for wait in waits)


def test_who_left_stands_in_nobodys_way() -> None:
    begun, on, calls = threading.Event(), threading.Event(), []

    def steps_held(config: Config) -> Iterator[Step | int]:
        calls.append(config.number)
        yield Step(0, 1)
        begun.set()
        assert on.wait(PATIENCE_S)
        yield config.number

    runner = Runner()
    with runner.job(steps_held, Config(1)) as first:
        assert begun.wait(PATIENCE_S)
        with runner.job(steps_held, Config(2)), runner.job(steps_held, Config(3)) as third:
            assert runner.ahead(third) == 2
        with runner.job(steps_held, Config(4)) as last:
            assert runner.ahead(last) == 1
            on.set()
            assert first.finished.wait(PATIENCE_S)
            assert last.finished.wait(PATIENCE_S)
    assert calls == [1, 4]


def test_a_class_that_opens_one_link_shares_one_training_and_each_is_told_its_place() -> None:
    runner, calls = Runner(), []

    def steps_counted(config: Config) -> Iterator[Step | int]:
        calls.append(config.number)
        yield Step(0, 1)
        yield config.number

    held = threading.Event()

    def steps_held(_: Config) -> Iterator[Step | int]:
        yield Step(0, 1)
        held.wait(PATIENCE_S)
        yield 0

    with ExitStack() as asked:
        asked.enter_context(runner.job(steps_held, Config()))
        same = [asked.enter_context(runner.job(steps_counted, Config(1))) for _ in range(30)]
        own = [asked.enter_context(runner.job(steps_counted, Config(2 + i))) for i in range(30)]
        assert len({id(job) for job in same}) == 1
        assert [runner.ahead(job) for job in own] == list(range(2, 32))
        assert progress_text(None, runner.ahead(own[-1]))[1].startswith("Number 32 in line")
        held.set()
        assert all(job.finished.wait(PATIENCE_S) for job in own)
    assert calls == list(range(1, 32))
