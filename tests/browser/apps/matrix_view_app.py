"""What ``matrix_view.py`` draws, and the scripts of its component beside it."""

import streamlit as st

from pages._shared.components import loader

app = st.App("matrix_view.py", routes=[loader.ROUTE])
