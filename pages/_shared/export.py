"""The Code and Data tabs: code that computes the numbers again, and the numbers and the figure to take along."""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._shared.browser import copy_button, save_figure_button
from attention_core.experiments.verdict import Result
from attention_core.figures.plot import Figure, figure_html
from attention_core.figures.table import Table, table_csv, table_json


def draw_code(snippet: str, page: str) -> None:
    """Show the code, with a button that copies it over plain http too."""
    st.markdown(
        "Plain torch, without this project: it computes the headline quantity again for exactly these settings."
    )
    copy_button("Copy the code", snippet, key=f"{page}_copy_code")
    st.code(snippet, language="python")


def draw_data(
    page: str, config: Any, result: Result, table: Callable[[], Table], figure: Callable[[], Figure]
) -> None:
    """Show the picture's numbers and figure, with buttons for every format; files are made when asked for."""
    name, numbers, drawn = file_name(page, config), table(), figure()
    with st.container(horizontal=True):
        files = (
            ("CSV", "csv", "text/csv", lambda: table_csv(numbers, config, result)),
            ("JSON", "json", "application/json", lambda: table_json(numbers, config, result)),
            ("HTML", "html", "text/html", lambda: figure_html(drawn)),
        )
        for label, ending, mime, make in files:
            key = f"_{page}_{ending}"
            st.download_button(label, make, f"{name}.{ending}", mime, key=key, on_click="ignore", width="content")
        for ending in ("png", "svg"):
            save_figure_button(ending.upper(), image_format=ending, filename=name, key=f"_{page}_{ending}")
    st.plotly_chart(drawn, theme=None, key=f"_{page}_export", config={"displayModeBar": False})
    st.dataframe(numbers.as_columns(), hide_index=True)


def file_name(page: str, config: Any) -> str:
    """``attention-page-…`` with each setting that is not the default; only letters, digits, dots and dashes."""
    parts = ["attention", page]
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if value != field.default:
            text = "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
            parts.append(f"{field.name}-{text}"[:32])
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")[:120]
