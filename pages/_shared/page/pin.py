"""Pin: the picture that is kept beside the next one, as settings in the link."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages._shared.session import address
from pages._shared.session.settings import shared
from attention_core.experiments.config import RunConfig
from attention_core.experiments.settings import declared

if TYPE_CHECKING:
    from pages._shared.page.page import Page


def pinned(page: Page) -> tuple[Any, Any] | None:
    """Config and view of the pinned picture; None where none is, or none that is possible.

    Args:
        page: The page.
    """
    text = page.around["pin"]
    if not text or not address.shows("pin"):
        return None
    parameters = dict(parse_qsl(text, keep_blank_values=True))
    with suppress(ValueError, OverflowError):
        run = shared().read(parameters)
        return page.made(page.values.read(parameters), {name: run[name] for name in declared(RunConfig)})
    return None


def draw_pin(page: Page) -> None:
    """Draw the button that pins the picture, or lets go of it.

    Args:
        page: The page.
    """
    said, icon = ("Unpin", ":material/keep_off:") if page.around["pin"] else ("Pin", ":material/keep:")
    st.button(said, icon=icon, key=page.private("pin"), on_click=_pin, args=(page,), type="tertiary")


def _pin(page: Page) -> None:
    text = urlencode(page.values.parameters() | shared().written())
    page.around.put(pin="" if page.around["pin"] else text)
    page.pinned()
