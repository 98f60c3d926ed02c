"""No tests: studies that a worker imports, and that leave a line in a file each time they begin."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attention_core.measuring.step import Step
from tests.processes import PATIENCE_S


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes:
        folder: Where it leaves its lines, and waits for the file ``go``.
        number: Of the question.
        deaths: How many times the worker dies in it.
        size: Numbers in the result.
    """

    folder: str
    number: int = 0
    deaths: int = 0
    size: int = 1

    def begins(self) -> int:
        """How many times it has begun."""
        return len(list(Path(self.folder).glob(f"begin-{self.number}-*")))


@dataclass(frozen=True)
class Answer:
    values: np.ndarray
    config: Question


@dataclass(frozen=True)
class OtherAnswer:
    values: np.ndarray


def steps_asked(question: Question) -> Iterator[Step | Answer]:
    """Steps until there is ``go``; whoever stops it leaves a line too."""
    folder = Path(question.folder)
    before = question.begins()
    (folder / f"begin-{question.number}-{before}").touch()
    until = time.monotonic() + PATIENCE_S
    try:
        for done in range(1_000_000):
            yield Step(done, 1_000_000, f"worker {os.getpid()}")
            if before < question.deaths:
                assert multiprocessing.parent_process(), "it is not the worker that would die"
                os.kill(os.getpid(), signal.SIGKILL)
            if (folder / "go").exists():
                break
            assert time.monotonic() < until
            time.sleep(0.01)
    except GeneratorExit:
        (folder / "stopped").touch()
        raise
    yield Answer(np.full(question.size, float(question.number)), question)


def steps_wrong(question: Question) -> Iterator[Step | Answer]:
    """Gives what is no answer."""
    yield Step(0, 1)
    yield OtherAnswer(np.zeros(question.size))  # pyright: ignore[reportReturnType]


def steps_confused(question: Question) -> Iterator[Step | Answer]:
    """Answers another question."""
    yield Step(0, 1)
    yield Answer(np.zeros(1), Question(question.folder, question.number + 1))


def steps_failing(question: Question) -> Iterator[Step | Answer]:
    """Fails."""
    yield Step(0, 1)
    raise ArithmeticError(f"number {question.number}")
