"""What stands at the head of every page: its title, the glossary, and what a link asked for in vain."""

from collections.abc import Callable, Iterable

import streamlit as st

from pages._shared.page.glossary import draw_glossary


def draw_notices(sentences: Iterable[str]) -> None:
    """Say what there is to say of a link, a line each: in a box that stays until it is closed, beside the page."""
    if notice := "  \n".join(sentences):
        st.toast(notice, icon=":material/link_off:", duration="infinite")


def draw_title(title: str, beside: Callable[[], None] = lambda: None) -> None:
    """Draw the title of a page that is no experiment, the popover beside it, and what else has its place there."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="title"):
        st.title(title, anchor=False, width="content")
        draw_glossary()
        beside()
