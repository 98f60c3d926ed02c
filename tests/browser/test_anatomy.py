"""Anatomy in a real browser: steps by click and by key, cells by click, the arithmetic under them."""

from collections.abc import Callable

import pytest

from tests.browser.test_tours import PHONE

pytestmark = pytest.mark.slow
KEYS = ".st-key-figure kbd"  # that a button says can be pressed in its place


def test_steps_are_walked_by_strip_buttons_and_keys(visit: Callable, settled: Callable) -> None:
    page = visit("anatomy")
    assert page.locator(KEYS).first.is_visible()
    figure = page.locator(".st-key-left")
    page.get_by_role("radio", name="scores", exact=True).click()
    settled(page)
    assert "“sat” asks “cat”: q · k = " in figure.inner_text()
    page.wait_for_url("**anatomy_step=scores**")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("n")
    settled(page)
    page.wait_for_url("**anatomy_step=scale**")
    page.get_by_role("button", name="Previous").click()
    settled(page)
    page.wait_for_url("**anatomy_step=scores**")


def test_a_click_on_a_cell_tells_where_its_number_came_from(visit: Callable, settled: Callable) -> None:
    page = visit("anatomy")
    before = page.locator(".st-key-left").inner_text()
    canvas = page.locator("canvas").last
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.65)
    settled(page)
    assert "anatomy_cell=7.1." in page.url
    assert page.locator(".st-key-left").inner_text() != before
    again = visit("anatomy", "?" + page.url.split("?")[1])
    assert again.locator(".st-key-left").inner_text() == page.locator(".st-key-left").inner_text()


def test_the_strip_scrolls_on_a_phone_and_who_has_no_keys_is_told_of_none(visit: Callable) -> None:
    page = visit("anatomy", **PHONE)
    group = page.locator(".st-key-figure [role=radiogroup]")
    assert group.evaluate("node => node.scrollWidth > node.clientWidth")
    assert group.bounding_box()["height"] < 60
    assert page.locator(KEYS).count() > 0
    assert not page.locator(KEYS).filter(visible=True).count()


def test_on_a_projector_cells_are_wide_enough_for_their_numbers(visit: Callable) -> None:
    page = visit("anatomy", "?present=true&anatomy_answer=skipped", viewport={"width": 1280, "height": 720})
    canvas = page.locator(".st-key-figure canvas").first.bounding_box()
    assert canvas["width"] > 420, "six cells of 48 pixels and their words, magnified"
