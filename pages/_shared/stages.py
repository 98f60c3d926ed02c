"""A page's script runs in stages, each a fragment in the one before, so that a change makes no more than it must.

It asks: title and controls are drawn, down to ``Page.config``. Then it answers: the script runs again, the controls
are read and not drawn, and all that depends on them is. A moved control has the page answer again, and leaves the
controls, the navigation and the sidebar as they are, on the server and in the browser. A preset has it ask again.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages._shared.failure import told_well
from pages._shared.registry import PageSpec
from pages._shared.turns import turn


class Done(Exception):  # noqa: N818 - no error: the way out of a stage
    """The later stages have run the rest of the script."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where answers stand that are not in one piece with the picture.

    Attributes:
        top: Above all: notices and the prediction.
        tabs: Below picture and controls, in their full width.
    """

    top: Any
    tabs: Any


_asking: ContextVar[bool] = ContextVar("asking", default=False)
_places: ContextVar[Places | None] = ContextVar("places", default=None)


def begun() -> bool:
    """Whether a stage has begun."""
    return _asking.get() or _places.get() is not None


def ask(page: PageSpec) -> bool:
    """Called as a page begins: whether it is to draw its controls, and else to answer.

    Raises:
        Done: If no stage had begun; it has been run to its end.
    """
    if not begun():
        st.fragment(_stage, key=page.name)(page, None)
        raise Done
    return _places.get() is None


def answer(page: PageSpec, where: Places) -> None:
    """End of the controls: draw the answers where this is called, now and each time a control moves.

    Raises:
        Done: Always.
    """
    st.fragment(_stage, key=_answers(page.name))(page, where)
    raise Done


def places() -> Places:
    """Where to answer."""
    where = _places.get()
    if where is None:
        raise RuntimeError("no page answers yet")
    return where


def again(page: str) -> Callable[[], None]:
    """For a control of ``page``: what has the page answer again, or ask again where that is not enough."""

    def call() -> None:
        # A preset that is lit goes out; and where a run was cut off before it answered, there is nothing to do again.
        if st.session_state.get(f"_{page}_preset") is not None:
            return
        with suppress(StreamlitAPIException):
            st.rerun(_answers(page))

    return call


def _answers(page: str) -> str:
    return f"{page}_answers"


def _stage(page: PageSpec, where: Places | None) -> None:
    was = _asking.set(where is None), _places.set(where)
    try:
        with turn(), told_well(page.name, where and where.top), suppress(Done):
            exec(_code(page.file), {"__name__": "__main__", "__file__": str(page.file)})
    finally:
        _asking.reset(was[0])
        _places.reset(was[1])


@cache
def _code(file: Path) -> CodeType:
    return compile(file.read_text(encoding="utf-8"), str(file), "exec")
