"""An app that asks outside, for which a test has to fail."""

import streamlit as st

st.title("Asking")
st.html("<img src='http://outside.test/pixel.png' alt=''>")
