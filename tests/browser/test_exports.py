"""A picture that is taken along is what the screen shows, whole, in its type and its colours."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from tests.browser.conftest import wait_until_settled
from tests.browser.locators import PANEL, RANGE
from tests.sweeps import some_by_day

PAPER = {"light": (255, 255, 255), "dark": (18, 21, 28)}  # as in .streamlit/config.toml
COUNTING = """window.pictures = 0;
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", async ({ data }) => {
      const text = new TextDecoder("latin1").decode(data instanceof Blob ? await data.arrayBuffer() : data);
      window.pictures += text.includes("<svg xmlns=");
    });
  }
};"""
SVG = "{http://www.w3.org/2000/svg}"
HEX = np.array([0x10000, 0x100, 1])  # red, green and blue as the number that a colour's code is
FAR = 32  # of 255: edges of shapes and letters are smoothed a little otherwise
WORDS = """all => all.map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [one.textContent, left, top, innerWidth - right, innerHeight - bottom];
})"""


def filled(root: ElementTree.Element) -> set[int]:
    """The colours of boxes and of titles in an SVG, as a raster has them inside of these."""
    boxes = [one for one in root.iter(f"{SVG}rect") if "fill-opacity" not in one.attrib]
    titles = [one for one in root.iter(f"{SVG}text") if one.attrib["font-size"] == "13"]
    codes = {one.attrib["fill"] for one in (*boxes, *titles)} - {"none"}
    return {int(code[1:], 16) for code in codes}


def take(page: Any, label: str) -> Path:
    """The file that a button of the Data tab gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name=label, exact=True).click()
    return Path(download.value.path())


@pytest.mark.nightly
def test_buttons_that_the_browser_serves_look_as_those_of_the_server(visit: Callable) -> None:
    page = visit("scaling", "?scaling_tab=data")
    looks = "(one) => [getComputedStyle(one.querySelector('p') ?? one).fontSize, one.getBoundingClientRect().height]"
    csv, png = (page.get_by_role("button", name=name, exact=True).evaluate(looks) for name in ("CSV", "PNG"))
    assert csv == png


@pytest.mark.parametrize(
    ("name", "query", "scheme"),
    some_by_day(
        [
            ("receptive_field", "", "dark"),
            ("scaling", "", "light"),  # areas, bars, matrices, a second look, a curve below
            ("anatomy", "", "light"),
            ("learning", "", "light"),
            ("permutation", "&permutation_pin=permutation_order%3D210345", "dark"),
            ("trained", "&lang=zh", "light"),
        ],
        of=6,
    ),
)
def test_the_files_are_the_picture_on_the_screen(
    visit: Callable, open_page: Callable, name: str, query: str, scheme: str
) -> None:
    page = visit(name, f"?{name}_tab=data{query}", viewport={"width": 1440, "height": 780}, color_scheme=scheme)
    raster = np.asarray(Image.open(take(page, "PNG")).convert("RGB")).astype(int)
    assert tuple(raster[0, 0]) == tuple(raster[-1, -1]) == PAPER[scheme]
    titles = page.locator(f"{PANEL} .title, .second .title").all_inner_texts()
    height, width = (side // 2 for side in raster.shape[:2])
    drawn = take(page, "SVG").read_text("utf-8")
    root = ElementTree.fromstring(drawn)
    assert (int(root.attrib["width"]), int(root.attrib["height"])) == (width, height), "two pixels for each"
    other = open_page(viewport={"width": width, "height": height}, device_scale_factor=2)
    other.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawn}")
    other.evaluate("document.fonts.ready")
    words = other.locator("svg text").evaluate_all(WORDS)
    # A formula is written letter by letter, and the space before one lies between two texts.
    written = "".join(text for text, *_ in words).replace(" ", "")
    assert [title for title in titles if title.replace(" ", "") not in written] == []
    assert [text for text, *room in words if min(room) < -1] == [], "cut at the edge"
    assert other.evaluate("document.fonts.check(\"12px 'Source Sans'\")"), "the type of the screen"
    vector = np.asarray(Image.open(io.BytesIO(other.screenshot())).convert("RGB")).astype(int)
    differs = (np.abs(vector - raster) > FAR).any(axis=2)
    assert differs.mean() < 0.001, "the SVG is the PNG"
    seen = {*np.unique(raster @ HEX).tolist()}
    assert len(filled(root)) > 1
    assert filled(root) <= seen, "it is not blank"
    said = page.locator(".view").first.get_attribute("aria-label")
    shown = open_page(viewport={"width": 390, "height": 844})
    shown.set_content(take(page, "HTML").read_text("utf-8"))
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    assert said in shown.locator("svg").get_attribute("aria-label")
    shown.locator("summary").first.click()
    assert shown.locator("td").first.is_visible(), "its numbers"


def test_a_slider_that_was_moved_by_hand_is_where_it_stands_in_the_files(visit: Callable) -> None:
    page = visit("receptive_field", "?receptive_field_show=matrix&receptive_field_tab=data")
    before = step_of(take(page, "SVG"))
    page.locator(RANGE).focus()
    page.keyboard.press("ArrowLeft")
    wait_until_settled(page)
    value = page.locator(".sweep .now").inner_text()
    assert value not in before
    assert step_of(take(page, "SVG")).endswith(value)


def step_of(svg: Path) -> str:
    """The first thing that a sheet says: what is swept, and where it stands."""
    text = next(ElementTree.parse(svg).iter(f"{SVG}text"))
    return "".join(text.itertext())


def test_no_picture_is_sent_before_one_is_asked_for(visit: Callable) -> None:
    page = visit("masks", "?masks_tab=data", script=COUNTING)
    for presses in range(3):
        assert page.evaluate("pictures") == presses, "each press is answered once"
        take(page, "PNG")
