"""The head of every page: its title, the glossary, notices."""

from collections.abc import Callable, Iterable

import streamlit as st

from pages._shared.page.glossary import draw_glossary


def draw_notices(sentences: Iterable[str]) -> None:
    """Show notices, a line each, in a box that stays until it is closed."""
    if notice := "  \n".join(sentences):
        st.toast(notice, icon=":material/link_off:", duration="infinite")


def draw_title(title: str, beside: Callable[[], None] = lambda: None) -> None:
    """Draw the title of a page that is no experiment, the glossary, and what else stands beside it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="title"):
        st.title(title, anchor=False, width="content")
        draw_glossary()
        beside()
