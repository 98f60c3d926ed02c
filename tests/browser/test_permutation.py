"""The permutation page under the hand: a chip is dragged or moved by keys, and everything on the page follows."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import open_drawer, pictures_of
from tests.browser.locators import CANVAS, FIGURE
from tests.sweeps import some_by_day

# Every way in which the picture's canvases were placed, asked after each task that changed anything.
PLACES = """() => {
  window.places = new Set();
  const look = () => places.add(probe.canvases()[0].style.cssText);  // the picture's
  look();
  probe.onChange(look);
}"""


def chip(page: Any, position: int) -> Any:
    return page.locator(".board").first.locator(".slot > .chip").nth(position)


def words(page: Any) -> list[str]:
    return page.locator(".board").first.locator(".text").all_text_contents()


def wait_for_link(page: Any, part: str, settled: Callable) -> None:
    page.wait_for_function("part => location.search.includes(part)", arg=part)
    settled(page)


def test_a_dragged_chip_changes_picture_link_and_words_in_one_message(visit: Callable, settled: Callable) -> None:
    page = visit("permutation", "?permutation_order=0-1-2-3-4-5&permutation_positions=rotary")
    pictures, why = pictures_of(page), page.locator("[role=tabpanel]").inner_text()
    start, end = chip(page, 4).bounding_box(), chip(page, 1).bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=12)
    assert page.sent == []
    page.mouse.up()
    wait_for_link(page, "permutation_order=0-4-1-2-3-5", settled)
    assert len(page.sent) == 1
    assert words(page) == ["the", "a", "cat", "sat", "on", "mat"]
    same = [a == b for a, b in zip(pictures, pictures_of(page), strict=True)]
    assert same[:2] == [True, False], "only what stood there before the shuffle stays"
    assert all(same[2:]), "this shuffle is one of all orders, and those stay"
    assert page.locator("[role=tabpanel]").inner_text() != why


@pytest.mark.nightly
def test_board_and_picture_stay_and_are_placed_once_when_a_second_board_comes_and_goes(
    visit: Callable, settled: Callable
) -> None:
    page = visit("permutation")
    board, picture = page.locator(".st-key-boards .board"), page.locator(CANVAS).first
    stood = [board.first.element_handle(), picture.element_handle()]
    settled(page)
    page.evaluate(PLACES)
    for preset, boards in (("Keys and values only", 2), ("Shuffle all", 1)):
        page.locator(".st-key-presets button", has_text=preset).click()
        settled(page)
        assert board.count() == boards, preset
        assert all(one.evaluate("one => one.isConnected") for one in stood), preset
        assert page.evaluate("places.size") == 2, page.evaluate("[...places]")


def test_chips_and_matrices_light_each_other(visit: Callable, settled: Callable) -> None:
    page = visit("permutation", "?permutation_order=2-0-1-3-4-5")
    dark = pictures_of(page)
    chip(page, 0).hover()
    settled(page)
    assert pictures_of(page) != dark
    page.mouse.move(5, 5)
    settled(page)
    box = page.locator("canvas").first.bounding_box()
    lit = page.locator(".board .lit-query, .board .lit-key")
    assert lit.count() == 0
    page.mouse.move(box["x"] + box["width"] * 0.16, box["y"] + box["height"] * 0.5)
    lit.first.wait_for()


@pytest.mark.nightly
def test_reset_puts_the_board_back(visit: Callable, settled: Callable) -> None:
    page = visit("permutation")
    before = json.dumps(words(page))
    lit = page.locator(".st-key-presets [aria-checked=true]")
    assert lit.all_inner_texts() == ["Shuffle all"]
    page.locator("[name=Reverse]").first.click()
    wait_for_link(page, "permutation_order", settled)
    assert lit.count() == 0, "an order by hand is no preset's"
    open_drawer(page)
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_function("() => !location.search.includes('permutation_order')")
    settled(page)
    assert json.dumps(words(page)) == before
    assert lit.all_inner_texts() == ["Shuffle all"]


@pytest.mark.nightly
def test_the_picture_of_many_tokens_is_in_the_window(visit: Callable) -> None:
    tokens = "+".join(f"word{at}" for at in range(60))
    page = visit(
        "permutation", f"?permutation_tokens={tokens}&permutation_answer=skipped",
        viewport={"width": 1440, "height": 780},
    )  # fmt: skip
    figure = page.locator(FIGURE).bounding_box()
    assert figure["y"] + figure["height"] <= 780
    canvases = page.locator(CANVAS)
    assert min(one.bounding_box()["height"] for one in canvases.all()) > 150


@pytest.mark.parametrize(("positions", "follows"), some_by_day([("none", True), ("rotary", False)]))
def test_while_a_chip_is_held_the_matrix_follows_where_order_alone_changes(
    positions: str, follows: bool, visit: Callable, settled: Callable
) -> None:
    page = visit("permutation", f"?permutation_order=0-1-2-3-4-5&permutation_positions={positions}")
    before = pictures_of(page)[:4]
    start, end = chip(page, 4).bounding_box(), chip(page, 1).bounding_box()
    middle = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=12)
    held = pictures_of(page)[:4]
    assert [now != was for now, was in zip(held, before, strict=True)] == [False, follows, False, False]
    page.keyboard.press("Escape")
    page.mouse.up()
    page.locator("h1").click()  # a chip that has the focus is lit
    assert pictures_of(page)[:4] == before, "nothing has happened"
    assert page.sent == []
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=12)
    page.mouse.up()
    wait_for_link(page, "permutation_order=0-4-1-2-3-5", settled)
    page.locator("h1").click()
    assert (pictures_of(page)[1] == held[1]) == follows, "what it showed is what the server says"
