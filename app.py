"""Entry point: navigation, what all pages share, and the warm-up. Run it with ``streamlit run app.py``."""

from contextlib import suppress

import streamlit as st

from pages._shared.navigation import navigate
from pages._shared.registry import HOME
from pages._shared.turns import turn
from pages._shared.warm import wake, warm_up_unseen

with turn():
    here = navigate()
    wake()

    # These import torch, and a visitor should not look at an empty page meanwhile.
    from pages._shared import link
    from pages._shared.failure import told_well
    from pages._shared.shell import draw_lesson_banner, draw_shared_settings, draw_style
    from pages._shared.stages import Done

    name = here.url_path or HOME.name
    with told_well(name, st.container()), suppress(Done):
        link.arrive(name)
        draw_shared_settings()
        draw_style()
        draw_lesson_banner()
        here.run()
    warm_up_unseen()
