"""Lazy bars of tabs, the proof, and the way to the next page."""

from typing import Any

import streamlit as st

from pages._shared import link
from pages._shared.content import Why
from pages._shared.registry import FOLDER, neighbours


def open_tab(page: str, labels: list[str]) -> tuple[str, Any]:
    """Draw a bar of tabs, and return label and container of the open one; only that is to be filled.

    Args:
        page: Name of the page.
        labels: What the tabs are called.
    """
    drawn = st.tabs(labels, key=f"{page}_tab", bind="query-params")
    return next((pair for pair in zip(labels, drawn, strict=True) if pair[1].open), (labels[0], drawn[0]))


def draw_bar(page: str) -> tuple[tuple[str, Any], list[str]]:
    """Draw the bar below a page's picture.

    Args:
        page: Name of the page.

    Returns:
        Label and container of the open tab, and the labels of all.
    """
    labels = [*(label for label in ("Why", "Code", "Data") if link.shows(label.lower())), "Share"]
    return open_tab(page, labels), labels


def draw_why(why: tuple[Why, ...]) -> None:
    """Each step of the proof, a paragraph, beside the measured quantity it speaks of, a quotation (shell's style)."""
    said = (f"**{number}** {item.step}\n\n{_quoted(item.measured)}" for number, item in enumerate(why, 1))
    st.markdown("\n\n".join(said))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def draw_neighbours(page: str) -> None:
    """Links to the pages before and after in the learning order."""
    before, after = neighbours(page)
    with st.container(horizontal=True, horizontal_alignment="distribute" if before else "right"):
        if before:
            st.page_link(FOLDER / f"{before.name}.py", label=before.title, icon=":material/arrow_back:")
        if after:
            icon: Any = ":material/arrow_forward:"
            st.page_link(FOLDER / f"{after.name}.py", label=after.title, icon=icon, icon_position="right")
