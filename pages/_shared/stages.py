"""A page's script runs in stages, each a fragment in the one before, so that a change makes no more than it must.

It asks: title and controls are drawn, down to ``Page.config``. Then it answers: the script runs again, the controls
are read and not drawn, and all that depends on them is. A moved control has the page answer again, and leaves the
controls, the navigation and the sidebar as they are, on the server and in the browser. A preset has it ask again.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages._shared.controls import DRAWN
from pages._shared.failure import told_well
from pages._shared.registry import PageSpec
from pages._shared.tabs import draw_neighbours
from pages._shared.turns import turn


class Done(Exception):  # noqa: N818 - no error: the way out of a stage
    """The later stages have run the rest of the script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where answers stand that are not in one piece with the picture.

    Attributes:
        top: Above all: what was predicted.
        tabs: Below picture and controls, in their full width.
        notices: Right above the picture; there when the page answers.
    """

    top: Any
    tabs: Any
    notices: Any = None


_asking: ContextVar[bool] = ContextVar("asking", default=False)
_places: ContextVar[Places | None] = ContextVar("places", default=None)


def begun() -> bool:
    """Whether a stage has begun."""
    return _asking.get() or _places.get() is not None


def ask(page: PageSpec) -> bool:
    """Called as a page begins: whether it is to draw its controls, and else to answer.

    Raises:
        Done: If no stage had begun; the page has been drawn, from its title to the links at its end.
    """
    if not begun():
        st.title(page.title)
        st.markdown(page.claim + (f" ${page.formula}$" if page.formula else ""))
        st.fragment(_stage, key=page.name)(page, None)
        draw_neighbours(page.name)
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
        # A preset that is lit goes out, which is drawn with the controls.
        if st.session_state.get(DRAWN) == page and st.session_state.get(f"_{page}_preset") is None:
            with suppress(StreamlitAPIException):
                st.rerun(_answers(page))

    return call


def _answers(page: str) -> str:
    return f"{page}_answers"


def _stage(page: PageSpec, where: Places | None) -> None:
    alone = where is not None and not _asking.get()
    if alone and st.session_state.get(DRAWN) != page.name:
        st.rerun()
    notices = st.container()
    was = _asking.set(where is None), _places.set(where and replace(where, notices=notices))
    if where is None:
        st.session_state[DRAWN] = ""
    try:
        with turn(), told_well(page.name, notices), suppress(Done):
            exec(_code(page.file), {"__name__": "__main__", "__file__": str(page.file)})
    finally:
        _asking.reset(was[0])
        _places.reset(was[1])


@cache
def _code(file: Path) -> CodeType:
    return compile(file.read_text(encoding="utf-8"), str(file), "exec")
