"""The map on Home in a real browser: it says its claims, leads to their pages by mouse and keyboard, and is lit."""

from collections.abc import Callable

import pytest

from tests.browser.locators import CANVAS, LEAVE

pytestmark = pytest.mark.slow


def test_the_map_says_leads_and_is_lit(visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?seed=79&claims_tab=permutation")
    page.locator(".st-key-claim_perm-self").get_by_role("button", name="Check").click()
    page.locator(".st-key-claim_perm-self").get_by_text("Holds").wait_for()
    settled(page)
    page.get_by_role("link", name="Home").click()
    chart = page.get_by_role("navigation", name="Map of the transformer")
    box = chart.get_by_role("link", name="Self-attention")
    box.wait_for()
    settled(page)
    assert "partly" in box.get_attribute("class")
    with page.context.expect_page() as opened:
        box.click(modifiers=["Shift"])
    opened.value.close()
    box.focus()
    page.get_by_role("switch", name="Shuffle").evaluate("(one) => one.click()")
    settled(page)
    assert box.evaluate("(one) => one.getRootNode().activeElement === one"), "a run of the page leaves it the focus"
    box.hover()
    page.get_by_text("1 of 3 claims checked and as theory says", exact=False).last.wait_for()
    chart.get_by_role("link", name="Cross-attention").click()
    page.wait_for_url("**/permutation?*permutation_shuffle=keys*")
    settled(page)
    page.get_by_role("link", name="Home").click()
    biases = chart.get_by_role("link", name="+ biases")
    biases.wait_for()
    settled(page)
    biases.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/biases?*biases_q_bias=false*")
    assert "seed=79" in page.url


def test_both_pictures_are_on_the_first_screen_of_a_phone(visit: Callable) -> None:
    page = visit("", viewport={"width": 390, "height": 844}, has_touch=True)
    boxes = [one.bounding_box() for one in page.locator(CANVAS).all()]
    assert len(boxes) == 2
    assert all(box["y"] + box["height"] <= 844 for box in boxes)
    words = page.get_by_role("button", name="Glossary").bounding_box()
    menu = page.locator("[data-testid=stMainMenu]").bounding_box()
    assert words["x"] + words["width"] <= menu["x"], "what the words mean is not below the menu"
    assert words["y"] < 40


def test_both_pictures_and_the_model_are_on_a_slide(visit: Callable) -> None:
    page = visit("", "?present=true", viewport={"width": 1280, "height": 720})
    chart = page.get_by_role("navigation", name="Map of the transformer")
    last = [chart.get_by_role("link", name="Embedding").last, *page.locator(CANVAS).all()]
    assert len(last) == 3
    for one in last:
        box = one.bounding_box()
        assert box["y"] + box["height"] <= 720
    sizes = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    assert min(chart.locator("a, h3").evaluate_all(sizes)) >= 18
    leave = page.locator(LEAVE).filter(visible=True).bounding_box()
    assert 1280 - leave["x"] - leave["width"] < 40, "it stands in the corner"
