"""A page works by keyboard alone, its code can be copied over plain HTTP, and a lesson is the same page elsewhere."""

import re
from collections.abc import Callable
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from attention_core.claims import statement
from tests.browser.locators import FINDING, MAIN

FOCUSED = """() => {
  const focused = probe.focused();
  return (focused?.innerText || focused?.getAttribute("aria-label") || "").trim();
}"""


@pytest.mark.slow
def test_a_lesson_made_in_one_browser_shows_the_same_fixed_page_in_another(
    visit: Callable, settled: Callable, open_page: Callable
) -> None:
    teacher = visit("permutation", "?permutation_positions=sinusoidal&permutation_tab=share")
    teacher.get_by_text("Make a lesson of it").click()
    settled(teacher)  # the box has opened: a list that still moves takes no click
    choice = teacher.get_by_role("combobox", name=re.compile("drawn as their value"))
    choice.click()
    choice.fill("Positions")
    settled(teacher)
    teacher.get_by_role("option", name="Positions", exact=True).click()
    teacher.locator("[data-tag]").get_by_text("Positions", exact=True).wait_for()
    settled(teacher)
    note = teacher.get_by_label("A note to the class")
    note.fill("What moves?")
    note.press("Enter")
    settled(teacher)
    address = next(text for text in teacher.locator("[data-testid=stCode]").all_inner_texts() if "course=" in text)
    student = open_page()
    student.goto(address.strip())
    student.wait_for_selector("canvas")
    settled(student)
    text = student.locator(MAIN).inner_text()
    assert "What moves?" in text
    assert "Positions: sinusoidal" in text
    assert student.get_by_label("Positions", exact=True).count() == 0
    assert f"{statement('perm-self')} does not hold" in student.locator(FINDING).inner_text()


def test_copying_works_over_plain_http(visit: Callable, settled: Callable) -> None:
    page = visit("permutation", "?permutation_tab=code")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate(
        "document.addEventListener('copy', () => { window.copied = document.activeElement.value ?? window.copied; })"
    )
    button = page.get_by_role("button", name="Copy the code").last
    button.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("window.copied").startswith("import hashlib")


@pytest.mark.slow
def test_a_figure_saved_as_svg_is_xml_whatever_the_tokens_are(visit: Callable) -> None:
    page = visit("permutation", "?permutation_tab=data&permutation_tokens=" + quote("a\uffff \ufffe <b> %{z}"))
    page.wait_for_selector(".js-plotly-plot .main-svg")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG", exact=True).click()
    drawn = ElementTree.parse(download.value.path())
    words = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a\ufffd", "\ufffd", "<b>", "%{z}"} <= set(words)


def test_the_page_works_by_keyboard_alone(visit: Callable, settled: Callable) -> None:
    page = visit("permutation")
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    for wanted in ("The same", "Shuffle all", "Reset", "Pin"):
        assert any(text.endswith(wanted) for text in reached), wanted
    assert any("rows" in text for text in reached), "the matrices can be reached"
    assert any(text == "Why" for text in reached)
    page.get_by_role("radio", name="The same", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == "The same rows, in the new order"
    page.keyboard.press("Enter")
    page.get_by_text("You said The same rows, in the new order").wait_for()
