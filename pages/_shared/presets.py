"""Presets: pills, of which one is lit where the controls were drawn as it sets them, and the keys that step on."""

from collections.abc import Sequence

import streamlit as st

from pages._shared.buttons import page_button
from pages._shared.content import Preset
from pages._shared.controls import Controls


def draw_presets(control: Controls, presets: Sequence[Preset]) -> None:
    """Draw the pills, and the surprise of the one that is lit: that which the controls, as just drawn, are set to.

    Args:
        control: The page's controls, all drawn.
        presets: The presets.
    """
    key = f"_{control.page}_preset"
    here = next((i for i, preset in enumerate(presets) if control.are(preset.settings)), None)
    st.session_state[key] = here
    st.pills(
        "Presets", range(len(presets)), format_func=lambda i: presets[i].name, key=key, required=True, wrap=False,
        on_change=lambda: _choose(control, presets, st.session_state[key]), label_visibility="collapsed",
    )  # fmt: skip
    if here is not None:
        st.markdown(f":small[:gray[{presets[here].surprise}]]", width="content")


def draw_steps(control: Controls, presets: Sequence[Preset]) -> None:
    """Draw Back and Next, pressed by the keys that remotes send; they count from the preset chosen last."""
    at, last = st.session_state.get(f"_{control.page}_chosen", -1), len(presets) - 1
    for label, shortcut, to in (("Back", "PageUp", at - 1), ("Next", "PageDown", at + 1)):
        to = max(0, min(last, to))
        page_button(control.page, label, f"step_{shortcut}", _choose, control, presets, to, shortcut=shortcut)


def _choose(control: Controls, presets: Sequence[Preset], index: int | None) -> None:
    if index is not None:  # a forged message may choose none
        st.session_state[f"_{control.page}_chosen"] = index
        control.apply(presets[index].settings)
