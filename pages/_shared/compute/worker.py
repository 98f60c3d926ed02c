"""Runs in a worker: one computation that reports its steps. Workers are started with ``--preload`` of this."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Hashable
from functools import cache
from importlib import import_module
from typing import Any

from distributed import Worker, get_worker

from pages._shared.compute.engine import EmbeddedEngine
from pages._shared.compute.job import Job
from pages._shared.compute.line import Line
from pages._shared.compute.memory import limit_torch, use_one_arena
from pages._shared.compute.result_check import checked

limit_torch()  # several workers, and several computations in each, share the cores

STEPS = "attention-steps"  # the topic on which steps are reported
TELL_S = 0.2  # how often
NICENESS = 10  # where a worker shares a core with pages, these come first


def dask_setup(_worker: Worker) -> None:
    """Called by Dask as a worker starts: import what takes seconds before the first question comes."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    use_one_arena()  # Dask would have every freed tensor given back at once, to be faulted in again for the next one
    import_module("attention_core.claims")  # and with it all studies


@cache
def _engine() -> EmbeddedEngine:
    """The engine of this worker: its tasks take turns, as many as Dask gives it at once."""
    return EmbeddedEngine(Line(most=get_worker().state.nthreads))


def compute_in_worker(function: Callable[[Any], Any], config: Hashable) -> Any:
    """Compute ``function(config)`` and report its steps.

    Raises:
        Cancelled: If nobody wants it any more.
        WrongResult: If it is too large to be kept.
        Exception: Whatever the computation raised.
    """
    worker = get_worker()
    key = worker.get_current_task()
    job, last_step = Job(function, config), None
    job.waiting = 1
    _engine().submit(job)
    while not job.finished.wait(TELL_S):
        task = worker.state.tasks.get(key)
        if task is None or task.state not in ("executing", "long-running"):
            job.waiting = 0
            _engine().leave(job)
        step = job.step
        if step is not None and step is not last_step:
            worker.log_event(STEPS, (key, pickle.dumps(step)))
            last_step = step
    return checked(function, config, job.result)
