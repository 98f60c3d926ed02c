"""Runs of pages take turns: when a class presses at once, each is served in a moment, and not all at the end.

One process runs one piece of Python at a time, however many cores there are. Two hundred runs side by side are
interrupted at every message they send, each waits for all, and together they take nearly twice as long as one after
another.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


class Turns:
    """Whose turn it is: one run's at a time."""

    def __init__(self) -> None:
        self._next = threading.Semaphore(1)
        self._mine = threading.local()
        self._free = threading.Event()
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

    def yield_to_pages(self, seconds: float) -> None:
        """Wait while anyone has the turn, but no longer than ``seconds``: for a computation, between its steps."""
        self._free.wait(seconds)

    def _take(self) -> None:
        self._next.acquire()
        self._mine.held = True
        self._free.clear()

    def _leave(self) -> None:
        self._mine.held = False
        self._free.set()
        self._next.release()


@cache
def turns() -> Turns:
    """Those of this process."""
    return Turns()
