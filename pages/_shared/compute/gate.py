"""Runs of pages take turns: when a class presses at once, each is served in a moment, and not all at the end.

One process runs one piece of Python at a time, however many cores there are. Two hundred runs side by side are
interrupted at every message they send, each waits for all, and together they take nearly twice as long as one after
another.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


class Gate:
    """Whose turn it is: one run's at a time. Long computations let runs pass, and what runs wait for."""

    def __init__(self) -> None:
        self._next = threading.Semaphore(1)
        self._mine = threading.local()
        self._lock, self._hurried, self._free = threading.Lock(), 0, threading.Event()
        self._free.set()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for the turn, and keep it for the block; where this thread has it already, go on."""
        if getattr(self._mine, "held", False):
            yield
            return
        self._take()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def release(self) -> Iterator[None]:
        """Let others have the turn, where this thread has it, while it only waits: for a result, or for torch."""
        held = getattr(self._mine, "held", False)
        if held:
            self._leave()
        try:
            yield
        finally:
            if held:
                self._take()

    @contextmanager
    def hurry(self) -> Iterator[None]:
        """A page waits for what the block computes: long computations let it pass, as they do a page's run."""
        self._hurry(1)
        try:
            yield
        finally:
            self._hurry(-1)

    def yield_to_pages(self, seconds: float) -> None:
        """Wait while anyone has the turn or is in a hurry, but no longer than ``seconds``: for a long computation."""
        self._free.wait(seconds)

    def _hurry(self, more: int) -> None:
        with self._lock:
            self._hurried += more
            (self._free.clear if self._hurried else self._free.set)()

    def _take(self) -> None:
        self._next.acquire()
        self._mine.held = True
        self._hurry(1)

    def _leave(self) -> None:
        self._mine.held = False
        self._hurry(-1)
        self._next.release()


@cache
def gate() -> Gate:
    """Those of this process."""
    return Gate()
