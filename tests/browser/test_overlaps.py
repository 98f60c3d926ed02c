"""No words lie on others or on a picture, and none are cut, at seven sizes of the window, while a page scrolls.

In either language; and of the Chinese pages axe finds nothing serious, told their language.
"""

from collections.abc import Callable

import pytest

from pages._shared.core.pages import COURSE, LEDGER, PAGES, TEST
from attention_core.language import LANGUAGES
from tests.browser.conftest import barriers
from tests.browser.looks import check_overlaps, overlapping

SLIDE, PHONE = (1280, 720, "en"), (390, 844, "zh")
SIZES = [(390, 844), (1024, 768), (1280, 720), (1366, 768), (1440, 780), (1536, 864), (1920, 1080)]
ALONE = ("", *(page.name for page in (LEDGER, COURSE, TEST)))
NAMES = [*ALONE, *(page.name for page in PAGES)]
# What is toured is looked at as a slide there, by day; what has no tour is looked at here, Home and the test by day.
DAILY = {(name, *PHONE) for name in ("", TEST.name)} | {("", *SLIDE)}
NIGHTLY = {(name, *size, language) for name in NAMES for size in SIZES for language in LANGUAGES}.difference(DAILY)
WINDOWS = [*sorted(DAILY), *(pytest.param(*one, marks=pytest.mark.nightly) for one in sorted(NIGHTLY))]


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
    assert overlapping(page) == []
    page.evaluate(FAULTS)
    assert overlapping(page) == ["over over over on Claims", "cut cut cut is cut"]


@pytest.mark.parametrize(("name", "width", "height", "language"), WINDOWS)
def test_nothing_lies_on_anything(name: str, width: int, height: int, language: str, visit: Callable) -> None:
    page = visit(name, f"?lang={language}", viewport={"width": width, "height": height})
    assert page.locator("html").get_attribute("lang") == language
    check_overlaps(page, height)
    assert language == "en" or barriers(page) == []
