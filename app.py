"""Entry point: ``streamlit run app.py`` serves the app on a laptop, for a class and on Community Cloud."""

import streamlit as st

from pages._shared.main import main
from pages._shared.server import SETTINGS

app = st.App(**SETTINGS)

if __name__ == "__main__":  # a host that runs this file as a plain script gets the same pages
    main()
