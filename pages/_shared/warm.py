"""The imports that take seconds: torch while the first visitor is told so, the rest while the first page is read."""

import gc
import os
import threading
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import streamlit as st

from pages._shared.memory import share_pools
from pages._shared.turns import given_up
from pages._shared.wire import send_at_once

READING_S = 4.0
# Objects that may be added before Python looks for garbage among the young ones; at every hundredth look it searches
# all. With its own 700, two hundred sessions stand still every few seconds for a sixth of one.
YOUNG = 10_000

# Sessions run in parallel threads already; more threads for each of them only fight over the cores. torch reads these
# once, when it is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")


_awake = threading.Event()


def wake() -> None:
    """Import torch, once a process; those who come meanwhile are told, and let others have their turn."""
    if not _awake.is_set():
        with given_up():
            _import_torch()
        _awake.set()


@st.cache_resource(show_spinner="Waking up. The first visitor waits a few seconds; then the app is awake for all.")
def _import_torch() -> None:
    send_at_once()
    share_pools()
    import_module("torch")


@cache
def warm_up() -> None:
    """Import what the pages need beyond torch, and move all of it out of the garbage collector's sight."""
    for package in map(import_module, ("attention_core.experiments", "attention_core.figures")):
        for module in iter_modules(package.__path__):
            import_module(f"{package.__name__}.{module.name}")
    # The first operation that is counted imports what torch knows of every operation, sympy among it.
    study = import_module("attention_core.experiments.complexity")
    study.run_complexity(study.ComplexityConfig())
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)


@st.cache_resource(show_spinner=False)
def warm_up_unseen() -> None:
    """Once a process: ``warm_up`` in a thread of its own, when the first page has arrived and is being read."""
    threading.Timer(READING_S, warm_up).start()
