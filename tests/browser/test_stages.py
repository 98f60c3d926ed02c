"""A page on which somebody moves a control while it is being drawn is whole in the end, and nothing else is left."""

from collections.abc import Callable

import pytest

from tests.browser.conftest import APP, Line
from tests.browser.locators import FINDING, LINKS

pytestmark = pytest.mark.slow


def test_a_control_moved_while_the_page_is_being_drawn(
    serve: Callable, open_page: Callable, settled: Callable
) -> None:
    page = open_page(reduced_motion="reduce")
    line = Line(page)
    page.goto(f"{serve(APP)}/permutation")
    page.locator("canvas").first.wait_for()
    settled(page)
    links = page.locator("[data-testid=stMain] [data-testid=stPageLink]")
    assert links.count() == 2
    line.hold(after=b"As initialised")
    page.locator(LINKS, has_text="Scaling").click()
    page.locator(".st-key-presets button", has_text="As initialised").click()
    assert links.count() == 0, "what comes after the control is not there yet"
    line.let_go()
    page.wait_for_url("**scaling_through_module=**")
    page.wait_for_selector(FINDING)
    settled(page)
    assert page.locator("h1").inner_text() == "Scaling"
    texts = links.all_inner_texts()
    assert len(texts) == 2
    assert "Biases" in texts[0]
    assert "Receptive field" in texts[1]
    assert page.locator(FINDING).count() == 1
    assert page.locator(".board").count() == 0
    assert page.locator("[role=tab]").count() == 4
