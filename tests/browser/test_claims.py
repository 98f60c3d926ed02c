"""The Claims page in a real browser: it opens, fits, is accessible, and a run of all can be stopped."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import FAILING, barriers, sideways
from tests.browser.looks import check_dark
from tests.browser.screens import LAPTOP, PHONE
from tests.sweeps import some_by_day


def entry(page: Any, name: str) -> Any:
    return page.locator(f".st-key-claim_{name}")


@pytest.mark.parametrize("screen", some_by_day([PHONE, LAPTOP]), ids=["phone", "laptop"])
def test_opens_fits_and_is_accessible(screen: dict[str, Any], visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?claims_verdict=false&seed=5", **screen)
    entry(page, "perm-block").get_by_role("button", name="Check").click()
    entry(page, "perm-block").get_by_text("A myth, refuted").wait_for()
    settled(page)
    assert sideways(page) == 0
    assert barriers(page) == []
    check_dark(page)


def test_a_run_of_all_shows_what_it_finds_and_can_be_stopped(
    serve: Callable, open_page: Callable, settled: Callable
) -> None:
    page = open_page()
    page.goto(f"{serve(FAILING)}/claims?seed=8")
    page.get_by_role("button", name="Check all").click()
    page.get_by_role("button", name="Stop", exact=True).last.wait_for()
    page.locator(".st-key-claims_progress [role=progressbar]").wait_for()
    so_far = "1 of 1 claims checked so far"
    page.locator(".st-key-claims_run").get_by_text(so_far).wait_for()
    page.locator(".st-key-_claims_stop button").click()
    settled(page)
    assert page.locator(".st-key-_claims_stop").count() == 0
    assert page.get_by_role("button", name="Check all").is_enabled()
    assert so_far in page.locator(".st-key-claims_run").inner_text(), "what was found is kept"


@pytest.mark.nightly
def test_claims_are_read_whole_where_they_stand_on_the_axis(visit: Callable) -> None:
    page = visit("claims", "?seed=5", **LAPTOP)
    names = page.locator(".chart .name a")
    names.first.wait_for()
    cut = (
        "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 4)"
    )
    assert names.evaluate_all(f"{cut}.map(one => one.textContent)") == []


def test_a_row_leads_to_what_is_told_of_its_claim(visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?seed=5", **LAPTOP)
    page.get_by_role("link", name="A score with biases").click()
    page.wait_for_url("**/claims?*claims_tab=biases*")
    entry(page, "bias-terms").wait_for()
    settled(page)
    page.wait_for_function(
        "() => { const at = document.querySelector('.st-key-claim_bias-terms').getBoundingClientRect();"
        " return at.top >= 0 && at.bottom <= innerHeight; }"
    )
    table = page.get_by_role("table", name="Biases")
    assert table.get_by_role("row").count() == 1 + 9
