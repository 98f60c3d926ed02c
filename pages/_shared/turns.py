"""Runs of pages take turns: when a class presses at once, each is served in a moment, and not all at the end.

One process runs one piece of Python at a time, however many cores there are. Two hundred runs side by side are
interrupted at every message they send, each waits for all, and together they take nearly twice as long as one after
another.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Whose turn it is: one run's at a time."""

    def __init__(self) -> None:
        self._next = threading.Semaphore(1)
        self._mine = threading.local()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the turn, and keep it for the block; where this thread has it already, go on."""
        if getattr(self._mine, "held", False):
            yield
            return
        with self._next:
            self._mine.held = True
            try:
                yield
            finally:
                self._mine.held = False

    @contextmanager
    def released(self) -> Iterator[None]:
        """Let others have the turn, where this thread has it, while it only waits: for a result, or for torch."""
        held = getattr(self._mine, "held", False)
        if held:
            self._mine.held = False
            self._next.release()
        try:
            yield
        finally:
            if held:
                self._next.acquire()
                self._mine.held = True
