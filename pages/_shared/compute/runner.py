"""Runs experiments: a bounded cache of results for all visitors, one computation for each key, steps, cancelling."""

from __future__ import annotations

import dataclasses
import inspect
import math
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from pages._shared.compute.memory import trim
from pages._shared.compute.turns import turns

if TYPE_CHECKING:  # the runner is made before torch, which steps come with, is imported
    from attention_core.experiments.step import Step

CACHE_BYTES = 64 * 2**20
# Quick work shares the cores; long work, which reports its steps, has one lane of its own and cannot starve it.
QUICK_LANES, LONG_LANES = 2, 1
# In that lane all take turns. Whoever is new comes first, so that who asks for a second of it does not wait for those
# who ask for twenty; but of three turns one is for these.
TURN_S, NEW_TURNS = 1.0, 2
# Between two steps a long computation lets a page's run pass, which wants Python for some 20 ms, but waits no longer
# than this many times what the step took: beside a crowd it keeps a third of its speed.
PATIENCE = 2.0
# A move passes some twenty times from one thread to another, and beside a computation that never rests each has to
# wait so long for Python. Its own 5 ms makes moves beside a training class half as slow again; with nothing beside
# them a move's messages come in fewer and larger parts, which a browser draws sooner.
SWITCH_S = 0.001


class Cancelled(Exception):  # noqa: N818 - it is no error: nobody waits for the computation any more
    """Nobody waits for this computation any more."""


class Job:
    """One computation, shared by all who asked for the same key while it ran.

    Attributes:
        step: What it does now, as its function said last; None while it waits in its lane.
        begun: Set once it has come to its first step or to its end.
        finished: Set once there is a result or an error.
    """

    def __init__(self, function: Callable[[Any], Any], config: Hashable) -> None:
        self.function, self.config = function, config
        self.begun, self.finished = threading.Event(), threading.Event()
        self.step: Step | None = None
        self.waiting = 0
        self.error: BaseException | None = None
        self._result: Any = None
        self._items: Iterator[Any] = function(config) if self.is_long else map(function, (config,))

    @property
    def is_long(self) -> bool:
        """Whether it reports its steps."""
        return inspect.isgeneratorfunction(self.function)

    @property
    def result(self) -> Any:
        """What came of it.

        Raises:
            Exception: Whatever the computation raised.
        """
        if self.error is not None:
            raise self.error
        return self._result

    def compute(self, seconds: float = math.inf, yield_to_pages: Callable[[float], None] = lambda _: None) -> bool:
        """Compute to the end, or step by step for about so long; stop where nobody waits any more.

        Args:
            seconds: How long.
            yield_to_pages: Called between two steps with the seconds that it may wait at most.

        Returns:
            Whether it has come to its end.
        """
        begun = time.monotonic()
        end = begun + seconds
        if self.waiting == 0:
            self.error = Cancelled()
            return True
        try:
            for item in self._items:
                is_step = self.is_long and hasattr(item, "done")
                self.step = item if is_step else None  # who waits reads it at any moment
                self.begun.set()
                if not is_step:
                    self._result = item
                elif self.waiting == 0:
                    raise Cancelled
                elif (now := time.monotonic()) > end:
                    return False
                else:
                    yield_to_pages(PATIENCE * (now - begun))
                    begun = time.monotonic()
        except BaseException as error:  # noqa: BLE001 - it is raised again in everyone who waits
            self.error = error
        return True


class Runner:
    """A cache of results with a bound in bytes, and the computations under way.

    Results are frozen and shared by reference: nobody copies them and nobody may change them.

    Args:
        capacity: Bytes of arrays that are kept; the least recently used result goes first.
        yield_to_pages: What long computations call between their steps; see ``Job.compute``.
    """

    def __init__(self, capacity: int = CACHE_BYTES, yield_to_pages: Callable[[float], None] = lambda _: None) -> None:
        self.capacity, self._yield_to_pages = capacity, yield_to_pages
        self.size = 0
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._jobs: dict[Hashable, Job] = {}
        self._new: deque[tuple[Hashable, Job]] = deque()
        self._begun: deque[tuple[Hashable, Job]] = deque()
        self._on_turn: list[Job] = []
        self._new_turns = 0
        self._lock = threading.Lock()
        self._quick = ThreadPoolExecutor(QUICK_LANES, "quick")
        self._long = ThreadPoolExecutor(LONG_LANES, "long")

    def cached(self, function: Callable[[Any], Any], config: Hashable) -> Any:
        """The result that is known already; None where there is none."""
        with self._lock:
            return self._known(_key(function, config))

    @contextmanager
    def job(self, function: Callable[[Any], Any], config: Hashable) -> Iterator[Job]:
        """The computation of ``function(config)``, known, under way or new; wanted for as long as the block lasts."""
        key = _key(function, config)
        with self._lock:
            job = self._jobs.get(key)
            is_new = job is None
            if job is None:
                job = self._jobs[key] = Job(function, config)
                known = self._known(key)
                if known is not None:
                    job._result, is_new = known, False  # noqa: SLF001 - it is this module's own
                    job.finished.set()
                    job.begun.set()
                    del self._jobs[key]
            job.waiting += 1
        if is_new:
            self._submit(key, job)
        try:
            yield job
        finally:
            with self._lock:
                job.waiting -= 1
                if job.waiting == 0 and not job.finished.is_set() and self._jobs.get(key) is job:
                    del self._jobs[key]

    def run(self, function: Callable[[Any], Any], config: Hashable) -> Any:
        """The result of ``function(config)``, waited for.

        Raises:
            Exception: Whatever ``function`` raised; it is not kept, so the next call tries again.
        """
        with self.job(function, config) as job:
            job.finished.wait()
            return job.result

    def ahead(self, job: Job) -> int:
        """How many have their turn before this one, which has not had any; 0 for one that has."""
        with self._lock:
            line = [one for _, one in self._new]
            if job not in line:
                return 0
            return sum(one.waiting > 0 for one in {*self._on_turn, *line[: line.index(job)]})

    def _known(self, key: Hashable) -> Any:
        if key not in self._results:
            return None
        self._results.move_to_end(key)
        return self._results[key][0]

    def _submit(self, key: Hashable, job: Job) -> None:
        if not job.is_long:
            self._quick.submit(self._work, key, job)
            return
        with self._lock:
            self._new.append((key, job))
            self._long.submit(self._take_turn)

    def _take_turn(self) -> None:
        with self._lock:
            is_new = bool(self._new) and (self._new_turns < NEW_TURNS or not self._begun)
            self._new_turns = self._new_turns + 1 if is_new else 0
            line = self._new if is_new else self._begun
            key, job = line[0]
            self._on_turn = [job]
        with _giving_way():
            ended = job.compute(TURN_S, self._yield_to_pages)
        with self._lock:
            line.popleft()
            self._on_turn = []
            if not ended:
                self._begun.append((key, job))
                self._long.submit(self._take_turn)
        if ended:
            self._finish(key, job)
            trim()

    def _work(self, key: Hashable, job: Job) -> None:
        job.compute()
        self._finish(key, job)

    def _finish(self, key: Hashable, job: Job) -> None:
        with self._lock:
            if self._jobs.get(key) is job:
                del self._jobs[key]
            if job.error is None:
                self._keep(key, job.result)
        job.finished.set()
        job.begun.set()

    def _keep(self, key: Hashable, result: Any) -> None:
        size = array_bytes(result)
        if key in self._results:
            self.size -= self._results.pop(key)[1]
        self._results[key] = (result, size)
        self.size += size
        while self.size > self.capacity and len(self._results) > 1:
            self.size -= self._results.popitem(last=False)[1][1]


@contextmanager
def _giving_way() -> Iterator[None]:
    """Threads take turns more often while the block runs."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _key(function: Callable[[Any], Any], config: Hashable) -> Hashable:
    return (function.__module__, function.__qualname__, config)


def array_bytes(result: Any) -> int:
    """Bytes of all arrays that a frozen result holds, however deep, and a little for the result itself."""
    if dataclasses.is_dataclass(result):
        return 512 + sum(array_bytes(getattr(result, field.name)) for field in dataclasses.fields(result))
    if isinstance(result, (tuple, list)):
        return sum(map(array_bytes, result))
    if isinstance(result, dict):
        return sum(map(array_bytes, result.values()))
    return int(getattr(result, "nbytes", 0))


@cache
def runner() -> Runner:
    """The one of this process."""
    return Runner(yield_to_pages=turns().yield_to_pages)
