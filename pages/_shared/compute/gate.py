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
    """Gives one run of a page its turn at a time. Long computations let runs pass, and what runs wait for."""

    def __init__(self) -> None:
        self._next = threading.Semaphore(1)
        self._mine = threading.local()
        self._lock, self._hurried, self._free = threading.Lock(), 0, threading.Event()
        self._free.set()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for the turn and hold it for the block; a thread that has it already goes on."""
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
        """Give the turn back, if this thread has it, while it waits for a result or for torch."""
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
        """Have long computations let this block pass, as a page waits for it."""
        self._hurry(1)
        try:
            yield
        finally:
            self._hurry(-1)

    def yield_to_pages(self, seconds: float) -> None:
        """Wait while a page has the turn or is in a hurry, at most ``seconds``; called by long computations."""
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
    """The gate of this process."""
    return Gate()
