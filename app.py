"""Entry point: ``streamlit run app.py`` serves the app on a laptop, for a class and on Community Cloud."""

import streamlit as st

from pages._shared.main import main
from pages._shared.server import SETTINGS

app = st.App(**SETTINGS)

if __name__ == "__main__":  # run as a plain script there are no routes: no classes, and no pictures
    main()
