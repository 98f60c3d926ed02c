"""A page's script runs in stages, each a fragment in the one before, so that a change makes no more than it must.

It asks: title and controls are drawn, down to ``Page.config``. Then it answers: the script runs again, the controls
are read and not drawn, and all that depends on them is. A moved control has the page answer again, and leaves the
controls, the navigation and the sidebar as they are, on the server and in the browser. A preset has it ask again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


WHOLE, ASKS, ANSWERS = "whole", "asks", "answers"
_now: ContextVar[tuple[str, Places | None]] = ContextVar("now", default=("", None))
_DONE = "_done"  # in the session: the page that has been drawn to its end


@contextmanager
def _stage(name: str, where: Places | None = None) -> Iterator[None]:
    before = _now.set((name, where))
    try:
        yield
    finally:
        _now.reset(before)


def begun() -> bool:
    """Whether a stage has begun."""
    return _now.get()[0] != ""


def ask(page: PageSpec) -> bool:
    """Called as a page begins: whether it is to draw its controls, and else to answer.

    Raises:
        Done: If no stage had begun; the page has been drawn, from its title to the links at its end.
    """
    if begun():
        return _now.get()[0] == ASKS
    st.session_state[_DONE] = ""
    st.title(page.title)
    st.markdown(page.claim + (f" ${page.formula}$" if page.formula else ""))
    with _stage(WHOLE):
        st.fragment(_ask, key=page.name)(page)
    draw_neighbours(page.name)
    st.session_state[_DONE] = page.name
    raise Done


def _ask(page: PageSpec) -> None:
    # Where a run was cut off, what the browser shows below may be of the page before; only a whole run takes it away.
    if not begun() and st.session_state[_DONE] != page.name:
        st.rerun()
    st.session_state[DRAWN] = ""
    notices = st.container()
    with turn(), told_well(page.name, notices), _stage(ASKS):
        _run(page.file)
    st.session_state[DRAWN] = page.name


def answer(page: PageSpec, where: Places) -> None:
    """End of the controls: draw the answers where this is called, now and each time a control moves.

    Raises:
        Done: Always.
    """
    st.fragment(_answer, key=_answers(page.name))(page, where)
    raise Done


def _answer(page: PageSpec, where: Places) -> None:
    if not begun() and {st.session_state[_DONE], st.session_state[DRAWN]} != {page.name}:
        st.rerun()
    notices = st.container()
    with turn(), told_well(page.name, notices), _stage(ANSWERS, replace(where, notices=notices)):
        _run(page.file)


def _run(file: Path) -> None:
    with suppress(Done):
        exec(_code(file), {"__name__": "__main__", "__file__": str(file)})


@cache
def _code(file: Path) -> CodeType:
    return compile(file.read_text(encoding="utf-8"), str(file), "exec")


def places() -> Places:
    """Where to answer."""
    where = _now.get()[1]
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
