"""Pin: the picture that is kept beside the next one, as settings in the link."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages._shared import link
from pages._shared.values import shared

if TYPE_CHECKING:
    from pages._shared.frame import Page


def pinned(page: Page) -> dict[str, str] | None:
    """What a link to the pinned picture would hold; None where none is pinned.

    Args:
        page: The page.
    """
    text = page.around["pin"]
    return dict(parse_qsl(text, keep_blank_values=True)) if text and link.shows("pin") else None


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
    page.redraw(page.strip_key, page.answers_key)
