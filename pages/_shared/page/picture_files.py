"""A page's picture as files, with the pinned one beside it, and as a slide, in the theme of the screen."""

from base64 import b64encode
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final, Literal

import streamlit as st

from pages._shared.core.compat import typeface
from pages._shared.core.text import plain_text
from pages._shared.page import pin
from pages._shared.page.declaration import File
from pages._shared.page.frame import Frame
from pages._shared.page.page import Look
from pages._shared.page.prediction import question_open
from attention_core.figures.matrix import MatrixView
from attention_core.figures.sheet import Shown, sheet_html, sheet_svg
from attention_core.figures.slide import slide_svg
from attention_core.language import current, using
from attention_core.language import gettext as _

_STYLES: Final[dict[Literal["Upright", "Italic"], str]] = {"Upright": "normal", "Italic": "italic"}


def picture_files(frame: Frame, look: Look) -> tuple[File, File]:
    """The page's picture and the curves below it as SVG, and as HTML with numbers; each made when asked for."""
    in_words = using(current())  # a file is made in another thread
    options: dict[str, Any] = {"mode": st.context.theme.type or "light", "faces": _faces()}
    pictures = _pictures(frame, look)
    if frame.curves_shown:
        options["below"] = [frame.curves_shown]
    return (
        File("SVG", "svg", "image/svg+xml", in_words(partial(sheet_svg, pictures, **options))),
        File("HTML", "html", "text/html", in_words(partial(sheet_html, pictures, **options))),
    )


def slide(frame: Frame, look: Look) -> Callable[[], str]:
    """Makes the page's picture a slide, under the headline that the page has now."""
    page = look.page
    headline = question_open(page) and page.predict.headline
    shown = _as_shown(frame, page.spec.name, look, look.picture)
    options: dict[str, Any] = {"mode": st.context.theme.type or "light", "faces": _faces()}
    return using(current())(partial(slide_svg, shown, plain_text(str(headline or page.spec.claim)), **options))


def _pictures(frame: Frame, look: Look) -> list[Shown]:
    """The live and the pinned picture, each at its step and chosen cell."""
    key, pinned = look.page.spec.name, pin.pinned(look.page)
    if pinned is None:
        return [_as_shown(frame, key, look, look.picture)]
    return [
        _as_shown(frame, key, look, look.picture.beside(pinned.picture), _("Now")),
        _as_shown(frame, f"{key}_pinned", pinned, pinned.picture.beside(look.picture), _("Pinned")),
    ]


def _as_shown(frame: Frame, key: str, look: Look, view: MatrixView, name: str = "") -> Shown:
    step, cell = frame.positions.get(key, (None, None))
    if step is None:  # its slider is not the picture's own, or there is none
        step = look.results.step if view.sweep else 0
    return Shown(view, min(step, view.steps - 1), cell, name)


@cache
def _faces() -> tuple[str, ...]:
    """CSS that embeds the typeface of the pages."""
    return tuple(
        "@font-face { font-family: 'Source Sans'; font-weight: 200 900; "
        f"font-style: {style}; src: url(data:font/woff2;base64,{b64encode(typeface(kind)).decode()}) }}"
        for kind, style in _STYLES.items()
    )
