"""Whoever moves something on a phone, pins a picture or opens another page sees what it does."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator

from tests.browser.conftest import answer, sideways
from tests.browser.locators import CLAIM, FIGURE, FINDING, MAIN, PANEL, PLOT, RANGE, SIDEBAR
from tests.browser.looks import check_words
from tests.browser.screens import PHONE


@pytest.mark.nightly
def test_a_phones_own_buttons_are_large_enough_and_code_can_be_read(visit: Callable, settled: Callable) -> None:
    page = visit("complexity", **PHONE)
    sizes = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    assert min(page.locator(".st-key-why code").evaluate_all(sizes)) >= 12
    answer(page, "A shorter one")
    for button in ("stExpandSidebarButton", "stMainMenuButton"):
        box = page.get_by_test_id(button).bounding_box()
        assert min(box["width"], box["height"]) >= 44
        title = page.locator("h1").bounding_box()
        assert box["x"] + box["width"] <= title["x"] or box["x"] >= title["x"] + title["width"]
    again = page.get_by_role("button", name="Ask again").locator("p")
    assert abs(again.bounding_box()["x"] - page.locator(CLAIM).bounding_box()["x"]) < 2
    page.get_by_test_id("stExpandSidebarButton").tap()
    settled(page)
    links = page.get_by_test_id("stSidebarNavLink")
    assert links.count() > 10
    assert [one.inner_text() for one in links.all() if one.bounding_box()["height"] < 44] == []


def test_a_second_look_stands_below_and_follows_the_slider_and_what_is_pointed_at(
    visit: Callable, settled: Callable
) -> None:
    page = visit("scaling", viewport={"width": 1440, "height": 780})
    titles = page.locator(f"{PANEL} .title").all_inner_texts()
    assert titles == ["1 The scores spread", "2 softmax picks a winner", "3 and the gradient?"], "cause and effect"
    second = page.locator(".second canvas")
    assert second.count() == 4, "scores one by one and the Jacobian, with both factors"
    before = second.first.evaluate("(one) => one.toDataURL()")
    page.locator(RANGE).focus()
    page.keyboard.press("End")
    settled(page)
    assert second.first.evaluate("(one) => one.toDataURL()") != before
    other = visit("permutation", "?permutation_undone=true", viewport={"width": 1024, "height": 600})
    undone = other.locator(".second canvas").first
    before = undone.evaluate("(one) => one.toDataURL()")
    other.locator(".board .chip").first.hover()
    settled(other)
    assert undone.evaluate("(one) => one.toDataURL()") != before


def test_a_pinned_picture_is_a_swipe_away_on_a_phone_and_as_large_as_the_other_on_a_laptop(
    visit: Callable, settled: Callable
) -> None:
    page = visit("permutation", **PHONE)
    assert page.locator(".st-key-boards").evaluate("(one) => one.scrollWidth - one.clientWidth") == 0, "one board"
    page.get_by_role("button", name="Pin").filter(visible=True).tap()
    page.get_by_text("Pinned", exact=True).wait_for()
    settled(page)
    assert page.locator(".st-key-pair").evaluate("(one) => one.scrollWidth > 1.5 * one.clientWidth")
    assert sideways(page) == 0
    now, pinned = page.locator(".st-key-pair .front").all()
    assert now.bounding_box()["width"] > 300
    assert pinned.bounding_box()["x"] > 300
    assert min(page.evaluate("probe.cells(6)")) >= 24
    check_words(page, 12)
    page.set_viewport_size({"width": 1440, "height": 780})
    settled(page)
    assert len(set(page.evaluate("probe.cells(6)"))) == 1
    tops = [one.bounding_box()["y"] for one in page.locator(".st-key-pair canvas").all()]
    assert max(tops) - min(tops) < 1


@pytest.mark.nightly
def test_a_page_chosen_on_a_phone_is_seen(visit: Callable, settled: Callable) -> None:
    page = visit("scaling", **PHONE)
    page.locator("[data-testid=stExpandSidebarButton]").tap()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Biases").tap()
    page.wait_for_url("**/biases")
    settled(page)
    box = page.locator(SIDEBAR).bounding_box()
    assert box["x"] + box["width"] <= 0


@pytest.mark.nightly
@pytest.mark.parametrize("window", [PHONE["viewport"], {"width": 1366, "height": 768}])
def test_words_that_scroll_under_a_pinned_picture_fade_out_and_leave_no_trace(
    window: dict[str, int], visit: Callable, settled: Callable
) -> None:
    page = visit("normalization", "?normalization_answer=skipped", viewport=window)
    figure, words = page.locator(FIGURE), page.locator(f"{FINDING} p").first

    def below(high: int) -> np.ndarray:
        box = figure.bounding_box()
        place = {"x": box["x"], "y": np.ceil(box["y"] + box["height"]) - 1, "width": 300, "height": high}
        return np.asarray(Image.open(io.BytesIO(page.screenshot(clip=place))).convert("L")).astype(int)

    def scroll(by: float) -> None:
        page.locator(MAIN).evaluate("(one, by) => one.scrollBy({ top: by, behavior: 'instant' })", by)
        settled(page)

    before = below(12)
    scroll(figure.bounding_box()["y"])
    edge, line = figure.bounding_box(), words.bounding_box()
    scroll(line["y"] + 8 - edge["y"] - edge["height"])  # their first line is cut by the edge
    paper, hairline = 255, 213
    assert below(4).min() >= hairline - 5, "nothing dark just below the edge"
    assert below(80).min() < paper - 100, "and words further down"
    scroll(-4000)
    assert abs(below(12) - before).max() <= 2


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["permutation", "receptive_field", "scaling"])
def test_a_phone_held_sideways_shows_the_page_and_pictures_that_can_be_read(
    name: str, visit: Callable, settled: Callable
) -> None:
    low = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}
    page = visit(name, f"?{name}_answer=skipped", **low)
    assert page.locator(SIDEBAR).bounding_box()["x"] < 0
    assert all(each >= 18 for each in page.evaluate("probe.cells(6)"))
    assert all(each >= 120 for each in page.evaluate("probe.charts()"))
    page.locator(MAIN).evaluate("(one) => one.scrollTo({ top: 2000, behavior: 'instant' })")
    settled(page)
    assert page.locator(FIGURE).bounding_box()["y"] < -100, "it does not stay over what it leaves no room for"


@pytest.mark.nightly
def test_terms_of_a_sum_have_cells_of_one_size(visit: Callable) -> None:
    page = visit("biases")
    plots = page.locator(f"{PLOT}[data-cell]")
    places = plots.locator("canvas").evaluate_all("all => all.map((one) => one.getBoundingClientRect().bottom)")
    assert plots.count() == 6
    assert len(set(plots.evaluate_all("all => all.map((one) => one.dataset.cell)"))) == 1
    assert max(places) - min(places) < 1, "a row stands beside itself"


@pytest.mark.nightly
def test_the_question_and_the_presets_share_a_line_and_without_one_they_have_it_alone(
    visit: Callable, settled: Callable
) -> None:
    page = visit("masks", viewport={"width": 1440, "height": 780})
    asks, first, stage = (
        page.locator(one) for one in (".st-key-predict_strip button", ".st-key-presets [role=radio]", ".st-key-stage")
    )

    def place(one: Locator) -> dict[str, float]:
        return one.first.bounding_box()

    assert place(asks)["x"] == pytest.approx(place(stage)["x"], abs=2)
    assert place(first)["x"] >= place(asks)["x"] + place(asks)["width"] + 8
    assert abs(place(first)["y"] - place(asks)["y"]) < place(asks)["height"]
    answer(page, "Stay exactly")
    assert place(first)["y"] >= page.get_by_text("You said").bounding_box()["y"] + 16, "what came has its line"
    first.nth(2).click()  # neither what was asked of nor the move: nothing is said of the answer
    page.get_by_text("You said").wait_for(state="detached")
    settled(page)
    assert place(first)["x"] == pytest.approx(place(stage)["x"], abs=2)
