"""A page that fails, as its visitor sees it."""

from collections.abc import Callable

from tests.browser.conftest import FAILING, open_drawer
from tests.browser.locators import ALERT, CANVAS, MAIN


def test_a_page_that_fails_leads_back(serve: Callable, open_page: Callable, settled: Callable) -> None:
    page = open_page()
    page.goto(serve(FAILING))
    page.wait_for_selector("canvas")
    page.goto(f"{serve(FAILING)}/permutation?permutation_positions=rotary")
    notice = page.locator(ALERT)
    notice.wait_for()
    settled(page)
    assert "it is not your doing" in notice.inner_text()
    assert notice.bounding_box()["y"] < 700, "seen without scrolling"
    text = page.locator("body").inner_text()
    assert "Traceback" not in text
    assert "ZeroDivisionError" not in text
    assert "only the server may know" not in text
    assert page.locator(MAIN).get_by_role("link", name="Home").is_visible()
    open_drawer(page)
    page.locator(".st-key-permutation_positions input").click()
    page.get_by_role("option", name="none", exact=True).click()
    page.wait_for_selector(CANVAS)
    settled(page)
    assert notice.count() == 0, "whoever takes the move back goes on"
