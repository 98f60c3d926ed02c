"""Plotly figures on a page: quiet, in the page's theme, and with their finding as text."""

import streamlit as st

from attention_core.figures.plot import Figure

_QUIET = {"displayModeBar": False, "scrollZoom": False}


def draw_plotly(figure: Figure, *, alt: str, key: str) -> None:
    """Draw a figure.

    Args:
        figure: The figure, in the look of ``figures.plot``.
        alt: What there is to see in it.
        key: Its key.
    """
    st.plotly_chart(figure, theme=None, key=key, config=_QUIET, alt=alt)
