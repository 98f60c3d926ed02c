"""The first screen of a page: a large picture, few controls, and numbers as people write them."""

import re
from collections.abc import Callable

import pytest

from pages._shared.core.pages import PAGES
from tests.browser.locators import FINDING, MAIN

NAMES = [page.name for page in PAGES]
LAPTOP, SLIDE = {"width": 1440, "height": 900}, {"width": 1280, "height": 720}
IN_SIGHT = ".st-key-asked [data-testid=stElementContainer]:has(input, [role=radio], [role=slider])"
E_NOTATION = re.compile(r"\d[eE][+−-]?\d")

pytestmark = pytest.mark.slow


def written(page: object) -> list[str]:
    """All that stands on the page and in its pictures."""
    found = page.evaluate("probe.written()")
    drawn = [word["text"] for canvas in found["drawn"] for word in canvas]
    return [*page.locator(MAIN).inner_text().splitlines(), *(word["text"] for word in found["said"]), *drawn]


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_takes_a_third_of_the_window_and_few_controls_stand_beside_it(name: str, visit: Callable) -> None:
    page = visit(name, f"?{name}_answer=skipped", viewport=LAPTOP)
    assert page.evaluate("probe.share()") >= 35
    assert 1 <= page.locator(IN_SIGHT).count() <= 5
    assert [text for text in written(page) if E_NOTATION.search(text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_on_a_slide_the_picture_takes_nearly_half_with_its_sentence_below_it(name: str, visit: Callable) -> None:
    page = visit(name, f"?present=true&{name}_answer=skipped", viewport=SLIDE)
    assert page.evaluate("probe.share()") >= 45
    sentence = page.locator(f"{FINDING} p").first.bounding_box()
    assert sentence["y"] + sentence["height"] <= SLIDE["height"]
    assert page.get_by_role("button", name="Next").count() == 1
