"""A cross of a scatter is pressed in a browser, and reached with keys: its edge is the one that is cut."""

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import wait_until_settled


def scatter_of(page: Any) -> Any:
    """The plot of weight and effect."""
    plot = page.get_by_role("application", name="Weight and effect")
    plot.scroll_into_view_if_needed()
    wait_until_settled(page)
    return plot


def cell_in_link(page: Any, before: str = "") -> str:
    """The cell that the link names, once it is another than before."""
    page.wait_for_url(lambda url: "worth_cell=" in url and url != before)
    return page.url.partition("worth_cell=")[2].partition("&")[0]


def test_a_cross_is_pressed_and_keys_go_from_one_to_the_next(visit: Callable) -> None:
    page = visit("worth", "?worth_answer=skipped")
    plot = scatter_of(page)
    plot.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    second = cell_in_link(page)
    page.get_by_text("Without the edge from").first.wait_for()
    wait_until_settled(page)
    before = page.url
    plot.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert cell_in_link(page, before) != second
    page.get_by_text("weight 0.856").first.wait_for()  # the largest of the head stands furthest to the right
