"""Failure told well: a sentence and a way back for the visitor, a traceback for the log."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from pages._shared import link, log
from pages._shared.controls import Controls
from pages._shared.registry import HOME


@contextmanager
def told_well(page: str, notice: Any) -> Iterator[None]:
    """Run a page; if it fails, say so above whatever it had drawn by then.

    What Streamlit raises to stop or to repeat a run is no ``Exception`` and goes through.

    Args:
        page: Name of the page.
        notice: The container to say it in.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the visitor gets a sentence and the log the rest
        log.failed(page, error)
        with notice:
            _draw_way_back(page)


def _draw_way_back(page: str) -> None:
    st.error(
        "Something in this page went wrong, and it is not your doing. The server has noted where. "
        "Set the page back to how it starts, or go on from Home.",
        icon=":material/error:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Reset this page", key=f"_{page}_start_over", on_click=_start_over, args=(page,))
        st.page_link(HOME.file, label=HOME.title, icon=HOME.icon)


def _start_over(page: str) -> None:
    Controls(page).apply({})
    for key in list(st.session_state):
        if str(key).startswith(f"_{page}_"):
            del st.session_state[key]
    link.forget(page)
