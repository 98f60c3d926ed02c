"""The biases page in a real browser: scrubbing repaints, and a million can be read."""

from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_of, sideways

pytestmark = pytest.mark.slow


def test_letting_the_size_go_moves_picture_link_and_verdicts(visit: Callable, settled: Callable) -> None:
    page = visit("biases")
    before, verdicts = pictures_of(page), page.locator(".st-key-finding").inner_text()
    slider = page.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("Home")
    settled(page)
    page.wait_for_url("**biases_size=0.1*")
    assert pictures_of(page) != before
    assert page.locator(".st-key-finding").inner_text() != verdicts


MILLION = "?biases_show=growing&biases_key_size=1000000&biases_curve=key-size&biases_answer=skipped"


def test_a_million_stands_in_a_line_with_its_note_on_a_laptop(visit: Callable) -> None:
    page = visit("biases", MILLION, viewport={"width": 1440, "height": 780})
    assert sideways(page) == 0
    panels = page.locator(".st-key-figure .panel")
    assert len({box["y"] for box in (panel.bounding_box() for panel in panels.all())}) == 1
    assert panels.count() == 4
    assert "At 3 of 28 steps values are NaN" in panels.nth(1).inner_text()


def test_a_million_can_be_read_on_a_phone(visit: Callable) -> None:
    page = visit("biases", MILLION, viewport={"width": 390, "height": 844}, has_touch=True)
    titles = page.locator(".st-key-figure .panel .title").all_inner_texts()
    assert titles == ["float64", "float16"]
    cells = page.locator(".st-key-figure .plot").evaluate_all("all => all.map((one) => Number(one.dataset.cell))")
    assert min(cells) >= 23
