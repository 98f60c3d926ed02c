"""The app, which has torch and does not wake up before the file exists that the environment names."""

import os
import time
from importlib import import_module
from pathlib import Path

import streamlit as st

from pages._shared.compute import warm_up
from pages._shared.server import SETTINGS

wakes = warm_up._wake_up


def sleep() -> None:
    import_module("torch")
    while not Path(os.environ["AWAKE"]).exists():
        time.sleep(0.05)
    wakes()


warm_up._wake_up = sleep
app = st.App(**SETTINGS)
