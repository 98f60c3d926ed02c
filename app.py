"""Entry point: navigation, what all pages share, and the warm-up. Run it with ``streamlit run app.py``."""

import gc
import os

# Sessions run in parallel threads already; more threads for each of them only fight over the cores. torch reads these
# once, when it is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import streamlit as st

from pages._shared import link
from pages._shared.failure import told_well
from pages._shared.registry import HOME
from pages._shared.shell import draw_lesson_banner, draw_shared_settings, draw_style, forget_shared_settings, navigate


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Once a process: move everything imported by now out of the garbage collector's sight."""
    gc.collect()
    gc.freeze()


here = navigate()
name = here.url_path or HOME.name
with told_well(name):
    link.arrive(name)
    draw_shared_settings()
    draw_style()
    draw_lesson_banner()
    warm_up()
    here.run()
forget_shared_settings()
