"""A page works by keyboard alone, its code can be copied over plain HTTP, and a figure is saved as it is drawn."""

from collections.abc import Callable
from urllib.parse import quote
from xml.etree import ElementTree

from tests.browser.conftest import open_drawer
from tests.browser.locators import POPOVER

FOCUSED = """() => {
  const focused = probe.focused();
  return (focused?.innerText || focused?.getAttribute("aria-label") || "").trim();
}"""


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
    assert page.evaluate(FOCUSED) == "Copied", "the focus is where it was"
    page.evaluate("document.execCommand = () => false")
    button.click()
    page.get_by_role("button", name="Copying is blocked here").wait_for()


def test_a_figure_saved_as_svg_is_xml_whatever_the_tokens_are(visit: Callable) -> None:
    page = visit("permutation", "?permutation_tab=data&permutation_tokens=" + quote("a\uffff \ufffe <b> %{z}"))
    page.wait_for_selector("canvas")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG", exact=True).click()
    drawn = ElementTree.parse(download.value.path())
    words = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a\ufffd", "\ufffd", "<b>", "%{z}"} <= set(words)


def test_the_page_works_by_keyboard_alone(visit: Callable, settled: Callable) -> None:
    page = visit("permutation")
    open_drawer(page)
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    for wanted in ("Predict", "Shuffle all", "Break it: add positions", "Reset", "Pin"):
        assert any(wanted in text.splitlines() for text in reached), wanted
    assert any("rows" in text for text in reached), "the matrices can be reached"
    assert any(text == "Why" for text in reached)
    page.get_by_role("button", name="Predict", exact=True).focus()
    page.keyboard.press("Enter")
    page.locator(POPOVER).get_by_role("radio", name="The same", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == "The same rows, in the new order"
    page.keyboard.press("Enter")
    page.get_by_text("You said The same rows, in the new order").wait_for()
