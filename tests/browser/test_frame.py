"""What the frame has around a picture stays where it is, whole and in reach, whatever is chosen."""

from collections.abc import Callable

import pytest

from pages._shared.registry import COURSE, HOME, LEDGER, PAGES
from tests.browser.test_stage import IN_SIGHT

NAMES = [page.name for page in PAGES]
LAPTOP = {"width": 1440, "height": 780}
# How much of each preset's button can be hit where it stands, in percent.
REACHED = """() => [...document.querySelectorAll(".st-key-presets [data-testid=stButtonGroup] button")].map((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const points = [0.1, 0.5, 0.9].map((at) => document.elementFromPoint(left + at * width, top + height / 2));
  return points.every((point) => one.contains(point));
})"""
# How far the ring around what has the focus reaches.
RING = """(one) => {
  const { outlineOffset, outlineWidth } = getComputedStyle(one);
  return parseFloat(outlineOffset) + parseFloat(outlineWidth);
}"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_a_preset_hides_no_other_and_moves_nothing(
    name: str, visit: Callable, settled: Callable
) -> None:
    page = visit(name, f"?{name}_answer=skipped", viewport=LAPTOP)
    buttons, remark = (
        page.locator(".st-key-presets [data-testid=stButtonGroup] button"),
        page.locator(".st-key-presets [data-testid=stMarkdown] p"),
    )
    tops = set()
    for preset in range(buttons.count()):
        buttons.nth(preset).click()
        settled(page)
        assert all(page.evaluate(REACHED))
        said, row = remark.bounding_box(), page.locator(".st-key-presets").bounding_box()
        assert said["x"] + said["width"] <= row["x"] + row["width"]
        tops.add(page.locator(".st-key-figure").bounding_box()["y"])
    assert len(tops) == 1
    assert buttons.count() >= 3


@pytest.mark.parametrize("name", ["scaling", "anatomy"])
def test_the_whole_finding_is_read_with_the_picture_in_sight(name: str, visit: Callable, settled: Callable) -> None:
    page = visit(name, f"?{name}_answer=skipped", viewport=LAPTOP)
    finding, end = page.locator(".st-key-finding"), page.locator(".st-key-finding [data-testid=stExpander]")
    assert finding.evaluate("(one) => one.parentElement.scrollHeight - one.parentElement.clientHeight") <= 1
    end.locator("summary").click()
    settled(page)
    last = end.locator("code").last
    last.evaluate("(one) => one.scrollIntoView({ block: 'end' })")
    settled(page)
    assert page.evaluate(IN_SIGHT) >= 95
    box = last.bounding_box()
    hit = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.st-key-finding'))"
    assert page.evaluate(hit, [box["x"] + 2, box["y"] + box["height"] - 4]), "nothing lies on it"


def test_the_ring_of_a_focused_slider_leaves_its_label_alone(visit: Callable, settled: Callable) -> None:
    page = visit("scaling", viewport=LAPTOP)
    slider = page.locator(".st-key-figure input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    settled(page)
    ring = slider.evaluate(RING)
    label = page.locator(".st-key-figure .sweep label").bounding_box()
    assert ring > 0
    assert slider.bounding_box()["y"] - ring >= label["y"] + label["height"]


def test_every_page_is_in_sight_in_the_navigation(visit: Callable) -> None:
    page = visit("scaling", viewport=LAPTOP)
    links = page.get_by_test_id("stSidebarNavLink")
    assert links.count() == len(PAGES) + len((HOME, LEDGER, COURSE))
    last = links.last.bounding_box()
    assert last["y"] + last["height"] <= LAPTOP["height"]


def test_what_may_be_typed_is_not_said_on_what_is_typed(visit: Callable) -> None:
    page = visit("permutation", viewport=LAPTOP)
    field = page.get_by_label("Sentence", exact=True)
    field.fill("word " * 81 + "last")
    box, said = field.bounding_box(), page.get_by_test_id("InputInstructions").bounding_box()
    assert said["y"] >= box["y"] + box["height"]


def test_a_chosen_course_is_seen(visit: Callable, settled: Callable) -> None:
    page = visit("claims", viewport=LAPTOP)
    page.get_by_role("link", name="Course").click()
    page.get_by_role("button", name="Begin with another").click()
    page.get_by_role("button", name="What an interviewer asks").click()
    page.get_by_test_id("stPopoverBody").wait_for(state="detached")
    settled(page)
    assert page.get_by_label("Title").first.input_value() == "What an interviewer asks"
