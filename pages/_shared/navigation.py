"""The window and the navigation: all that a visitor can be shown before torch is imported."""

from typing import Any

import streamlit as st

from pages._shared.registry import HOME, ICON, LEDGER, PAGES

SIDEBAR_PX = 240


def navigate() -> Any:
    """Set up the window, draw the navigation over the registry and return the page to run."""
    st.set_page_config(
        page_title="Attention explorer", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR_PX
    )
    groups: dict[str, list[Any]] = {"": [st.Page(HOME.file, title=HOME.title, icon=HOME.icon, default=True)]}
    for page in (*PAGES, LEDGER):
        groups.setdefault(page.group, []).append(
            st.Page(page.file, title=page.title, icon=page.icon, url_path=page.name, help=page.claim)
        )
    return st.navigation(groups)
