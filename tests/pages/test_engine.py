"""The engine of this process: turns, places, giving way, and what a visitor who leaves frees."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from pages._shared.compute.engine import SWITCH_S, EmbeddedEngine
from pages._shared.compute.job import PATIENCE, Cancelled, Job
from pages._shared.compute.line import BEGUN, Line, Place
from pages._shared.compute.make_engine import make_engine
from pages._shared.compute.runner import Runner
from attention_core.measuring.step import Step
from tests.processes import PATIENCE_S


@dataclass(frozen=True)
class Config:
    number: int = 0
    size: int = 1


def test_where_there_is_no_cluster_a_place_in_the_line_of_this_process_is_told() -> None:
    from pages._shared.compute.cluster import ClusterEngine

    here, job = Place(3, 2.0), Job(iter, Config())
    engine = SimpleNamespace(_lock=threading.RLock(), _line=Line(), _embedded=SimpleNamespace(place=lambda _: here))
    assert ClusterEngine.place(engine, job) == here  # type: ignore[arg-type]
    engine._line.add(job)
    assert ClusterEngine.place(engine, job) == Place(1, 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("client", "config", "where"),
    [
        (object(), Config(), "cluster"),
        (object(), SimpleNamespace(in_this_process=True), "here"),
        (None, Config(), "here"),
    ],
)
def test_what_only_this_machine_can_tell_is_computed_here_though_there_is_a_cluster(
    client: object, config: object, where: str
) -> None:
    from pages._shared.compute.cluster import ClusterEngine

    sent: list[str] = []
    line = SimpleNamespace(add=lambda _: sent.append("cluster"))
    here = SimpleNamespace(submit=lambda _: sent.append("here"))
    engine = SimpleNamespace(
        _lock=threading.RLock(), _client=client, _line=line, _embedded=here, _begin=lambda: sent.append("begun")
    )
    ClusterEngine.submit(engine, Job(iter, config))  # type: ignore[arg-type]
    assert sent == ([where, "begun"] if where == "cluster" else [where])


def test_an_engine_is_named_by_where_it_is_and_by_nothing_else() -> None:
    assert isinstance(make_engine("", lambda _: None), EmbeddedEngine)
    with pytest.raises(
        ValueError, match=r"COMPUTE is 'http://x': local, tcp://host:port or tls://host:port is allowed\."
    ):
        make_engine("http://x", lambda _: None)


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
    monkeypatch.setattr("pages._shared.compute.engine.TURN_S", 0.0)
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
        places = [runner.place(job) for job in jobs]
        assert [place and place.number for place in places] == [None, 2, 3, 4, 5, 6]
        order.set()
        assert all(job.finished.wait(PATIENCE_S) for job in jobs)
    assert [job.result for job in jobs] == [0, 1, 2, 3, 4, 5]
    # A turn ends at its first step, so each of the others has one turn to begin and one to end. 0 is in its second
    # when they come: 1 and 2 begin, then it is the turn of whoever has waited longest, 0.
    assert turns[:5] == [0, 0, 1, 2, 0]
    assert sorted(turns) == [0, 0, 0, 0, 1, 2, 3, 4, 5]
    assert turns.index(3) < turns.index(4) < turns.index(5)


def test_between_its_steps_a_long_computation_lets_others_pass_for_some_times_what_a_step_took() -> None:
    waits: list[float] = []

    def steps_of(_: None) -> Iterator[Step | str]:
        for done in range(3):
            time.sleep(0.02)
            yield Step(done, 3)
        yield "done"

    assert Runner(engine=EmbeddedEngine(yield_to_pages=waits.append)).run(steps_of, None) == "done"
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
        with runner.job(steps_held, Config(2)) as second, runner.job(steps_held, Config(3)) as third:
            place = runner.place(third)
            assert place is not None
            assert place.number == 3
        assert second.finished.is_set(), "it is over, though its turn never came"
        with runner.job(steps_held, Config(4)) as last:
            place = runner.place(last)
            assert place is not None
            assert place.number == 2
            on.set()
            assert first.finished.wait(PATIENCE_S)
            assert last.finished.wait(PATIENCE_S)
    assert calls == [1, 4]


def test_a_visitor_who_leaves_frees_what_was_begun_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only the place: what it holds too, and at once, not when its turn comes again."""
    monkeypatch.setattr("pages._shared.compute.engine.TURN_S", 0.0)
    freed = []

    def steps_of(_: Config) -> Iterator[Step | int]:
        try:
            yield Step(0, 2)
            yield Step(1, 2)
        finally:
            freed.append(True)

    engine, job = EmbeddedEngine(), Job(steps_of, Config())
    monkeypatch.setattr(engine, "_lane", SimpleNamespace(submit=lambda _: None))  # turns are taken by hand
    job.waiting = 1
    engine.submit(job)
    engine._take_turn()
    assert job.begun.is_set()
    assert not freed
    engine.leave(job)
    assert freed
    assert isinstance(job.error, Cancelled)
    assert job.finished.is_set()
    engine._take_turn()
    assert len(freed) == 1


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
        own = [asked.enter_context(runner.job(steps_counted, Config(2 + i))) for i in range(300)]
        assert len({id(job) for job in same}) == 1
        places = [runner.place(job) for job in own]
        assert [place and place.number for place in places] == list(range(3, 303))
        held.set()
        assert all(job.finished.wait(PATIENCE_S) for job in own)
    assert sorted(calls) == list(range(1, 302))


def test_where_to_compute_is_checked() -> None:
    assert isinstance(make_engine("", lambda _: None), EmbeddedEngine)
    for wrong in ("cluster", "http://here", "tcp:here"):
        with pytest.raises(ValueError, match=f"COMPUTE is '{wrong}': local, tcp://host:port or tls://host:port"):
            make_engine(wrong, lambda _: None)


def test_at_most_some_are_begun_however_many_ask() -> None:
    """With real threads: 300 questions at once."""
    open_now: list[int] = []
    most = []

    def steps_of(config: Config) -> Iterator[Step | int]:
        open_now.append(config.number)
        most.append(len(open_now))
        yield Step(0, 1)
        yield Step(1, 2)
        open_now.remove(config.number)
        yield config.number

    runner = Runner()
    with ExitStack() as asked:
        jobs = [asked.enter_context(runner.job(steps_of, Config(i))) for i in range(300)]
        assert all(job.finished.wait(PATIENCE_S) for job in jobs)
    assert [job.result for job in jobs] == list(range(300))
    assert max(most) <= BEGUN
