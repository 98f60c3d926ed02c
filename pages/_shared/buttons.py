"""A button of a page."""

from collections.abc import Callable
from typing import Any

import streamlit as st


def page_button(
    page: str, label: str, name: str, action: Callable[..., None], *args: Any, hint: str | None = None,
    kind: Any = "secondary", shortcut: str | None = None,
) -> None:  # fmt: skip
    """A button whose callback runs before the page does.

    Args:
        page: Name of the page.
        label: What it says.
        name: Its name on the page.
        action: Called with ``args`` when it is pressed.
        args: Arguments of ``action``.
        hint: What it shows on hover.
        kind: ``primary``, ``secondary`` or ``tertiary``.
        shortcut: A key that presses it.
    """
    key = f"_{page}_{name}"
    st.button(label, key=key, on_click=action, args=args, help=hint, type=kind, shortcut=shortcut, width="content")
