"""Home in a real browser: its words move, by themselves once; its map leads on by mouse and keyboard, and is lit."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.locators import CANVAS, LEAVE


def test_the_map_says_leads_and_is_lit(visit: Callable, settled: Callable) -> None:
    page = visit("claims", "?seed=79&claims_tab=permutation")
    page.locator(".st-key-claim_perm-self").get_by_role("button", name="Check").click()
    page.locator(".st-key-claim_perm-self").get_by_text("Holds").wait_for()
    settled(page)
    page.get_by_role("link", name="Home").click()
    page.get_by_text("Find a part").click()
    chart = page.get_by_role("navigation", name="Map of the transformer")
    box = chart.get_by_role("link", name="Self-attention")
    box.wait_for()
    settled(page)
    assert "partly" in box.get_attribute("class")
    with page.context.expect_page() as opened:
        box.click(modifiers=["Shift"])
    opened.value.close()
    box.focus()
    page.get_by_role("switch", name="Tell it positions").evaluate("(one) => one.click()")
    settled(page)
    assert box.evaluate("(one) => one.getRootNode().activeElement === one"), "a run of the page leaves it the focus"
    box.hover()
    page.get_by_text("1 of 8 claims checked and as theory says", exact=False).last.wait_for()
    chart.get_by_role("link", name="Cross-attention").click()
    page.wait_for_url("**/permutation?*permutation_shuffle=keys*")
    settled(page)
    page.get_by_role("link", name="Home").click()
    page.get_by_text("Find a part").click()
    biases = chart.get_by_role("link", name="+ biases")
    biases.wait_for()
    settled(page)
    biases.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/biases?*biases_q_bias=false*")
    assert "seed=79" in page.url


@pytest.mark.nightly
def test_the_box_in_the_glossary_finds_a_question_as_soon_as_a_page_is_there(
    visit: Callable, settled: Callable
) -> None:
    page = visit("biases", "?biases_answer=skipped")
    page.get_by_role("button", name="Glossary").click()
    box = page.locator(".st-key-_faq_glossary input")
    box.fill("why is my mask nan")
    box.press("Enter")
    page.get_by_role("button", name="Why do I get NaN after masking?").click()
    page.wait_for_url("**/masks?*masks_asked=nan*")
    settled(page)
    page.get_by_text("Some query may see no key").wait_for()


def test_both_pictures_are_on_the_first_screen_of_a_phone(visit: Callable) -> None:
    page = visit("", viewport={"width": 390, "height": 844}, has_touch=True)
    boxes = [one.bounding_box() for one in page.locator(CANVAS).all()]
    assert len(boxes) == 2
    assert all(box["y"] + box["height"] <= 844 for box in boxes)
    words = page.get_by_role("button", name="Glossary").bounding_box()
    menu = page.locator("[data-testid=stMainMenu]").bounding_box()
    assert words["x"] + words["width"] <= menu["x"], "what the words mean is not below the menu"
    assert words["y"] < 40


@pytest.mark.nightly
def test_both_pictures_are_on_a_slide(visit: Callable) -> None:
    page = visit("", "?present=true", viewport={"width": 1280, "height": 720})
    boxes = [one.bounding_box() for one in page.locator(CANVAS).all()]
    assert len(boxes) == 2
    assert all(box["y"] + box["height"] <= 720 for box in boxes)
    leave = page.locator(LEAVE).filter(visible=True).bounding_box()
    assert 1280 - leave["x"] - leave["width"] < 40, "it stands in the corner"


def order(page: Any) -> str:
    return page.evaluate("new URLSearchParams(location.search).get('home_order')")


def test_it_begins_as_written_and_shuffles_itself(visit: Callable, settled: Callable) -> None:
    page = visit("", reduced_motion="no-preference")
    page.wait_for_function("() => location.search.includes('home_order')")
    settled(page)
    assert order(page) == "5-0-1-4-2-3"


@pytest.mark.nightly
def test_where_motion_is_unwanted_nothing_moves_until_somebody_moves_it(visit: Callable, settled: Callable) -> None:
    page = visit("")
    board = page.locator(".st-key-home_board")
    board.get_by_role("button", name="the, 1 of 6").wait_for()
    assert order(page) is None
    page.get_by_role("button", name="Shuffle").click()
    page.wait_for_function("() => location.search.includes('home_order')")
    settled(page)
    assert order(page) != "0-1-2-3-4-5"


@pytest.mark.nightly
def test_a_band_is_lit_where_its_word_is_pointed_at(visit: Callable) -> None:
    page = visit("", "?home_order=5-0-1-4-2-3")
    chip = page.locator(".st-key-home_board").get_by_role("button", name="mat, 1 of 6")
    chip.hover()
    lit = page.locator(".bands path.lit")
    lit.wait_for(state="attached")
    assert lit.count() == 1
    assert page.locator(".bands path").first.evaluate("(one) => one.classList.contains('lit')"), "the first row"
    assert page.get_by_text("of 36 the same").is_visible()


def test_a_door_leads_on_wherever_it_is_pressed(visit: Callable) -> None:
    page = visit("")
    box = page.locator(".st-key-door_learning").bounding_box()
    page.mouse.click(box["x"] + 30, box["y"] + box["height"] / 2)
    page.wait_for_url("**/learning*")


@pytest.mark.nightly
def test_doors_say_all_of_their_names_and_are_of_one_height(visit: Callable) -> None:
    page = visit("", viewport={"width": 1280, "height": 720})
    doors = page.locator("[class*=st-key-door_]")
    names = doors.locator("a *")
    assert doors.count() == 3
    assert max(names.evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)")) <= 0
    assert len({door.bounding_box()["height"] for door in doors.all()}) == 1
