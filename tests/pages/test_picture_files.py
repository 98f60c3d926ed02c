"""A page's picture as files is the one that stands there: its step, its cell, its pin, its words."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest

from pages._shared.core.compat import typeface
from pages._shared.lessons.lesson import Lesson
from pages._shared.page import picture_files, tabs
from tests.pages.conftest import lesson_text, open_page

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens a page at its tab *Data*, and gives its SVG and its HTML as another thread makes them."""
    given: dict[str, Any] = {}
    made = picture_files.picture_files

    def kept(*of: Any) -> Any:
        found = made(*of)
        given.update((one.ending, one.make) for one in found)
        return found

    monkeypatch.setattr(tabs, "picture_files", kept)

    def opened(name: str, **parameters: str) -> tuple[str, str]:
        at = open_page(name, **{f"{name}_tab": "data", f"{name}_answer": "skipped"} | parameters)
        assert not at.exception
        with ThreadPoolExecutor(1) as other:
            return tuple(other.submit(given[ending]).result() for ending in ("svg", "html"))  # type: ignore[return-value]

    return opened


def written(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_step_of_a_sweep_is_the_one_that_stands_there(files: Any) -> None:
    for down, counts in (("1", ["3", "1"]), ("3", ["27", "9", "3", "1"])):
        svg, html = files("receptive_field", receptive_field_down=down)
        words = written(svg)
        assert f"Layers followed down{down}" in words
        graph = words[words.index("Who looks at whom, layer by layer") : words.index("More heads, more layers")]
        assert [one for one in graph if one in counts][: len(counts)]
        assert svg in html
    unfolded = [files("receptive_field", receptive_field_down=down)[0].count("<line") for down in ("1", "2", "3")]
    assert unfolded == sorted(set(unfolded)), "more edges with each step"


def test_a_setting_that_a_lesson_fixes_has_no_slider_and_its_step_is_drawn_all_the_same(files: Any) -> None:
    lesson = Lesson(note="Look.", fixed={"scaling_d_head": "1024"}, parts=("controls", "data"))
    svg, _ = files("scaling", course=lesson_text("scaling", lesson, scaling_d_head="1024"))
    assert any(one.endswith("1,024") for one in written(svg) if one.startswith("Size of a head"))


def test_the_chosen_cell_wears_its_ring(files: Any) -> None:
    svg, _ = files("trained")
    rings = [one.attrib for one in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "stroke" in one.attrib]
    assert [one["stroke-width"] for one in rings if one["stroke"] == "#4B3BA3"] == ["1.5", "2.5"], "its row, and it"


def test_a_pinned_picture_stands_beside_it(files: Any) -> None:
    svg, html = files("masks", masks_pin=urlencode({"masks_unmasked": "true"}))
    words = written(svg)
    assert words.index("Now") < words.index("Pinned")
    assert words.count("Sentence 1") == 2
    assert html.count("<details>") == 6
    assert "Pinned: Sentence 1" in html


def test_curves_below_the_picture_are_in_its_files_once_as_on_the_page(files: Any) -> None:
    for show, others in (("terms", True), ("curve", False)):
        words = written(files("biases", biases_show=show)[0])
        assert words.count("Gradients of the biases") == 1, show
        assert ("Weights" in words) == others
    assert "Every order: the difference after undoing it" in written(files("permutation")[0])


def test_it_is_in_the_readers_language_though_another_thread_makes_it(files: Any) -> None:
    svg, html = files("permutation", lang="zh")
    words = written(svg)
    assert any(one.endswith("个数相同") for one in words)
    assert not any("the same" in one for one in words)
    assert '<html lang="zh">' in html


def test_the_typeface_of_the_pages_goes_along() -> None:
    for kind in ("Upright", "Italic"):
        assert typeface(kind)[:4] == b"wOF2", "Streamlit has moved it: see typeface"  # type: ignore[arg-type]
