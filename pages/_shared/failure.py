"""A failure: a sentence and a way back for the visitor; ``log.py`` has type and place for the log."""

import streamlit as st

from pages._shared.core.pages import HOME


def on_script_error(_: Exception) -> bool:
    """Called with whatever a page or a callback raised: say so in place of Streamlit's red box, which logs it."""
    st.error(
        "Something in this page went wrong, and it is not your doing. The server has noted where. "
        "Open the page again by its name in the menu, or go on from Home.",
        icon=":material/error:",
    )
    st.page_link(HOME.file, label=HOME.title, icon=HOME.icon)
    return True
