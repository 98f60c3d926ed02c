"""The app, with a Permutation page whose experiment fails with rotary positions."""

from typing import Any

import streamlit as st

from pages._shared.server import SETTINGS
from attention_core.experiments import permutation

works = permutation.run_shuffle


def run_shuffle(config: Any) -> Any:
    if config.positions == "rotary":
        raise ZeroDivisionError(" ".join(("only", "the", "server", "may", "know")))
    return works(config)


permutation.run_shuffle = run_shuffle
app = st.App(**SETTINGS)
