"""The complexity page in a real browser: a cell of the map sets the sizes, and timing shows how far it is."""

from collections.abc import Callable

import pytest

from attention_core.claims import statement

pytestmark = pytest.mark.slow


def test_a_cell_of_the_map_sets_the_sizes(visit: Callable, settled: Callable) -> None:
    page = visit("complexity")
    before = page.locator(".st-key-finding").inner_text()
    plot = page.locator(".st-key-figure .plot").first
    plot.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**complexity_d_model=**")
    settled(page)
    assert "complexity_num_queries=" in page.url
    assert "complexity_num_keys=" in page.url
    assert page.locator(".st-key-finding").inner_text() != before


def test_timing_shows_its_steps_and_a_change_ends_the_wait_for_it(visit: Callable, settled: Callable) -> None:
    page = visit("complexity", "?complexity_seconds=20")

    def measure(what: str) -> None:
        page.get_by_role("combobox", name="Measure the time").click()
        page.get_by_role("option", name=what, exact=True).click()

    bar = page.get_by_role("progressbar")
    measure("over n")
    bar.wait_for()
    measure("not now")
    page.wait_for_function("() => !location.href.includes('complexity_measure')")
    settled(page)
    assert bar.count() == 0
    assert f"{statement('cplx-core')} holds" in page.locator(".st-key-finding").inner_text()
