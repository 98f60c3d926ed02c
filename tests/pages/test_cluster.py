"""The engine of other processes, with a real scheduler and one worker: the same answers, and every kind of loss."""

import logging
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import dask
import numpy as np
import psutil
import pytest

from pages._shared.compute import cluster
from pages._shared.compute.cluster import ClusterEngine, WorkersLost
from pages._shared.compute.engine import EmbeddedEngine
from pages._shared.compute.result_check import WrongResult
from pages._shared.compute.runner import Runner
from attention_core.studies.learning import LearningConfig, LearningResult, LearningStep, steps_learning
from tests.pages.cluster_studies import (
    Question,
    steps_asked,
    steps_confused,
    steps_failing,
    steps_wrong,
)
from tests.processes import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]


def connected(where: str) -> ClusterEngine:
    engine = ClusterEngine(where, EmbeddedEngine(), workers=1)
    assert engine.connected.wait(PATIENCE_S)
    return engine


@pytest.fixture(scope="module")
def engine() -> Iterator[ClusterEngine]:
    engine = connected("local")
    yield engine
    engine.close()


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Question]:
    return lambda number=0, **settings: Question(str(tmp_path), number, **settings)


def until(happens: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def address(engine: ClusterEngine) -> str:
    assert engine._cluster
    return engine._cluster.scheduler_address


def test_a_training_tells_its_pictures_on_the_way_and_gives_what_this_process_would(engine: ClusterEngine) -> None:
    config = LearningConfig(steps=400)
    with Runner(engine=engine).job(steps_learning, config) as job:
        steps = []
        while not job.finished.wait(0.02):
            steps += [job.step] if job.step is not None and job.step not in steps else []
        result = job.result
    assert steps
    assert all(isinstance(step, LearningStep) for step in steps)
    assert isinstance(result, LearningResult)
    here = Runner().run(steps_learning, config)
    np.testing.assert_array_equal(result.history.attention, here.history.attention)
    assert result.verdicts == here.verdicts
    with pytest.raises(ValueError, match="read-only"):
        result.history.loss[0] = 1.0


def test_two_replicas_that_ask_one_question_have_it_computed_once(
    engine: ClusterEngine, ask: Callable[..., Question], tmp_path: Path
) -> None:
    other, question = connected(address(engine)), ask()
    try:
        with ExitStack() as asked:
            jobs = [asked.enter_context(Runner(engine=each).job(steps_asked, question)) for each in (engine, other)]
            assert all(job.begun.wait(PATIENCE_S) for job in jobs)
            with Runner(engine=other).job(steps_asked, ask(1)):
                pass  # comes and goes
            (tmp_path / "go").touch()
            assert all(job.finished.wait(PATIENCE_S) for job in jobs)
            assert [job.result.values[0] for job in jobs] == [0, 0]
        assert question.begins() == 1
    finally:
        other.close()


def test_one_replica_leaves_and_the_other_still_gets_its_answer_and_when_both_leave_it_stops(
    engine: ClusterEngine, ask: Callable[..., Question], tmp_path: Path
) -> None:
    other, question = connected(address(engine)), ask()
    try:
        with Runner(engine=engine).job(steps_asked, question) as stays:
            assert stays.begun.wait(PATIENCE_S)
            with Runner(engine=other).job(steps_asked, question) as leaves:
                assert leaves.begun.wait(PATIENCE_S)
            step = stays.step
            until(lambda: stays.step is not step)
            assert not (tmp_path / "stopped").exists()
        until((tmp_path / "stopped").exists)
        assert question.begins() == 1
    finally:
        other.close()


def test_a_worker_that_dies_costs_nothing_once_and_a_sentence_the_second_time(
    engine: ClusterEngine, ask: Callable[..., Question], tmp_path: Path
) -> None:
    runner = Runner(engine=engine)
    (tmp_path / "go").touch()
    once, twice = ask(1, deaths=1), ask(2, deaths=2)
    assert runner.run(steps_asked, once).values[0] == 1
    assert once.begins() == 2
    with pytest.raises(WorkersLost):
        runner.run(steps_asked, twice)
    assert twice.begins() == 2
    assert runner.run(steps_asked, ask(3)).values[0] == 3, "and there is a worker again"


def test_what_it_sets_holds_when_a_worker_is_lost(engine: ClusterEngine) -> None:
    assert engine.connected.is_set()
    settings = cluster.SETTINGS | cluster.OWN_SETTINGS
    assert {name: dask.config.get(name) for name in settings} == settings


def test_what_is_no_answer_is_refused_and_an_error_is_told(
    engine: ClusterEngine, ask: Callable[..., Question]
) -> None:
    runner = Runner(engine=engine)
    for function, said in ((steps_wrong, "steps_wrong gave OtherAnswer"), (steps_confused, "of another config")):
        with pytest.raises(WrongResult, match=said):
            runner.run(function, ask())
        assert runner.cached(function, ask()) is None
    with pytest.raises(ArithmeticError, match="number 7"):
        runner.run(steps_failing, ask(7))


def test_three_hundred_questions_at_once_are_all_answered(
    engine: ClusterEngine, ask: Callable[..., Question], tmp_path: Path
) -> None:
    runner = Runner(engine=engine)
    (tmp_path / "go").touch()
    with ExitStack() as asked:
        jobs = [asked.enter_context(runner.job(steps_asked, ask(number))) for number in range(300)]
        assert len(engine._futures) <= engine._line.most
        assert all(job.finished.wait(PATIENCE_S) for job in jobs)
    assert [job.result.values[0] for job in jobs] == list(range(300))


def test_nobody_from_outside_reaches_it(engine: ClusterEngine) -> None:
    me = psutil.Process()
    heard = {
        connection.laddr.ip
        for process in (me, *me.children(recursive=True))
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert heard == {"127.0.0.1"}


def test_when_the_scheduler_goes_this_process_computes_and_says_so(
    ask: Callable[..., Question], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = connected("local")
    engine = connected(address(own))
    runner = Runner(engine=engine)
    logging.getLogger("streamlit").propagate = True
    with runner.job(steps_asked, ask()) as job, runner.job(steps_asked, ask(1)) as second:
        assert job.begun.wait(PATIENCE_S)
        own.close()
        until(lambda: f"worker {psutil.Process().pid}" in str(job.step))
        (tmp_path / "go").touch()
        assert job.finished.wait(PATIENCE_S)
        assert second.finished.wait(PATIENCE_S)
        assert job.result.values[0] == 0
    assert runner.run(steps_asked, ask(2)).values[0] == 2
    engine.close()


def test_whoever_asks_before_there_is_a_scheduler_is_answered_too(
    ask: Callable[..., Question], tmp_path: Path
) -> None:
    (tmp_path / "go").touch()
    engine = ClusterEngine("tcp://127.0.0.1:1", EmbeddedEngine())
    assert Runner(engine=engine).run(steps_asked, ask(4)).values[0] == 4
    engine.close()


def test_the_end_does_not_wait_for_workers_that_are_still_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    starting, killed = Event(), Event()

    def start(_workers: int) -> Any:
        starting.set()
        assert killed.wait(PATIENCE_S)
        raise RuntimeError

    monkeypatch.setattr(cluster, "local_cluster", start)
    monkeypatch.setattr(multiprocessing, "active_children", lambda: [SimpleNamespace(kill=killed.set)])
    engine = ClusterEngine("local", EmbeddedEngine(), workers=1)
    assert starting.wait(PATIENCE_S)
    engine.close()
    assert not engine._thread.is_alive()
