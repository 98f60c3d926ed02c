"""A picture that fills a box: alone on paper, or as a slide with a headline and a sentence."""

from typing import Final

from attention_core.figures.places import assembled, in_box, in_columns
from attention_core.figures.sheet import FAMILY, Shown, step_at
from attention_core.figures.svg_pen import Pen, rect
from attention_core.figures.text import escape_xml, wrapped
from attention_core.figures.theme import Mode

_WIDE, _HIGH = 1280, 720
_ENLARGED: Final = 1.5  # to 1920 pixels
_MARGIN: Final = 40
_HEAD, _SAID = 30, 22  # sizes of the headline and of the sentence
_LINE: Final = 1.25  # of a size, from one line to the next
_LETTER: Final = 0.5  # of a size that a letter of a long line takes
_STEP: Final = 40
_COLUMN: Final = 120  # pixels of values of a panel in a flow: its words are as large as they can be
_FAR, _NEAR = 1.6, 0.85  # by how much words have to be enlarged to be read on a wall, on paper
_MOST: Final = 2.2  # by which a picture is enlarged at most


def slide_svg(shown: Shown, headline: str, *, mode: Mode = "light", faces: tuple[str, str] = ("", "")) -> str:
    """A view as a slide.

    Args:
        shown: The view; its second look stays out.
        headline: What stands above it.
        mode: The theme.
        faces: CSS that it carries along of the typeface ``Source Sans``, upright, and italic where something is.
    """
    pen = Pen(mode)
    head, top = _lines(headline, _MARGIN, _HEAD, pen, weight=700)
    said = str(shown.view.summary)
    sentence, bottom = _lines(said, 0, _SAID, pen)
    bottom = _HIGH - _MARGIN / 2 - bottom
    sentence = f'<g transform="translate(0 {bottom:g})">{sentence}</g>'
    wide, high = _WIDE - 2 * _MARGIN, bottom - top - 12
    drawn, *size = _fitted(shown, pen, wide, high, _FAR)
    scale = min(wide / size[0], high / size[1], _MOST)
    x, y = (_WIDE - scale * size[0]) / 2, top + 12 + (high - scale * size[1]) / 2
    body = f'{head}<g transform="translate({x:.1f} {y:.1f}) scale({scale:.3f})">{drawn}</g>{sentence}'
    style = "".join(faces) if 'font-style="italic"' in body else faces[0]
    label = escape_xml(f"{headline} {said}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_ENLARGED * _WIDE:.0f}" '
        f'height="{_ENLARGED * _HIGH:.0f}" role="img" aria-label="{label}" font-family="{FAMILY}" '
        f'text-rendering="geometricPrecision"><title>{label}</title><style>{style}</style>'
        f"{rect(0, 0, _WIDE, _HIGH, pen.paper)}{body}</svg>"
    )


def picture_svg(shown: Shown, wide: float, high: float) -> str:
    """The panels of a view that are its picture, on paper, in a box of so many pixels; its second look stays out."""
    drawn, width, height = _fitted(shown, Pen(), wide, high, _NEAR)
    scale = min(wide / width, high / height, _MOST)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{scale * width:.0f}" '
        f'height="{scale * height:.0f}" role="img" aria-label="{escape_xml(str(shown.view.summary))}" '
        f'font-family="{FAMILY}">{drawn}</svg>'
    )


def _fitted(shown: Shown, pen: Pen, wide: float, high: float, readable: float) -> tuple[str, float, float]:
    """The panels in the shape of a box, and how wide and how high that is."""
    view, top = shown.view, 0
    still = view.at(shown.step)
    step = ""
    if view.sweep:
        step, top = step_at(view.sweep, shown.step, pen, 0), _STEP
    if view.flow:
        places = in_columns(view.flow, still.panels, pen, across=_COLUMN)
    else:
        whole = len(still.panels) - view.second
        panels = still.panels[: whole if view.signs else view.front or whole]
        places = in_box(view, panels, pen, wide, high - top, readable)
    drawn, width, height = assembled(view, places, pen, chosen=shown.cell, flowing=view.flow is not None)
    return f'{step}<g transform="translate(0 {top})">{drawn}</g>', width, top + height


def _lines(text: str, top: float, size: int, pen: Pen, *, weight: int = 400) -> tuple[str, float]:
    """Text in lines as wide as the slide, and where it ends."""
    body = ""
    for line in wrapped(text, int((_WIDE - 2 * _MARGIN) / (size * _LETTER))):
        top += _LINE * size
        body += pen.formula(_MARGIN, top - 0.3 * size, line, size=size, weight=weight)
    return body, top
