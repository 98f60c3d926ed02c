"""Engines run long computations: in a thread of this process, or in other processes (``cluster.py``)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from pages._shared.compute.job import Cancelled, Job
from pages._shared.compute.line import TURN_S, Line, Place
from pages._shared.compute.memory import trim

# A move passes some twenty times from one thread to another, and beside a computation that never rests each has to
# wait so long for Python. Its own 5 ms makes moves beside a training class half as slow again; with nothing beside
# them a move's messages come in fewer and larger parts, which a browser draws sooner.
SWITCH_S = 0.001


class Engine(Protocol):
    """Computes what reports its steps, for as long as somebody waits for it.

    What a config says is ``in_this_process``, as it rests on what only this process has, is computed here.
    """

    def submit(self, job: Job) -> None:
        """Compute a job when its turn comes; its ``end`` is called in any case."""
        ...

    def leave(self, job: Job) -> None:
        """Free a job for which nobody waits any more, at its next step if it computes just now."""
        ...

    def place(self, job: Job) -> Place | None:
        """Its place in line; None once it has begun."""
        ...

    def close(self) -> None:
        """Release all that is not of this process."""
        ...


class EmbeddedEngine:
    """Computes in a thread of this process, in turns.

    Args:
        line: Which are begun, and whose turn it is.
        yield_to_pages: What computations call between their steps; see ``Job.compute``.
    """

    def __init__(self, line: Line | None = None, yield_to_pages: Callable[[float], None] = lambda _: None) -> None:
        self._line, self._yield_to_pages = line or Line(), yield_to_pages
        self._lock = threading.Lock()
        self._lane = ThreadPoolExecutor(1, "long")

    def submit(self, job: Job) -> None:
        """See ``Engine``."""
        with self._lock:
            self._line.add(job)
        self._lane.submit(self._take_turn)

    def leave(self, job: Job) -> None:
        """See ``Engine``."""
        with self._lock:
            left = self._line.leave(job)
        if left:
            job.error = Cancelled()
            job.end()

    def place(self, job: Job) -> Place | None:
        """See ``Engine``."""
        with self._lock:
            return self._line.place(job)

    def close(self) -> None:
        """See ``Engine``."""

    def _take_turn(self) -> None:
        """Compute one turn of the next job, and submit another if it is not over."""
        with self._lock:
            job = self._line.next()
        if job is None:
            return
        usual = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        try:
            over = job.compute(TURN_S, self._yield_to_pages)
        finally:
            sys.setswitchinterval(usual)
        with self._lock:
            if over:
                self._line.end(job)
            else:
                self._line.put_back(job)
        if over:
            job.end()
        trim()  # after each turn: what it freed lies scattered between what pages hold, and beside a class adds up
        if not over:
            self._lane.submit(self._take_turn)
