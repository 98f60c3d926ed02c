"""The reference that pages are compared with: one slider and one Plotly heatmap, with torch imported."""

import gc

import numpy as np
import plotly.graph_objects as go
import streamlit as st
import torch


@st.cache_resource(show_spinner=False)
def warm_up() -> str:
    gc.collect()
    gc.freeze()
    return torch.__version__


warm_up()
step = st.slider("Step", 0, 100, 0, key="step", bind="query-params")
values = np.random.default_rng(step).standard_normal((32, 32)).astype(np.float32)
st.plotly_chart(go.Figure(go.Heatmap(z=values)))
