"""The window and the navigation: all that a visitor can be shown before torch is imported."""

from typing import Any

import streamlit as st

from pages._shared.registry import HOME, ICON, LEDGER, PAGES

SIDEBAR_PX = 240
_PAGES = "_pages"


def go_through_app() -> None:
    """Send the visitor of a page that has been run without app.py there.

    Until ``st.navigation`` is called, Streamlit takes a folder called pages for pages of its own, and runs the one
    that the first visitors of a process have the link of.
    """
    navigate()
    st.rerun()


def navigate() -> Any:
    """Set up the window, draw the navigation over the registry and return the page to run."""
    st.set_page_config(
        page_title="Attention explorer", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR_PX
    )
    if _PAGES not in st.session_state:  # making them anew was a tenth of every run
        groups: dict[str, list[Any]] = {"": [st.Page(HOME.file, title=HOME.title, icon=HOME.icon, default=True)]}
        for page in (*PAGES, LEDGER):
            groups.setdefault(page.group, []).append(
                st.Page(page.file, title=page.title, icon=page.icon, url_path=page.name, help=page.claim)
            )
        st.session_state[_PAGES] = groups
    return st.navigation(st.session_state[_PAGES])
