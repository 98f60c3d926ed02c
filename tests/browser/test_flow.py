"""Back and Forward go by what a person did, a pin moves nothing, and a remote works whatever has the focus."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import answer
from tests.browser.locators import FINDING, LEAVE, PRESETS, SIDEBAR

DRAWN = "canvas"


def menu(page: Any, name: str, settled: Callable) -> None:
    page.locator("[data-testid=stSidebarNav] a", has_text=name).click()
    page.locator("h1", has_text=name).wait_for()
    settled(page)


def walk(step: Callable, page: Any, settled: Callable) -> None:
    """Go a step of the history; each asks for a run."""
    asked = page.evaluate("probe.runs")
    step()
    page.wait_for_function("(asked) => probe.runs > asked", arg=asked)
    settled(page)


def test_an_address_that_takes_the_last_ones_place_is_there_at_once(visit: Callable) -> None:
    """Streamlit writes one page after another within one task, and each only where the address names another."""
    page = visit("scaling")
    start = page.evaluate("history.length")
    went = "(paths) => paths.map((path) => (history.pushState({}, '', path), location.pathname))"
    assert page.evaluate(went, ["/", "/masks"]) == ["/", "/masks"]
    assert page.evaluate("history.length") == start


def test_the_history_holds_one_step_for_each_thing_done(visit: Callable, settled: Callable) -> None:
    page = visit("permutation")
    start = page.evaluate("history.length")
    page.get_by_text("Two causal blocks", exact=True).click()
    settled(page)
    moved = page.url
    assert page.evaluate("history.length") == start + 1, "a preset is one step, however much it sets"
    answer(page, "Different")
    asked = page.url
    assert page.evaluate("history.length") == start + 2, "an answer and its move are one step"
    walk(page.go_back, page, settled)
    assert page.url == moved
    assert page.get_by_role("button", name="Predict", exact=True).is_visible()
    walk(page.go_forward, page, settled)
    assert page.url == asked
    assert page.get_by_text("You said Different").is_visible()
    menu(page, "Biases", settled)
    assert page.evaluate("history.length") == start + 3, "a page is one step"
    page.get_by_text("Rotary positions", exact=True).first.click()
    settled(page)
    biases = page.url
    menu(page, "Permutation", settled)
    assert page.url == asked
    assert page.evaluate("history.length") == start + 5, "with settings of its own too"
    walk(page.go_back, page, settled)
    assert (page.url, page.locator("h1").inner_text()) == (biases, "Biases")
    walk(page.go_back, page, settled)
    walk(page.go_back, page, settled)
    assert (page.url, page.locator("h1").inner_text()) == (asked, "Permutation")
    assert page.get_by_text("You said Different").is_visible()


@pytest.mark.nightly
def test_a_page_with_shared_settings_alone_is_one_step_that_changes_nothing_behind_it(
    visit: Callable, settled: Callable
) -> None:
    page = visit("permutation", "?seed=5&permutation_shuffle=keys")
    left, start = page.url, page.evaluate("history.length")
    menu(page, "Biases", settled)
    assert page.url.endswith("/biases?seed=5")
    assert page.evaluate("history.length") == start + 1
    walk(page.go_back, page, settled)
    assert page.url == left


def test_back_from_a_claim_returns_to_its_tab_and_a_reload_keeps_answer_and_pin(
    visit: Callable, settled: Callable
) -> None:
    page = visit("claims")
    page.get_by_role("tab", name="Masks").click()
    settled(page)
    tab = page.url
    page.locator(".st-key-claim_mask-encoder a", has_text="See it").filter(visible=True).first.click()
    page.locator("h1", has_text="Masks").wait_for()
    settled(page)
    assert "Predict or skip" not in page.locator(FINDING).inner_text()
    page.get_by_role("button", name="Pin").filter(visible=True).click()
    page.get_by_text("Pinned", exact=True).wait_for()
    settled(page)
    page.reload()
    page.get_by_text("Pinned", exact=True).wait_for()
    settled(page)
    assert "masks_answer=skipped" in page.url
    walk(page.go_back, page, settled)
    walk(page.go_back, page, settled)
    assert page.url == tab
    assert page.get_by_role("tab", name="Masks").get_attribute("aria-selected") == "true"


@pytest.mark.nightly
def test_pinning_scrolls_nothing_and_covers_no_button(visit: Callable, settled: Callable) -> None:
    page = visit("permutation")
    at = page.evaluate("document.querySelector('.st-key-figure').getBoundingClientRect().top")
    page.get_by_role("button", name="Pin").filter(visible=True).click()
    page.get_by_text("Pinned", exact=True).wait_for()
    settled(page)
    assert page.evaluate("document.querySelector('.st-key-figure').getBoundingClientRect().top") == at
    page.get_by_text("With positions", exact=True).click()
    settled(page)
    page.get_by_role("button", name="Reverse").click(trial=True)  # fails where something lies over it


@pytest.mark.nightly
def test_a_remote_walks_on_while_a_control_has_the_focus(visit: Callable, settled: Callable) -> None:
    page = visit("permutation", "?present=true&permutation_answer=skipped")
    remote = page.locator(PRESETS)
    assert "1 of 6: Shuffle all" in remote.inner_text(), "the first preset is lit on arrival"
    page.keyboard.press("PageDown")
    settled(page)
    assert "2 of 6: Keys and values only" in remote.inner_text()
    page.locator(".st-key-controls summary").first.click()
    for number, control in ((3, "input[type=text]"), (4, "[role=combobox], [role=slider], input[type=checkbox]")):
        page.locator(f".st-key-controls :is({control})").first.focus()
        page.keyboard.press("PageDown")
        settled(page)
        assert f"{number} of 6" in remote.inner_text()
    assert not page.locator(SIDEBAR).is_visible()
    page.locator(LEAVE).filter(visible=True).click()
    page.locator(SIDEBAR).wait_for()
    assert "present" not in page.url
