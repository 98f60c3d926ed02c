"""A job: one computation, its progress and result, and how many wait for it."""

from __future__ import annotations

import dataclasses
import inspect
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # jobs are known before torch, which steps come with, is imported
    from attention_core.measuring.step import Step

# Between two steps a long computation lets a page's run pass, which wants Python for some 20 ms, but waits no longer
# than this many times what the step took: beside a crowd it keeps a third of its speed.
PATIENCE = 2.0
# What a computation is taken to hold at once where its config does not say: the most that those weigh which do not.
WORKING_BYTES = 16 * 2**20


class Cancelled(Exception):  # noqa: N818 - it is no error: nobody waits for the computation any more
    """Nobody waits for this computation any more."""


class Job:
    """One computation, shared by all who asked for the same key while it ran.

    Args:
        function: ``run_x`` or ``steps_x``.
        config: Its frozen config.
        on_end: Called once with the job when it has come to its end, before those who wait for it are told.

    Attributes:
        step: What it does now, as its function said last; None while it waits in line.
        begun: Set once it has come to its first step or to its end.
        finished: Set once there is a result or an error.
        waiting: How many wait for it.
        spent: Seconds that it has computed so far.
    """

    def __init__(
        self, function: Callable[[Any], Any], config: Hashable, on_end: Callable[[Job], None] = lambda _: None
    ) -> None:
        self.function, self.config, self._on_end = function, config, on_end
        self.begun, self.finished = threading.Event(), threading.Event()
        self.step: Step | None = None
        self.waiting = 0
        self.spent = 0.0
        self.error: BaseException | None = None
        self._result: Any = None
        self._items: Iterator[Any] | None = None

    @property
    def is_long(self) -> bool:
        """Whether it reports its steps."""
        return inspect.isgeneratorfunction(self.function)

    @property
    def working_bytes(self) -> int:
        """About how many bytes it holds at once while it is under way."""
        return getattr(self.config, "working_bytes", WORKING_BYTES)

    @property
    def result(self) -> Any:
        """The result.

        Raises:
            Exception: Whatever the computation raised.
        """
        if self.error is not None:
            raise self.error
        return self._result

    @result.setter
    def result(self, result: Any) -> None:
        self._result = result

    def compute(self, seconds: float = math.inf, yield_to_pages: Callable[[float], None] = lambda _: None) -> bool:
        """Compute to the end, or step by step for some seconds; stop if nobody waits any more.

        Args:
            seconds: How long.
            yield_to_pages: Called between two steps with the seconds that it may wait at most.

        Returns:
            Whether it is finished.
        """
        start = time.monotonic()
        try:
            return self._compute(start + seconds, yield_to_pages)
        except BaseException as error:  # noqa: BLE001 - it is raised again in everyone who waits
            self.error = error
            return True
        finally:
            self.spent += time.monotonic() - start

    def _compute(self, end: float, yield_to_pages: Callable[[float], None]) -> bool:
        if self.waiting == 0:
            raise Cancelled
        if self._items is None:
            self._items = self.function(self.config) if self.is_long else map(self.function, (self.config,))
        begun = time.monotonic()
        for item in self._items:
            is_step = self.is_long and hasattr(item, "done")
            self.step = item if is_step else None  # who waits reads it at any moment
            self.begun.set()
            if not is_step:
                self.result = item
            elif self.waiting == 0:
                raise Cancelled
            elif (now := time.monotonic()) > end:
                return False
            else:
                yield_to_pages(PATIENCE * (now - begun))
                begun = time.monotonic()
        return True

    def end(self) -> None:
        """Finish: free what it held, and wake everyone who waits."""
        self._items = None
        self._on_end(self)
        self.finished.set()
        self.begun.set()


def array_bytes(result: Any) -> int:
    """Bytes of all arrays that a frozen result holds, however deep, and a little for the result itself."""
    size = 512 if dataclasses.is_dataclass(result) else int(getattr(result, "nbytes", 0))
    return size + sum(map(array_bytes, parts_of(result)))


def parts_of(result: Any) -> list[Any]:
    """The parts of a result: fields of a dataclass, items of a tuple, a list or a dictionary."""
    if dataclasses.is_dataclass(result):
        return [getattr(result, field.name) for field in dataclasses.fields(result)]
    if isinstance(result, (tuple, list)):
        return list(result)
    return list(result.values()) if isinstance(result, dict) else []
