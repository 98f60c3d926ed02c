"""Plotly figures on a page: quiet, in the page's theme, and with their finding as text."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from attention_core.figures.plot import Figure

_QUIET = {"displayModeBar": False, "scrollZoom": False}


def draw_plotly(
    figure: Figure, *, alt: str, key: str, on_point: Callable[[tuple[int, ...]], None] | None = None
) -> None:
    """Draw a figure.

    Args:
        figure: The figure, in the look of ``figures.plot``.
        alt: What there is to see in it.
        key: Its key.
        on_point: Called with a clicked point's ``customdata``, as whole numbers, before the page runs again.
    """
    if on_point is None:
        st.plotly_chart(figure, theme=None, key=key, config=_QUIET, alt=alt)
        return

    def clicked() -> None:
        chosen = clicked_point(st.session_state.get(key), figure)
        if chosen is not None:
            on_point(chosen)

    st.plotly_chart(figure, theme=None, key=key, config=_QUIET, alt=alt, on_select=clicked, selection_mode="points")


def clicked_point(state: Any, figure: Figure) -> tuple[int, ...] | None:
    """The ``customdata`` of the first selected point, as whole numbers; None where there is none in the figure."""
    try:
        chosen = tuple(state["selection"]["points"][0]["customdata"])
    except (KeyError, IndexError, TypeError):
        return None
    rows = (row for trace in figure.data for row in (() if trace.customdata is None else trace.customdata))
    return next((point for point in (tuple(map(int, row)) for row in rows) if point == chosen), None)
