"""Which computations are begun and whose turn it is: by number and by bytes, fair, and told; without a thread."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from pages._shared.compute.job import WORKING_BYTES, Job
from pages._shared.compute.line import BEGUN, BEGUN_BYTES, SHORT_S, TURN_S, Line, Place
from pages._shared.compute.progress import progress_text
from attention_core.measuring.step import Step

MB = 2**20


@dataclass(frozen=True)
class Config:
    number: int = 0
    seconds: float = 0.0
    working_bytes: int = WORKING_BYTES


def steps_fake(config: Config) -> Iterator[Step]:
    """Never run: the clock is moved by hand."""
    yield Step(config.number, 1)


class Watched(Line):
    """A line with a clock that is moved by hand, which holds its bounds at every step.

    Attributes:
        now: Seconds.
        done: What has come to its end, in order, and when.
    """

    def __init__(self, **bounds: Any) -> None:
        self.now = 0.0
        self.done: list[tuple[int, float]] = []
        super().__init__(clock=lambda: self.now, **bounds)

    def ask(self, config: Config) -> Job:
        job = Job(steps_fake, config)
        job.waiting = 1
        self.add(job)
        return job

    def turn(self) -> Job:
        """One turn of a second, or less where less is left."""
        job = self.next()
        assert job is not None
        self.hold()
        spent = min(TURN_S, job.config.seconds - job.spent)
        self.now += spent
        job.spent += spent
        job.step = Step(round(100 * job.spent), round(100 * job.config.seconds))
        if job.spent >= job.config.seconds:
            self.end(job)
            self.done.append((job.config.number, self.now))
        else:
            self.put_back(job)
        return job

    def hold(self) -> None:
        assert len(self.begun) <= self.most
        assert sum(job.config.working_bytes for job in self.begun) <= self.most_bytes
        assert len(self.begun) == len(set(self.begun))


@pytest.mark.parametrize("seed", range(5))
def test_two_hundred_on_ways_of_their_own_never_begin_more_than_fit_and_nobody_starves(seed: int) -> None:
    dice, line, numbers = random.Random(seed), Watched(), count()
    sizes, lengths = (1 * MB, 20 * MB, BEGUN_BYTES // 2), (0.3, 1.2, 4.0, 20.0)
    asked = 0
    while asked < 200 or len(line.done) < asked:
        if asked < 200 and dice.random() < 0.7:
            for _ in range(dice.randint(1, 30)):
                line.ask(Config(next(numbers), dice.choice(lengths), dice.choice(sizes)))
                asked += 1
        if len(line.done) < asked:
            line.turn()
    assert sorted(number for number, _ in line.done) == list(range(asked))


def test_what_would_need_more_than_there_is_begins_too() -> None:
    line = Line()
    huge, beside = (Job(steps_fake, Config(i, working_bytes=size)) for i, size in enumerate((10 * BEGUN_BYTES, MB)))
    line.add(huge)
    line.add(beside)
    assert line.next() is huge
    assert line.next() is beside


def test_who_asks_for_a_second_does_not_wait_for_those_who_ask_for_twenty() -> None:
    line = Watched()
    for number in range(20):
        line.ask(Config(number, 20.0))
    for _ in range(10):
        line.turn()
    assert len(line.begun) == BEGUN - 1, "one place is left for what is short"
    asked = line.now
    line.ask(Config(100, 0.8))
    line.ask(Config(101, 0.8))
    while len(line.done) < 2:
        line.turn()
    assert [number for number, _ in line.done] == [100, 101]
    assert line.now - asked < 2 * 0.8 + 3 * TURN_S
    for number in range(200, 300):  # and however many short ones come, those who ask for twenty get on
        line.ask(Config(number, 0.8))
    turns = [line.turn().config.seconds for _ in range(30)]
    assert turns.count(20.0) == 10


def test_those_that_take_long_begin_in_the_order_in_which_they_came() -> None:
    line, begun = Watched(), []
    for number in range(8):
        line.ask(Config(number, 5.0 - number / 4))
    while len(line.done) < 8:
        job = line.turn()
        if job not in begun:
            begun.append(job)
    assert [job.config.number for job in begun] == list(range(8))


def test_what_a_function_took_lately_tells_what_takes_long_and_for_how_long_one_waits() -> None:
    line = Watched()
    first = line.ask(Config(0))
    assert line.next() is first
    first.spent = 3 * SHORT_S
    line.end(first)
    jobs = [line.ask(Config(number)) for number in range(1, 8)]
    assert [line.next() for _ in range(BEGUN)] == [*jobs[: BEGUN - 1], None], "the last place is for what is short"
    places = [line.place(job) for job in jobs]
    assert places[: BEGUN - 1] == [None] * (BEGUN - 1)
    assert [place.number for place in places[BEGUN - 1 :] if place] == [2, 3, 4, 5]
    assert [place.seconds for place in places[BEGUN - 1 :] if place] == [
        3 * SHORT_S * number for number in (3, 4, 5, 6)
    ]


def test_a_place_is_told_with_its_time_and_moves_up_when_somebody_leaves() -> None:
    line = Watched()
    jobs = [line.ask(Config(number, 4.0)) for number in range(6)]
    line.turn()
    assert line.leave(jobs[4])
    assert not line.leave(jobs[4])
    line.now += 1
    last = line.place(jobs[5])
    assert last is not None
    assert last.number == 5
    said = "Number 5 in line, about 20 s: this machine is busy with another computation, and they take turns."
    assert progress_text(None, last) == (0.0, said)
    assert line.place(jobs[0]) is None
    assert progress_text(None, None) == (0.0, "Computing")
    assert progress_text(Step(1, 4, "adding"), None) == (0.25, "Step 2 of 4: adding")


@pytest.mark.parametrize(
    ("seconds", "about"),
    [
        (0.1, "5 s"), (5, "5 s"), (5.1, "10 s"), (20, "20 s"), (30, "half a minute"), (31, "a minute"),
        (120, "two minutes"), (300, "five minutes"), (301, "ten minutes or more"),
    ],
)  # fmt: skip
def test_how_long_one_waits_is_told_as_one_says_it(seconds: float, about: str) -> None:
    busy = "this machine is busy with another computation, and they take turns."
    assert progress_text(None, Place(1_234, seconds)) == (0.0, f"Number 1,234 in line, about {about}: {busy}")
    assert progress_text(None, Place(2, 0.0)) == (0.0, f"Number 2 in line: {busy}")
    assert progress_text(Step(5, 4), None) == (1.0, "Step 6 of 4")


def test_all_are_sent_away_together_those_who_had_begun_first() -> None:
    line = Watched(most=1)
    jobs = [line.ask(Config(number, 4.0)) for number in range(3)]
    assert line.next() is jobs[0]
    assert line.clear() == jobs
    assert line.clear() == []
    assert (line.next(), line.place(jobs[1])) == (None, None)


def test_who_has_the_turn_cannot_be_taken_out_and_who_has_not_frees_the_place() -> None:
    line = Watched(most=1)
    one, two = line.ask(Config(1, 4.0)), line.ask(Config(2, 4.0))
    assert line.next() is one
    assert not line.leave(one)
    line.put_back(one)
    assert line.leave(one)
    assert line.next() is two
