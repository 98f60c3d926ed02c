"""What the frame has around a picture stays where it is, whole and in reach, whatever is chosen."""

from collections.abc import Callable

import pytest

from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES, TEST
from tests.browser.conftest import barriers, close_drawer, open_drawer, open_question
from tests.browser.locators import ALERT, CLAIM, CONTROLS, FINDING, MAIN, POPOVER, RANGE, SIDEBAR
from tests.browser.screens import LAPTOP
from tests.sweeps import some_by_day

# How far the ring around what has the focus reaches.
RING = """(one) => {
  const { outlineOffset, outlineWidth } = getComputedStyle(one);
  return parseFloat(outlineOffset) + parseFloat(outlineWidth);
}"""


@pytest.mark.parametrize(("name", "query"), some_by_day([("scaling", ""), ("anatomy", "&anatomy_step=softmax")]))
def test_the_whole_finding_is_read_with_the_picture_in_sight(
    name: str, query: str, visit: Callable, settled: Callable
) -> None:
    page = visit(name, f"?{name}_answer=skipped{query}", **LAPTOP)
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


@pytest.mark.nightly
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
    assert links.count() == len(PAGES) + len((HOME, LEDGER, COURSE, TEST))
    last = links.last.bounding_box()
    assert last["y"] + last["height"] <= LAPTOP["viewport"]["height"]


@pytest.mark.nightly
def test_what_may_be_typed_is_not_said_on_what_is_typed(visit: Callable) -> None:
    page = visit("permutation", **LAPTOP)
    open_drawer(page)
    field = page.get_by_label("Sentence", exact=True)
    field.fill("word " * 81 + "last")
    box, said = field.bounding_box(), page.get_by_test_id("InputInstructions").bounding_box()
    assert said["y"] >= box["y"] + box["height"]


def test_the_drawer_is_filled_as_it_opens_and_what_is_wrong_with_words_stays_in_sight(
    visit: Callable, settled: Callable
) -> None:
    page = visit("masks", "?masks_stack=encoder-decoder&masks_answer=skipped", **LAPTOP)
    drawer, told = page.locator(CONTROLS), page.locator(ALERT).filter(has_text="1 to 6 sentences")
    assert drawer.locator("input, button").count() == 0, "each would cost every press its time"
    open_drawer(page)
    field = page.get_by_role("textbox", name="Targets")
    field.fill(" | ".join("abcdefg"))
    field.press("Enter")
    settled(page)
    assert drawer.locator(ALERT).count() == told.count() == 1
    close_drawer(page)
    assert (drawer.locator(ALERT).count(), told.count()) == (0, 1)
    open_drawer(page)
    assert drawer.locator(ALERT).count() == told.count() == 1
    assert field.input_value() == " | ".join("abcdefg")


@pytest.mark.nightly
def test_a_chosen_course_is_seen(visit: Callable, settled: Callable) -> None:
    page = visit("claims", **LAPTOP)
    page.get_by_role("link", name="Course").click()
    settled(page)
    page.locator("[class*=course_card_order]").get_by_role("button", name="Begin with it").click()
    settled(page)
    page.get_by_role("button", name="Start from a ready-made course").click()
    settled(page)  # it can be closed from the server once the server knows that it is open
    page.locator("[class*=course_card_interview]").get_by_role("button", name="Begin with it").click()
    page.get_by_test_id("stPopoverBody").wait_for(state="detached")
    settled(page)
    assert page.get_by_label("Title").first.input_value() == "What an interviewer asks"
    assert page.locator(SIDEBAR).bounding_box()["x"] == 0, "a page chosen on a laptop leaves the sidebar open"


@pytest.mark.nightly
def test_options_in_a_row_are_whole_and_an_open_button_can_be_read_on_a_dark_page(
    visit: Callable, settled: Callable
) -> None:
    page = visit("variants", "?variants_answer=skipped", viewport={"width": 1366, "height": 768}, color_scheme="dark")
    page.get_by_role("radio", name="bytes", exact=True).click()
    settled(page)
    options = page.locator(".st-key-asked [data-variant=segmented_control]")
    borders = "all => all.map((one) => getComputedStyle(one).borderLeftColor)"
    assert "rgba(0, 0, 0, 0)" not in options.evaluate_all(borders)
    page.get_by_role("button", name="Glossary").click()
    settled(page)
    assert [one for one in barriers(page, "color-contrast") if "Popover" in one[1] or "Glossary" in one[1]] == []
    label = page.get_by_test_id("stPopoverButton").first.locator("p")
    assert (
        label.evaluate("(one) => getComputedStyle(one).color") == "rgb(143, 127, 240)"
    )  # the accent, in config.toml


def test_on_a_phone_answers_are_as_high_as_fingers_and_more_is_seen_to_be_there(
    visit: Callable, settled: Callable
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = visit("anatomy", **phone)
    page.locator(MAIN).evaluate("(one) => one.scrollTo({ top: 30, behavior: 'instant' })")
    settled(page)
    menu, claim = page.get_by_test_id("stMainMenuButton").bounding_box(), page.locator(CLAIM).bounding_box()
    assert menu["y"] + menu["height"] <= claim["y"] + 6, "what stands beside the title goes with it"
    open_question(page)
    answers = page.locator(f"{POPOVER} [role=radio]").all()
    assert min(one.bounding_box()["height"] for one in answers) >= 44
    other = visit("anatomy", "?anatomy_answer=skipped", **phone)
    strip = other.locator(".st-key-figure [role=radiogroup]")
    faded = "(one) => ['--less', '--more'].map((side) => parseFloat(getComputedStyle(one).getPropertyValue(side)))"
    assert strip.evaluate(faded) == [0, 40]
    strip.evaluate("(one) => { one.scrollLeft = one.scrollWidth }")
    settled(other)
    assert strip.evaluate(faded) == [40, 0]


@pytest.mark.parametrize(("page", "label"), some_by_day([("masks", ""), ("masks", "Glossary"), ("", "Join a class")]))
def test_a_press_on_a_link_beside_an_open_box_closes_it_and_the_next_one_goes(
    page: str, label: str, visit: Callable, settled: Callable
) -> None:
    """At once they would be two runs, and the second would draw the page that was left."""
    here = visit(page)
    button = here.locator(".st-key-add_step button") if not label else here.get_by_role("button", name=label)
    link = here.locator("[data-testid=stSidebarNav]").get_by_role("link", name="Scaling", exact=True)
    spot = link.bounding_box()
    failed: list[str] = []
    here.on("pageerror", lambda error: failed.append(str(error)))
    for _ in range(3):
        button.click()
        opened = here.locator("[data-testid=stPopoverBody]")
        opened.wait_for()
        settled(here)
        here.mouse.click(spot["x"] + 30, spot["y"] + spot["height"] / 2)
        opened.wait_for(state="hidden")
        settled(here)
        assert "scaling" not in here.url
    link.click()
    here.get_by_role("heading", name="Scaling", exact=True).wait_for()
    assert failed == []
