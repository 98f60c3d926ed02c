"""Waiting for a result: with progress, without holding up others, and ended by the visitor's next move.

Controls stand in a fragment, for which Streamlit does not leave a run under way. So while a run waits it looks
several times a second whether something has been moved, and begins anew with it; whoever leaves no longer waits, and
a computation for which nobody waits ends at its next step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages._shared.compute.gate import gate
from pages._shared.compute.line import Place
from pages._shared.compute.runner import runner
from pages._shared.core.compat import is_move_waiting
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy

if TYPE_CHECKING:  # torch, which steps come with, is imported by the first page that needs it
    from attention_core.measuring.step import Step

PATIENCE_S = 0.4  # How long a visitor waits before a progress bar appears.
POLL_S = 0.1
DRAW_S = 0.2  # A picture that moves takes longer to draw than a bar, and a line moves up slowly.
# As one says how long something takes; what lies between is rounded up.
_ABOUT = {
    5: gettext_lazy("5 s"),
    10: gettext_lazy("10 s"),
    20: gettext_lazy("20 s"),
    30: gettext_lazy("half a minute"),
    60: gettext_lazy("a minute"),
    120: gettext_lazy("two minutes"),
    300: gettext_lazy("five minutes"),
}
_place: ContextVar[Any] = ContextVar("place", default=None)


@contextmanager
def progress_in(container: Any) -> Iterator[None]:
    """Show the progress of long computations of this block in a container."""
    before = _place.set(container)
    try:
        yield
    finally:
        _place.reset(before)


def compute(function: Callable[[Any], Any], config: Any, draw: Callable[[Step], None] | None = None) -> Any:
    """The result of an experiment, shared by all who ask for it; shows progress if it takes long.

    Args:
        function: ``run_x`` or ``steps_x``.
        config: Its frozen config.
        draw: Draws what a step has to show already. It is called from the first step on, with whichever is the latest
            then, up to five times a second.
    """
    known = runner().cached(function, config)
    if known is not None:
        return known
    with runner().job(function, config) as job, gate().release():
        if draw:
            job.begun.wait(POLL_S)
        else:
            job.finished.wait(PATIENCE_S)
        if not job.finished.is_set():
            with _place.get() or nullcontext():
                placeholder = st.empty()
            drawn_step, last_progress, drawn = None, None, 0
            while not job.finished.is_set():
                step = job.step
                progress = progress_text(step, runner().place(job) if step is None else None)
                if progress != last_progress:
                    placeholder.progress(*progress)
                    last_progress = progress
                if draw and step is not None and step is not drawn_step:
                    draw(step)
                    drawn_step, drawn = step, drawn + 1
                if is_move_waiting():
                    st.rerun()  # with what was moved, whose callback says what is drawn anew
                job.finished.wait(DRAW_S if drawn > 1 or step is None else POLL_S)
            placeholder.empty()
        return job.result


def progress_text(step: Step | None, place: Place | None) -> tuple[float, str]:
    """The progress of a computation, from 0 to 1 and in words."""
    if step is None:
        return 0.0, _in_line(place) if place else _("Computing")
    at = {"step": step.done + 1, "count": step.total}
    counted = (
        _("Step {step:,} of {count:,}: {doing}", **at, doing=step.doing)
        if step.doing
        else _("Step {step:,} of {count:,}", **at)
    )
    return min(step.done / step.total, 1.0), counted


def _in_line(place: Place) -> str:
    if not place.seconds:
        return _(
            "Number {number:,} in line: this machine is busy with another computation, and they take turns.",
            number=place.number,
        )
    about = next((words for limit, words in _ABOUT.items() if place.seconds <= limit), _("ten minutes or more"))
    return _(
        "Number {number:,} in line, about {time}: this machine is busy with another computation, and they take "
        "turns.",
        number=place.number,
        time=about,
    )
