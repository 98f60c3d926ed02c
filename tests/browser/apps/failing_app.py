"""The app: Permutation fails with rotary positions, and a run of all claims finds one and never comes to its end."""

import time
from collections.abc import Iterator
from typing import Any

import streamlit as st

from pages._shared.server import SETTINGS
from attention_core import claims
from attention_core.studies import permutation

works = permutation.run_shuffle


def run_shuffle(config: Any) -> Any:
    if config.positions == "rotary":
        raise ZeroDivisionError(" ".join(("only", "the", "server", "may", "know")))
    return works(config)


def steps_ledger(config: Any) -> Iterator[Any]:
    for step in checks(config):
        yield step
        if step.checked:
            break
    while True:
        yield step
        time.sleep(0.05)


checks, claims.steps_ledger = claims.steps_ledger, steps_ledger
permutation.run_shuffle = run_shuffle
app = st.App(**SETTINGS)
