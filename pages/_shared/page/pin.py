"""Pin: a picture that stays beside the live one; the link holds its settings."""

from contextlib import suppress
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages._shared.page.frame import Frame
from pages._shared.page.page import Look, Page
from pages._shared.session import address
from pages._shared.session.settings import shared
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError


def pinned(page: Page) -> Look | None:
    """The pinned look; None if none is pinned or its settings are not possible."""
    text = page.extras["pin"]
    if not text or not address.part_visible("pin"):
        return None
    with suppress(ValueError, OverflowError):
        look = page.look_from(dict(parse_qsl(text, keep_blank_values=True)))
        return None if isinstance(look, ConfigError) else look
    return None


def draw_pin(frame: Frame) -> None:
    """Draw the button that pins or unpins the picture."""
    page = frame.page
    label, icon = (_("Unpin"), ":material/keep_off:") if page.extras["pin"] else (_("Pin"), ":material/keep:")
    st.button(label, icon=icon, key=page.session_key("pin"), on_click=_pin, args=(frame,), type="tertiary")


def _pin(frame: Frame) -> None:
    page = frame.page
    text = urlencode(page.settings.parameters() | page.settings.sentences() | shared().written())
    page.extras.set(pin="" if page.extras["pin"] else text)
    frame.on_pin()
