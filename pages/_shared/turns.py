"""Runs of pages take turns: when a class presses at once, each is served in a moment, and not all at the end.

One process runs one piece of Python at a time, however many cores there are. Two hundred runs side by side are
interrupted at every message they send, each waits for all, and together they take nearly twice as long as one after
another.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_next = threading.Semaphore(1)
_mine = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for the turn, and keep it for the block; where this run has it, go on."""
    if getattr(_mine, "held", False):
        yield
        return
    with _next:
        _mine.held = True
        try:
            yield
        finally:
            _mine.held = False


@contextmanager
def given_up() -> Iterator[None]:
    """Let others have the turn, where this run has it, while it only waits: for a result, or for torch."""
    held = getattr(_mine, "held", False)
    if held:
        _mine.held = False
        _next.release()
    try:
        yield
    finally:
        if held:
            _next.acquire()
            _mine.held = True
