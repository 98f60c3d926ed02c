"""Runs experiments: a bounded cache of results for all visitors, one computation for each key, steps, cancelling."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from pages._shared.compute.engine import EmbeddedEngine, Engine
from pages._shared.compute.gate import gate
from pages._shared.compute.job import WORKING_BYTES, Job, array_bytes
from pages._shared.compute.line import Place
from pages._shared.compute.make_engine import make_engine
from pages._shared.compute.memory import trim

CACHE_BYTES = 32 * 2**20
# Quick work has a thread of its own, and long work, which reports its steps, an engine: it cannot starve it. A second
# thread for what is quick answers no sooner, as all share Python, and holds twice the memory.
QUICK_LANES = 1


class Runner:
    """A cache of results with a bound in bytes, and the computations under way.

    Results are frozen and shared by reference: nobody copies them and nobody may change them.

    Args:
        capacity: Bytes of arrays that are kept; the least recently used result goes first.
        engine: Computes what reports its steps; in this process if None.
    """

    def __init__(self, capacity: int = CACHE_BYTES, engine: Engine | None = None) -> None:
        self.capacity, self.engine = capacity, engine or EmbeddedEngine()
        self.size = 0
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._jobs: dict[Hashable, Job] = {}
        self._lock = threading.Lock()
        self._quick = ThreadPoolExecutor(QUICK_LANES, "quick")

    def cached(self, function: Callable[[Any], Any], config: Hashable) -> Any:
        """The cached result; None if there is none."""
        with self._lock:
            return self._lookup(_key(function, config))

    @contextmanager
    def job(self, function: Callable[[Any], Any], config: Hashable) -> Iterator[Job]:
        """The computation of ``function(config)``: cached, under way or new; wanted as long as the block lasts."""
        key = _key(function, config)
        with self._lock:
            job = self._jobs.get(key)
            is_new = job is None
            if job is None:
                job = Job(function, config, partial(self._finish, key))
                known = self._lookup(key)
                if known is not None:
                    job.result, is_new = known, False
                    job.finished.set()
                    job.begun.set()
                else:
                    self._jobs[key] = job
            job.waiting += 1
        if is_new:
            self._submit(job)
        try:
            yield job
        finally:
            with self._lock:
                job.waiting -= 1
                left = job.waiting == 0 and not job.finished.is_set() and self._jobs.get(key) is job
                if left:
                    del self._jobs[key]
            if left and job.is_long:
                self.engine.leave(job)

    def run(self, function: Callable[[Any], Any], config: Hashable) -> Any:
        """The result of ``function(config)``, waited for.

        Raises:
            Exception: Whatever ``function`` raised; it is not kept, so the next call tries again.
        """
        with self.job(function, config) as job:
            job.finished.wait()
            return job.result

    def place(self, job: Job) -> Place | None:
        """A computation's place in line; None for one that has begun, or is in no line."""
        return self.engine.place(job) if job.is_long else None

    def _lookup(self, key: Hashable) -> Any:
        if key not in self._results:
            return None
        self._results.move_to_end(key)
        return self._results[key][0]

    def _submit(self, job: Job) -> None:
        if job.is_long:
            self.engine.submit(job)
        else:
            self._quick.submit(self._work, job)

    def _work(self, job: Job) -> None:
        with gate().hurry():
            job.compute()
        job.end()
        if job.working_bytes > WORKING_BYTES:
            trim()

    def _finish(self, key: Hashable, job: Job) -> None:
        with self._lock:
            if self._jobs.get(key) is job:
                del self._jobs[key]
            if job.error is None:
                self._keep(key, job.result)

    def _keep(self, key: Hashable, result: Any) -> None:
        size = array_bytes(result)
        if key in self._results:
            self.size -= self._results.pop(key)[1]
        self._results[key] = (result, size)
        self.size += size
        while self.size > self.capacity and len(self._results) > 1:
            self.size -= self._results.popitem(last=False)[1][1]


def _key(function: Callable[[Any], Any], config: Hashable) -> Hashable:
    return (function.__module__, function.__qualname__, config)


@cache
def runner() -> Runner:
    """The runner of this process."""
    return Runner(engine=make_engine(os.environ.get("COMPUTE", ""), gate().yield_to_pages))
