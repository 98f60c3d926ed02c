"""A page's picture as files: what it shows, beside the one that is pinned, in the theme of the screen."""

from base64 import b64encode
from functools import cache, partial
from typing import Any, Final, Literal

import streamlit as st

from pages._shared.core.compat import typeface
from pages._shared.page import pin
from pages._shared.page.declaration import File
from pages._shared.page.frame import Frame
from pages._shared.page.page import Look
from attention_core.figures.matrix import MatrixView
from attention_core.figures.sheet import Shown, sheet_html, sheet_svg
from attention_core.language import current, using
from attention_core.language import gettext as _

_STYLES: Final[dict[Literal["Upright", "Italic"], str]] = {"Upright": "normal", "Italic": "italic"}


def picture_files(frame: Frame, look: Look) -> tuple[File, File]:
    """The page's picture and the curves below it as SVG, and as a page with its numbers; each made when asked for."""
    in_words = using(current())  # a file is made in another thread
    given: dict[str, Any] = {"mode": st.context.theme.type or "light", "faces": _faces()}
    shown = _shown(frame, look)
    if frame.curves_shown:
        given["below"] = [frame.curves_shown]
    return (
        File("SVG", "svg", "image/svg+xml", in_words(partial(sheet_svg, shown, **given))),
        File("HTML", "html", "text/html", in_words(partial(sheet_html, shown, **given))),
    )


def _shown(frame: Frame, look: Look) -> list[Shown]:
    """The picture, and the pinned one beside it, each where it stands."""
    name, pinned = look.page.spec.name, pin.pinned(look.page)
    if pinned is None:
        return [_stands(frame, name, look, look.picture)]
    return [
        _stands(frame, name, look, look.picture.beside(pinned.picture), _("Now")),
        _stands(frame, f"{name}_pinned", pinned, pinned.picture.beside(look.picture), _("Pinned")),
    ]


def _stands(frame: Frame, key: str, look: Look, view: MatrixView, name: str = "") -> Shown:
    step, cell = frame.positions.get(key, (None, None))
    if step is None:  # its slider is not the picture's own, or there is none
        step = look.results.step if view.sweep else 0
    return Shown(view, min(step, view.steps - 1), cell, name)


@cache
def _faces() -> tuple[str, ...]:
    """CSS that brings the typeface of the pages along."""
    return tuple(
        "@font-face { font-family: 'Source Sans'; font-weight: 200 900; "
        f"font-style: {style}; src: url(data:font/woff2;base64,{b64encode(typeface(kind)).decode()}) }}"
        for kind, style in _STYLES.items()
    )
