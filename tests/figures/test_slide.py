"""A slide is 16 : 9, holds headline, picture and sentence, each inside of it, and its words are read from far."""

import re
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView, Sweep
from attention_core.figures.sheet import Shown
from attention_core.figures.slide import picture_svg, slide_svg
from attention_core.figures.theme import PAPER
from attention_core.language import LANGUAGES, using
from tests.figures.views import STUDIES, views
from tests.sweeps import some_by_day

pytestmark = pytest.mark.xdist_group("views")  # one worker draws them once for all

SVG = "{http://www.w3.org/2000/svg}"
WIDE, HIGH = 1280, 720
LEAST = (
    7.0  # of 720 pixels, of a letter whose size is 10 in a panel: a picture of eight panels in six columns has them
)
VALUES = np.array([[[0.1, 0.2], [0.3, 0.4]], [[0.5, 0.6], [0.7, 0.8]]])
PLACE = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)(?: scale\(([\d.]+)\))?")
LONG = "What is said above a picture " * 5


def place(root: ElementTree.Element) -> tuple[float, float, float]:
    """Where the picture begins, and how much it is enlarged."""
    (found,) = (
        PLACE.fullmatch(one.attrib["transform"]) for one in root if "scale" in one.attrib.get("transform", "")
    )
    assert found
    x, y, scale = map(float, found.groups())
    return x, y, scale


def written(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(("study", "language"), some_by_day(product(STUDIES, LANGUAGES), 2, of=7))
def test_every_picture_fills_its_slide_and_its_words_are_large(study: str, language: str) -> None:
    with using(language):
        for name, view in views(study).items():
            root = ElementTree.fromstring(slide_svg(Shown(view), LONG))
            assert root.attrib["viewBox"] == f"0 0 {WIDE} {HIGH}"
            assert (root.attrib["width"], root.attrib["height"]) == ("1920", "1080")
            x, y, scale = place(root)
            assert 10 * scale >= LEAST, name
            assert 40 <= x <= WIDE / 2, name
            # Two lines of a headline, and above the margin a line of the sentence or more.
            assert 40 + 2 * 37.5 <= y <= HIGH / 2, name
            words = written(root)
            assert "".join(words[:2]).startswith("What is said above")
            assert "".join("".join(words).split()).endswith("".join(str(view.summary).split())[-4:]), name


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_slide_wears_the_theme_and_carries_its_typeface(mode: str) -> None:
    svg = slide_svg(Shown(next(iter(views("masks").values()))), "Head", mode=mode, faces=("upright{}", "italic{}"))  # type: ignore[arg-type]
    root = ElementTree.fromstring(svg)
    assert next(root.iter(f"{SVG}rect")).attrib["fill"] == PAPER[mode]  # type: ignore[index]
    assert "upright{}" in svg
    assert ("italic{}" in svg) is ('font-style="italic"' in svg)


def test_a_slide_shows_its_step_and_neither_a_second_look_nor_markup_of_what_was_typed() -> None:
    axis = Axis(title="token", labels=("<b>", "&"))
    panels = tuple(
        MatrixPanel(title=title, rows=axis, columns=axis, quantity="weight", scale="sequential", values=VALUES)
        for title in ("First", "Second")
    )
    sweep = Sweep(name="size", label="Size", values=("4", "8"))
    view = MatrixView(panels=panels, summary="Seen <here>.", sweep=sweep, second=1)
    root = ElementTree.fromstring(slide_svg(Shown(view, 1), "A & B"))
    words = written(root)
    assert {"A & B", "Size8", "First", "<b>", "&", "Seen <here>."} <= set(words)
    assert "Second" not in words
    assert "A & B Seen <here>." in (root.attrib["aria-label"], root.findtext(f"{SVG}title"))


@pytest.mark.parametrize("study", some_by_day(STUDIES, of=6))
def test_every_picture_has_its_shape_on_paper(study: str) -> None:
    for name, view in views(study).items():
        root = ElementTree.fromstring(picture_svg(Shown(view), 672, 220))
        width, height = (float(root.attrib[side]) for side in ("width", "height"))
        assert width <= 672.5, name
        assert height <= 220.5, name
        assert max(width / 672, height / 220) > 0.99 or width / float(root.attrib["viewBox"].split()[2]) > 2, name
        assert root.attrib["aria-label"] == str(view.summary)
