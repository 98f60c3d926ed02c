"""The Claims page in a real browser: it opens, fits, is accessible, checks one claim, filters, and leads to pages."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import sideways

pytestmark = pytest.mark.slow

OWN_NAVIGATION = "(target) => document.querySelector(target)?.closest('[data-testid=stSidebarNav]') != null"


def entry(page: Any, name: str) -> Any:
    return page.locator(f".st-key-claim_{name}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_opens_fits_and_is_accessible(width: int, scheme: str, visit: Callable, settled: Callable) -> None:
    page = visit(
        "claims", "?claims_verdict=false&seed=5", viewport={"width": width, "height": 844}, color_scheme=scheme
    )
    entry(page, "perm-block").get_by_role("button", name="Check").click()
    entry(page, "perm-block").get_by_text("Is false").wait_for()
    settled(page)
    assert sideways(page) == 0
    found = [
        (violation["id"], node["html"][:160])
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if violation["id"] not in ("list", "listitem") or not page.evaluate(OWN_NAVIGATION, node["target"][0])
    ]
    assert found == []


def test_one_claim_is_checked_and_home_says_so(visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?seed=6&claims_tab=Biases")
    assert "Not checked yet" in entry(page, "softmax-shift").inner_text()
    entry(page, "softmax-shift").get_by_role("button", name="Check").click()
    entry(page, "softmax-shift").get_by_text("Holds", exact=False).wait_for()
    settled(page)
    assert "NaN" in entry(page, "softmax-shift").inner_text(), "with the switch that breaks it"
    assert "Not checked yet" in entry(page, "bias-k").inner_text()
    page.get_by_role("tab", name="Permutation").click()
    entry(page, "perm-kv").get_by_text("Not checked yet").wait_for()
    assert entry(page, "softmax-shift").count() == 0, "only the open tab is there"
    page.get_by_role("link", name="Home").click()
    page.get_by_text("checked so far").wait_for()
    assert "seed 6" in page.get_by_text("checked so far").inner_text()


def test_a_run_of_all_can_be_stopped(visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?seed=8")
    page.get_by_role("button", name="Check all").click()
    page.get_by_role("button", name="Stop", exact=True).last.wait_for()
    page.locator(".st-key-claims_progress [role=progressbar]").wait_for()
    page.locator(".st-key-_claims_stop button").click()
    settled(page)
    assert page.locator(".st-key-_claims_stop").count() == 0
    assert page.get_by_role("button", name="Check all").is_enabled()
    assert "Nothing is checked yet" in page.locator(".st-key-claims_run").inner_text()


def test_a_filter_goes_into_the_link(visit: Callable, settled: Callable) -> None:
    page = visit("claims")
    page.get_by_role("radio", name="false").click()
    page.wait_for_url("**claims_verdict=false**")
    entry(page, "perm-block").wait_for()
    settled(page)
    assert page.get_by_role("tab").all_inner_texts() == ["Permutation", "Scaling", "Sources"]
    assert page.locator("[class*=st-key-claim_]").count() == 1


def test_a_claim_leads_to_its_page_with_its_settings(visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?seed=9&claims_verdict=holds&claims_tab=Permutation")
    entry(page, "perm-kv").get_by_role("link", name="Break it").click()
    page.locator(".st-key-finding").get_by_text("does not hold").first.wait_for()
    settled(page)
    assert "/permutation?" in page.url
    assert "permutation_keys_alone=true" in page.url
    assert "seed=9" in page.url
