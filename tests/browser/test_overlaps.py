"""No words lie on others or on a picture, and none are cut, at seven sizes of the window, while a page scrolls.

In either language; and of the Chinese pages axe finds nothing serious, told their language.
"""

from collections.abc import Callable
from typing import Any

import pytest

from pages._shared.core.pages import COURSE, LEDGER, PAGES
from attention_core.language import LANGUAGES
from tests.browser.conftest import barriers, wait_until_settled
from tests.browser.locators import MAIN

pytestmark = pytest.mark.slow
DAILY = [(1280, 720, "en"), (390, 844, "zh")]
SIZES = [(390, 844), (1024, 768), (1280, 720), (1366, 768), (1440, 780), (1536, 864), (1920, 1080)]
NIGHTLY = {(*size, language) for size in SIZES for language in LANGUAGES}.difference(DAILY)
WINDOWS = [*DAILY, *(pytest.param(*one, marks=pytest.mark.nightly) for one in sorted(NIGHTLY))]
NAMES = ["", *(page.name for page in (*PAGES, LEDGER, COURSE))]
# Streamlit's own arrow on a row of tabs that is wider than its room.
OWN = ("Scroll tabs right on", "svg on")


def found(page: Any) -> list[str]:
    """What can be seen to lie on something else, and what is cut."""
    all_ = page.evaluate("[...probe.overlaps(), ...probe.clipped().map((one) => `${one} is cut`)]")
    return [one for one in all_ if not one.startswith(OWN)]


# Words through which others are seen, and words in a room that is too small for them.
FAULTS = """() => {
  const { left, top } = document.querySelector("h1").getBoundingClientRect();
  const words = (text, style) => `<p style="position: fixed; margin: 0; z-index: 999; ${style}">${text}</p>`;
  const over = words("over over over", `left: ${left}px; top: ${top}px`);
  const cut = words("cut cut cut", "left: 40%; top: 60%; width: 2em; overflow: hidden; white-space: nowrap");
  document.body.insertAdjacentHTML("beforeend", over + cut);
}"""


def test_what_lies_on_words_and_what_is_cut_is_found(visit: Callable) -> None:
    page = visit("claims")
    assert found(page) == []
    page.evaluate(FAULTS)
    assert found(page) == ["over over over on Claims", "cut cut cut is cut"]


@pytest.mark.parametrize(("width", "height", "language"), WINDOWS)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_lies_on_anything(name: str, width: int, height: int, language: str, visit: Callable) -> None:
    page = visit(name, f"?lang={language}", viewport={"width": width, "height": height})
    assert page.locator("html").get_attribute("lang") == language
    whole = page.locator(MAIN).evaluate("(one) => one.scrollHeight")
    problems = []
    for top in range(0, max(1, whole - height // 2), int(0.6 * height)):
        page.locator(MAIN).evaluate("(one, top) => one.scrollTo({ top, behavior: 'instant' })", top)
        wait_until_settled(page)
        problems += [f"{top} down: {one}" for one in found(page)]
    assert problems == []
    assert language == "en" or barriers(page) == []
