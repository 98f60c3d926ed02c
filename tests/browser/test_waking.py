"""What the first visitor of a process sees while torch is imported."""

from collections.abc import Callable

LOADED = 60_000


def test_the_first_visitor_is_told_at_once_that_the_app_is_waking(
    cold_app: str, open_page: Callable, settled: Callable
) -> None:
    page = open_page()
    page.goto(cold_app)
    waking = page.get_by_text("Waking up")
    waking.wait_for(timeout=LOADED)
    assert page.locator("h1").count() == 0, "it is said before there is a page"
    assert page.get_by_role("link", name="Permutation").first.is_visible(), "under its names, not those of files"
    page.wait_for_selector("canvas", timeout=LOADED)
    settled(page)
    assert waking.count() == 0
    later = open_page()
    later.goto(cold_app)
    later.wait_for_selector("h1", timeout=LOADED)
    assert later.get_by_text("Waking up").count() == 0


def test_the_first_visitor_may_come_by_a_deep_link_and_is_told_as_well(
    cold_app: str, open_page: Callable, settled: Callable
) -> None:
    page = open_page()
    page.goto(f"{cold_app}/permutation?permutation_positions=rotary")
    page.get_by_text("Waking up").wait_for(timeout=LOADED)
    page.wait_for_selector("canvas", timeout=LOADED)
    settled(page)
    assert page.locator("h1").inner_text() == "Permutation"
    assert "perm-self does not hold" in page.locator(".st-key-verdicts").inner_text()
    assert "permutation_positions=rotary" in page.url
    assert page.outside == []
