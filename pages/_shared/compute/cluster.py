"""The engine of other processes: long computations on the workers of a Dask cluster, here or elsewhere.

A question is one task for all who ask it, in this process or in another replica: its key is made of the function
and its config, and Dask counts who still wants it. Each worker keeps the line of ``EmbeddedEngine``, so that what is
short does not wait for what is long there either. Until there is a worker, and whenever the scheduler is gone, this
process computes by itself.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
import pickle
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any

import dask
from dask.system import CPU_COUNT
from dask.tokenize import tokenize
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster
from distributed.system import MEMORY_LIMIT

from pages._shared.compute.engine import EmbeddedEngine
from pages._shared.compute.job import Cancelled, Job
from pages._shared.compute.line import BEGUN, BEGUN_BYTES, Line, Place
from pages._shared.compute.result_check import checked, freeze
from pages._shared.compute.worker import STEPS, compute_in_worker
from pages._shared.core import log

# What a scheduler and its workers need to know; where they are started by themselves, as in deploy/compose.yaml, it
# stands in their environment.
SETTINGS = {
    # A computation during which its worker dies begins again once.
    "distributed.scheduler.allowed-failures": 1,
    # The scheduler remembers so many steps that were told; each may hold a picture.
    "distributed.admin.low-level-log-length": 100,
    # Nothing is written to disk; a worker past its limit is started anew.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
}
# A worker of this machine that died is started anew, however long that takes, and not given up meanwhile.
OWN_SETTINGS = {"distributed.deploy.lost-worker-timeout": "1 h"}
WORKER_BYTES = 700 * 2**20  # past this a worker is started anew; it holds some 350 MB
SHARE = 2  # of this machine's memory, workers take at most one part in so many
LOOK_S = 1.0  # how often it is looked whether the scheduler is there, and how many workers it has
RETRY_S = 10.0  # and how often it is tried again where it is not
CONNECT_S = 3.0
WITHOUT_S = 60.0  # so long all workers may be gone: they need some seconds to start
CLOSE_S = 5.0  # so long the end of this process waits for theirs


class WorkersLost(Exception):  # noqa: N818 - it is told as what happened
    """A worker died while it computed, and so did the next one that tried."""


class SchedulerLost(Exception):  # noqa: N818 - it is told as what happened
    """The scheduler is gone, and with it what it knew."""


class ClusterEngine:
    """Computes on a cluster's workers.

    Args:
        where: ``local`` for the other cores of this machine, as long as this process lasts; or a scheduler's address.
        embedded: Computes while there is none.
        workers: How many a local cluster has; as many as fit if None.
    """

    def __init__(self, where: str, embedded: EmbeddedEngine, workers: int | None = None) -> None:
        self._where, self._embedded, self._workers = where, embedded, workers
        self._lock = threading.RLock()
        self._line = Line()
        self._futures: dict[Job, Future] = {}
        self._jobs: dict[str, Job] = {}
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None
        self._logged = ""
        self._closed = threading.Event()
        self.connected = threading.Event()
        self._thread = threading.Thread(target=self._stay_connected, name="cluster", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """See ``Engine``."""
        with self._lock:
            if self._client is not None and not getattr(job.config, "in_this_process", False):
                self._line.add(job)
                self._begin()
                return
        self._embedded.submit(job)

    def leave(self, job: Job) -> None:
        """See ``Engine``."""
        with self._lock:
            future = self._forget(job)
            self._line.put_back(job)
            left = self._line.leave(job)
        if future is not None:
            future.release()  # the worker sees that nobody wants it, unless another replica still does
        if left:
            job.error = Cancelled()
            job.end()
            self._begin()
        else:
            self._embedded.leave(job)

    def place(self, job: Job) -> Place | None:
        """See ``Engine``."""
        with self._lock:
            return self._line.place(job) or self._embedded.place(job)

    def close(self) -> None:
        """See ``Engine``.

        Workers of its own that are still starting are killed, for to be asked to end they would have to start first.
        Those that are slow to end are not waited for: they end when they see that this process has.
        """
        self._closed.set()
        if self._where == "local" and self._cluster is None:
            for child in multiprocessing.active_children():
                child.kill()
        self._thread.join(CLOSE_S)

    def _begin(self) -> None:
        """Send what may begin to the cluster."""
        with self._lock:
            while self._client is not None and (job := self._line.next()):
                self._send(self._client, job)

    def _send(self, client: Client, job: Job) -> None:
        name = job.function.__name__
        key = f"{name}-{tokenize(job.function.__module__, name, job.config)}"
        started = time.monotonic()
        self._jobs[key] = job
        self._futures[job] = client.submit(compute_in_worker, job.function, job.config, key=key)
        self._futures[job].add_done_callback(partial(self._over, job, started))

    def _forget(self, job: Job) -> Future | None:
        """Forget a job's task, if it has one; its place in line stays."""
        future = self._futures.pop(job, None)
        if future is not None and self._jobs.get(future.key) is job:
            del self._jobs[future.key]
        return future

    def _over(self, job: Job, started: float, future: Future) -> None:
        """Called when a task has ended, in whatever way."""
        result, error = _outcome(job, future)
        with self._lock:
            if self._futures.get(job) is not future:
                return  # nobody waits for it here any more, or this process has taken it over
            self._forget(job)
            if isinstance(error, Cancelled) and self._client is not None:
                self._send(self._client, job)  # who had asked before has left, and somebody else asks now
                return
            job.spent, job.result, job.error = time.monotonic() - started, result, error
            self._line.end(job)
        if isinstance(error, SchedulerLost):
            self._take_over([job])
        else:
            job.end()
        self._begin()

    def _take_over(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.spent, job.error, job.step = 0.0, None, None
            self._embedded.submit(job)

    def _on_step(self, event: tuple[float, Any]) -> None:
        key, packed = event[1]
        with self._lock:
            job = self._jobs.get(key)
        if job is not None:
            job.step = pickle.loads(packed)
            job.begun.set()

    def _stay_connected(self) -> None:
        """Connect, watch the workers, and connect again when that is lost; in a thread of its own."""
        while not self._closed.is_set():
            client = None
            try:
                client = self._connect()
                self._watch(client)
            except (OSError, TimeoutError, RuntimeError) as error:
                self._log_place(f"in this process, as {self._where} does not answer ({type(error).__name__})")
            self._lose()
            if client is not None:
                with suppress(Exception):
                    client.close(timeout=1)
            self._closed.wait(RETRY_S)
        if self._cluster is not None:
            self._cluster.close()

    def _connect(self) -> Client:
        dask.config.set(SETTINGS | OWN_SETTINGS)  # for good: some are asked for when a worker is lost
        if self._where == "local" and self._cluster is None:
            self._cluster = local_cluster(self._workers or fitting_workers())
        address = self._cluster.scheduler_address if self._cluster is not None else self._where
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
        client.subscribe_topic(STEPS, self._on_step)
        return client

    def _watch(self, client: Client) -> None:
        """Watch the workers until they or the scheduler are gone; one that died has some time to come again."""
        known, seen = 0, -math.inf
        while client.status == "running" and not self._closed.wait(LOOK_S if known else LOOK_S / 10):
            threads = client.nthreads()
            if threads:
                seen = time.monotonic()
                with self._lock:
                    self._line.most, self._line.lanes = sum(threads.values()), len(threads)
                    self._line.most_bytes = BEGUN_BYTES * len(threads)
                    self._client = client
                self.connected.set()
                self._begin()
            elif known and time.monotonic() - seen > WITHOUT_S:
                raise TimeoutError
            if threads and len(threads) != known:
                known = len(threads)
                self._log_place(f"on {known} worker{'s' * (known > 1)} of {client.scheduler.address}")

    def _log_place(self, where: str) -> None:
        """Log where computations take place, once until it changes; nothing at the end."""
        if where != self._logged and not self._closed.is_set():
            self._logged = where
            log.computing(where)

    def _lose(self) -> None:
        """Compute here what was with the cluster."""
        with self._lock:
            self.connected.clear()
            was_there, self._client = self._client is not None, None
            for job in list(self._futures):
                self._forget(job)
            jobs = self._line.clear()
        if was_there:
            self._log_place(f"in this process, as {self._where} is gone")
        self._take_over(jobs)


def _outcome(job: Job, future: Future) -> tuple[Any, BaseException | None]:
    """The result of a task, or its error."""
    try:
        return freeze(checked(job.function, job.config, future.result())), None
    except KilledWorker:
        return None, WorkersLost()
    except (CancelledError, TimeoutError, OSError):
        return None, SchedulerLost()
    except Exception as error:  # noqa: BLE001 - it is raised again in everyone who waits
        return None, error


def fitting_workers() -> int:
    """How many workers fit beside the pages: one for each other core, as far as memory goes."""
    return max(1, min(CPU_COUNT - 1, MEMORY_LIMIT // SHARE // WORKER_BYTES))


def local_cluster(workers: int) -> LocalCluster:
    """Start workers on this machine and a scheduler in this process, on the loopback alone."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=BEGUN,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:8787",
        memory_limit=WORKER_BYTES,
        preload=["pages._shared.compute.worker"],
        silence_logs=logging.ERROR,
    )
