"""Everything that knows Streamlit beside the pages themselves."""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._shared.navigation import go_through_app

if get_script_run_ctx(suppress_warning=True) and PagesManager.uses_pages_directory:
    # The first visitor would look at nothing while a page imports torch; app.py says what he waits for.
    go_through_app()
