"""What the frame has around a picture stays where it is, whole and in reach, whatever is chosen."""

from collections.abc import Callable

import pytest

from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES
from tests.browser.locators import FINDING, RANGE
from tests.browser.test_tours import LAPTOP

# How far the ring around what has the focus reaches.
RING = """(one) => {
  const { outlineOffset, outlineWidth } = getComputedStyle(one);
  return parseFloat(outlineOffset) + parseFloat(outlineWidth);
}"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scaling", "anatomy"])
def test_the_whole_finding_is_read_with_the_picture_in_sight(name: str, visit: Callable, settled: Callable) -> None:
    page = visit(name, f"?{name}_answer=skipped&anatomy_step=softmax", **LAPTOP)
    finding, end = page.locator(FINDING), page.locator(".st-key-finding [data-testid=stExpander]")
    assert finding.evaluate("(one) => one.parentElement.scrollHeight - one.parentElement.clientHeight") <= 1
    end.locator("summary").click()
    settled(page)
    last = end.locator("code").last
    last.evaluate("(one) => one.scrollIntoView({ block: 'end' })")
    settled(page)
    assert page.evaluate("probe.inSight()") >= 95
    box = last.bounding_box()
    hit = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.st-key-finding'))"
    assert page.evaluate(hit, [box["x"] + 2, box["y"] + box["height"] - 4]), "nothing lies on it"


def test_a_focused_slider_leaves_its_label_alone_and_the_navigation_shows_all_pages(
    visit: Callable, settled: Callable
) -> None:
    page = visit("scaling", **LAPTOP)
    slider = page.locator(RANGE)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    settled(page)
    ring = slider.evaluate(RING)
    label = page.locator(".st-key-figure .sweep label").bounding_box()
    assert ring > 0
    assert slider.bounding_box()["y"] - ring >= label["y"] + label["height"]
    links = page.get_by_test_id("stSidebarNavLink")
    assert links.count() == len(PAGES) + len((HOME, LEDGER, COURSE))
    last = links.last.bounding_box()
    assert last["y"] + last["height"] <= LAPTOP["viewport"]["height"]


def test_what_may_be_typed_is_not_said_on_what_is_typed(visit: Callable) -> None:
    page = visit("permutation", **LAPTOP)
    field = page.get_by_label("Sentence", exact=True)
    field.fill("word " * 81 + "last")
    box, said = field.bounding_box(), page.get_by_test_id("InputInstructions").bounding_box()
    assert said["y"] >= box["y"] + box["height"]


@pytest.mark.slow
def test_a_chosen_course_is_seen(visit: Callable, settled: Callable) -> None:
    page = visit("claims", **LAPTOP)
    page.get_by_role("link", name="Course").click()
    settled(page)
    page.get_by_role("button", name="Start from a ready-made course").click()
    settled(page)  # it can be closed from the server once the server knows that it is open
    page.get_by_role("button", name="What an interviewer asks").click()
    page.get_by_test_id("stPopoverBody").wait_for(state="detached")
    settled(page)
    assert page.get_by_label("Title").first.input_value() == "What an interviewer asks"
