"""A page on which somebody moves a control while it is being drawn is whole in the end, and nothing else is left."""

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.slow


def test_a_control_moved_while_the_page_is_being_drawn(visit: Callable, settled: Callable) -> None:
    page = visit("permutation", "?seed=4711")
    page.locator("[data-testid=stSidebarNavLink]", has_text="Scaling").click()
    page.get_by_text("Step").first.wait_for()  # no result of this seed is known yet
    assert page.locator("[data-testid=stMain] [data-testid=stPageLink]").count() != 2, "it is not whole yet"
    page.get_by_text("QK-norm", exact=True).first.click()
    page.wait_for_url("**scaling_qk_norm=**")
    page.wait_for_selector(".st-key-finding")
    settled(page)
    assert page.locator("h1").inner_text() == "Scaling"
    links = page.locator("[data-testid=stMain] [data-testid=stPageLink]").all_inner_texts()
    assert len(links) == 2
    assert "Biases" in links[0]
    assert "Receptive field" in links[1]
    assert page.locator(".st-key-finding").count() == 1
    assert page.locator(".board").count() == 0
    assert page.locator("[role=tab]").count() == 4
