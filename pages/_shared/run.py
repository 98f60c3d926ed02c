"""Runs experiments for the pages: one bounded cache for all, one computation for each key, progress, cancel."""

import dataclasses
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from pages._shared import log
from pages._shared.memory import give_back
from pages._shared.turns import given_up
from pages._shared.words import literal
from attention_core.experiments.config import ConfigError
from attention_core.experiments.verdict import Step

CACHE_BYTES = 64 * 2**20
PATIENCE_S = 0.4  # How long a visitor waits before a progress bar appears.
POLL_S = 0.1

# Light work shares the cores; long work, which reports its steps, has one lane of its own and cannot starve it.
_LIGHT = threading.Semaphore(2)
_LONG = threading.Semaphore(1)
_QUEUED = Step(0, 1, "Waiting: this machine is busy with another computation, and this one starts when it is done.")


class _CancelledError(Exception):
    """Nobody waits for this computation any more."""


class _Job:
    """One computation, shared by all who asked for the same key while it ran."""

    def __init__(self, function: Callable[[Any], Any], config: Hashable) -> None:
        self.function, self.config = function, config
        self.finished = threading.Event()
        self.step = _QUEUED
        self.waiting = 0
        self.result: Any = None
        self.error: BaseException | None = None

    def compute(self) -> Any:
        if not inspect.isgeneratorfunction(self.function):
            with _LIGHT:
                self.step = Step(0, 1, "computing")
                return self.function(self.config)
        with _LONG:
            for item in self.function(self.config):
                if not isinstance(item, Step):
                    return item
                self.step = item
                if self.waiting == 0:
                    raise _CancelledError
        raise RuntimeError(f"{self.function.__name__} ended without a result")


class Runner:
    """A cache of results with a bound in bytes, and the computations under way.

    Results are frozen and shared by reference: nobody copies them and nobody may change them.

    Args:
        capacity: Bytes of arrays that are kept; the least recently used result goes first.
    """

    def __init__(self, capacity: int = CACHE_BYTES) -> None:
        self.capacity = capacity
        self.size = 0
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._jobs: dict[Hashable, _Job] = {}
        self._lock = threading.Lock()

    def run(self, function: Callable[[Any], Any], config: Hashable) -> Any:
        """The result of ``function(config)``, from the cache, from a computation under way, or from a new one.

        Args:
            function: ``run_x``, or ``steps_x`` yielding ``Step`` and last the result. Never calls Streamlit.
            config: A frozen config.

        Raises:
            Exception: Whatever ``function`` raised; it is not kept, so the next call tries again.
        """
        key = (function.__module__, function.__qualname__, config)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key][0]
            job = self._jobs.get(key)
            is_new = job is None
            if job is None:
                job = self._jobs[key] = _Job(function, config)
            job.waiting += 1
        if is_new:
            threading.Thread(target=self._work, args=(key, job), daemon=True).start()
        try:
            with given_up():
                _wait(job)
        finally:
            with self._lock:
                job.waiting -= 1
                if job.waiting == 0 and not job.finished.is_set():
                    self._jobs.pop(key, None)
        if job.error is not None:
            raise job.error
        return job.result

    def _work(self, key: Hashable, job: _Job) -> None:
        try:
            job.result = job.compute()
        except BaseException as error:  # noqa: BLE001 - it is raised again in everyone who waits
            job.error = error
        with self._lock:
            if self._jobs.get(key) is job:
                del self._jobs[key]
            if job.error is None:
                self._keep(key, job.result)
        job.finished.set()
        give_back()

    def _keep(self, key: Hashable, result: Any) -> None:
        size = array_bytes(result)
        if key in self._results:
            self.size -= self._results.pop(key)[1]
        self._results[key] = (result, size)
        self.size += size
        while self.size > self.capacity and len(self._results) > 1:
            self.size -= self._results.popitem(last=False)[1][1]


def _wait(job: _Job) -> None:
    if job.finished.wait(PATIENCE_S):
        return
    place = st.empty()
    while not job.finished.is_set():
        step = job.step
        counted = f"Step {step.done + 1:,} of {step.total:,}" + (f": {step.doing}" if step.doing else "")
        _leave_if_overtaken()
        place.progress(min(step.done / step.total, 1.0), text=_QUEUED.doing if step is _QUEUED else counted)
        job.finished.wait(POLL_S)
    place.empty()


def _leave_if_overtaken() -> None:
    """Leave this run where the visitor has moved something meanwhile: nobody waits here any more.

    Streamlit itself leaves a run for that at its next element, but not where what was moved is part of a fragment.
    """
    context = get_script_run_ctx(suppress_warning=True)
    requests = context and context.script_requests
    if requests is not None and requests._state is ScriptRequestType.RERUN:  # noqa: SLF001 - nothing public tells it
        request = requests.on_scriptrunner_ready()
        if request.type is ScriptRequestType.RERUN:
            raise RerunException(request.rerun_data)


def array_bytes(result: Any) -> int:
    """Bytes of all arrays that a frozen result holds, however deep, and a little for the result itself."""
    if dataclasses.is_dataclass(result):
        return 512 + sum(array_bytes(getattr(result, field.name)) for field in dataclasses.fields(result))
    if isinstance(result, (tuple, list)):
        return sum(map(array_bytes, result))
    if isinstance(result, dict):
        return sum(map(array_bytes, result.values()))
    return int(getattr(result, "nbytes", 0))


def good_config(page: str, make: Callable[[], Any]) -> Any:
    """What ``make`` builds; where that is not possible, a sentence saying why, and the page's last one that was.

    Args:
        page: Name of the page.
        make: Builds the config from the controls' values.
    """
    try:
        st.session_state[_good(page)] = config = make()
    except ConfigError as error:
        log.refused(page, "settings that are not possible")
        config = last_good_config(page)
        st.error(literal(str(error), 300) + (" The last good picture is kept." if config else ""))
        if config is None:
            st.stop()
    return config


def last_good_config(page: str) -> Any:
    """What ``good_config`` gave ``page`` last in this session; None if nothing yet."""
    return st.session_state.get(_good(page))


def _good(page: str) -> str:
    return f"_{page}_good"


_runner = Runner()


@st.cache_resource(show_spinner=False)
def runner() -> Runner:
    """The one runner of this process.

    It is among Streamlit's resources for the sake of the metrics, and any visitor's message can clear those. So it
    was made before, and comes back as it is.
    """
    return _runner
