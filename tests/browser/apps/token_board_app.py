"""What ``token_board.py`` draws, and the scripts of its component beside it."""

import streamlit as st

from pages._shared.components import loader

app = st.App("token_board.py", routes=[loader.ROUTE])
