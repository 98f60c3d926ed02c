"""The app, which does not wake up before the file exists that the environment names."""

import os
import time
from pathlib import Path

import streamlit as st

from pages._shared.compute import warm_up
from pages._shared.server import SETTINGS

wakes = warm_up._import_torch


def sleep() -> None:
    while not Path(os.environ["AWAKE"]).exists():
        time.sleep(0.05)
    wakes()


warm_up._import_torch = sleep
app = st.App(**SETTINGS)
