"""Everything that knows Streamlit beside the pages themselves."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

if get_script_run_ctx(suppress_warning=True) and PagesManager.uses_pages_directory:
    # Until st.navigation is called, Streamlit takes a folder called pages for pages of its own. So the first visitor
    # of a process who comes by a page's link gets to that page without app.py, and would look at nothing while it
    # imports torch. This sends him to app.py, which says what he waits for.
    from pages._shared.navigation import navigate

    navigate()
    st.rerun()
