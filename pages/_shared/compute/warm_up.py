"""The imports that take seconds: in a thread as the server starts, which answers at once and says it is waking."""

import gc
import threading
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import streamlit as st

from pages._shared.compute.gate import gate
from pages._shared.compute.memory import limit_torch, use_one_arena
from pages._shared.core.pages import PAGES
from attention_core.language import gettext as _

# Objects that may be added before Python looks for garbage among the young ones; at every hundredth look it searches
# all. With its own 700, two hundred sessions stand still every few seconds for a sixth of one.
YOUNG = 4_000

limit_torch()

_awake = threading.Event()


@cache
def start() -> threading.Thread:
    """Begin to wake up, as the server starts; the thread, always the same, ends when everything is imported."""
    use_one_arena()  # before any thread has begun one of its own
    thread = threading.Thread(target=_wake_up, name="warm-up", daemon=True)
    thread.start()
    return thread


def wait() -> None:
    """Let a visitor in once all is imported; he is told what he waits for, and others have their turn meanwhile.

    He imports nothing himself before: where one thread imports a package and another a module of it, either may be
    given what the other has half made.
    """
    if _awake.is_set():
        return
    message = _("Waking up. This takes a few seconds; then the app is awake for all.")
    with gate().release(), st.spinner(message):
        start().join()


def is_awake() -> bool:
    """Whether all pages are imported."""
    return _awake.is_set()


def _wake_up() -> None:
    """Import the pages and what they need; then move all of it out of the garbage collector's sight."""
    gc.disable()  # to search what stays was a tenth of a cold start
    rooms = (f"attention_core.{room}" for room in ("measuring", "figures", "studies"))
    for package in map(import_module, rooms):
        for module in iter_modules(package.__path__):
            import_module(f"{package.__name__}.{module.name}")
    for page in PAGES:
        import_module(f"pages.{page.name}")
    _awake.set()
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
