"""The Code and Data tabs: code that computes the numbers again, and the numbers and the figure to take along."""

import dataclasses
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from pages._shared.components.small import copy_button, save_figure_button
from attention_core.experiments.verdict import Result
from attention_core.figures.plot import Figure, figure_html
from attention_core.figures.table import Table, table_csv, table_json


def draw_code(shortest: str, snippet: str, page: str) -> None:
    """Show the shortest code that makes the page's point, then the whole, each with a button that copies it."""
    for said, code, name in (
        ("The point in a few lines, on random numbers of its own.", shortest, "short"),
        ("The whole, for exactly these settings: it computes the headline quantity again.", snippet, "code"),
    ):
        st.markdown(f"**{said}** Plain torch, without this project; it says what it prints.")
        copy_button("Copy the code", code, key=f"{page}_copy_{name}")
        st.code(code, language="python")


class File(NamedTuple):
    """A file to take along.

    Attributes:
        label: What its button says.
        ending: The ending of its name.
        mime: Its media type.
        make: Makes it; called when it is asked for.
    """

    label: str
    ending: str
    mime: str
    make: Callable[[], str | bytes]


def draw_data(
    page: str, config: Any, result: Result, table: Callable[[], Table], figure: Callable[[], Figure], said: str,
    more: tuple[File, ...] = (),
) -> None:  # fmt: skip
    """Show the picture's numbers and figure, with buttons for every format; files are made when asked for."""
    name, numbers, drawn = file_name(page, config), table(), figure()
    with st.container(horizontal=True):
        files = (
            File("CSV", "csv", "text/csv", lambda: table_csv(numbers)),
            File("JSON", "json", "application/json", lambda: table_json(numbers, config, result)),
            File("HTML", "html", "text/html", lambda: figure_html(drawn)),
            *more,
        )
        for label, ending, mime, make in files:
            key = f"_{page}_{ending}"
            st.download_button(label, make, f"{name}.{ending}", mime, key=key, on_click="ignore", width="content")
        for ending in ("png", "svg"):
            save_figure_button(ending.upper(), image_format=ending, filename=name, key=f"_{page}_{ending}")
    st.caption("PNG, SVG and HTML hold the figure below; the JSON also says where the CSV's numbers come from.")
    st.plotly_chart(drawn, theme=None, key=f"_{page}_export", config={"displayModeBar": False}, alt=said)
    st.dataframe(numbers.as_columns(), hide_index=True, alt=f"The numbers of the picture. {said}")


def file_name(page: str, config: Any) -> str:
    """``attention-page-…`` with each setting that is not the default; only letters, digits, dots and dashes."""
    parts, usual = ["attention", page], type(config)()
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if value != getattr(usual, field.name):
            text = "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
            parts.append(f"{field.name}-{text}"[:32])
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")[:120]
