"""A picture is drawn in a browser: with the mouse, with a finger and with keys, and what is drawn is what is read."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import swipe, wait_until_settled
from tests.browser.screens import PHONE

BLANK = "images_picture=own&images_answer=skipped"
INK = frozenset("f")


def board_of(page: Any) -> Any:
    """The board, in the middle of the screen."""
    board = page.locator(".drawing canvas")
    board.wait_for()
    board.scroll_into_view_if_needed()
    wait_until_settled(page)
    return board


def place(board: Any, row: float, column: float) -> tuple[float, float]:
    """Where on the screen a pixel of the picture has its middle."""
    box = board.bounding_box()
    return box["x"] + (column + 0.5) * box["width"] / 16, box["y"] + (row + 0.5) * box["height"] / 16


def drawn(page: Any, done: Callable[[list[str]], bool]) -> list[str]:
    """The rows of the picture in the link, once they are as they should be."""
    rows = list[str]()
    for _ in range(400):
        digits = parse_qs(urlsplit(page.url).query).get("images_pixels", ["0" * 256])[0]
        rows = [digits[at : at + 16] for at in range(0, 256, 16)]
        if done(rows):
            break
        page.wait_for_timeout(25)
    assert done(rows), "\n".join(rows)
    wait_until_settled(page)
    return rows


def dark(rows: list[str]) -> set[tuple[int, int]]:
    return {(row, column) for row in range(16) for column in range(16) if rows[row][column] in INK}


def test_a_mouse_draws_a_line_and_erases_a_part_of_it(visit: Callable) -> None:
    page = visit("images", f"?{BLANK}")
    board = board_of(page)
    page.mouse.move(*place(board, 8, 2))
    page.mouse.down()
    page.mouse.move(*place(board, 8, 13), steps=6)
    page.mouse.up()
    line = {(8, column) for column in range(2, 14)}
    rows = drawn(page, lambda rows: dark(rows) >= line)
    assert {row for row, _ in dark(rows)} == {8}
    page.get_by_text("It is taken for").first.wait_for()
    page.get_by_role("button", name="Erase").click()
    page.mouse.move(*place(board, 8, 2))
    page.mouse.down()
    page.mouse.move(*place(board, 8, 7), steps=4)
    page.mouse.up()
    rows = drawn(page, lambda rows: not dark(rows) & {(8, column) for column in range(2, 8)})
    assert dark(rows) <= line
    assert dark(rows) >= {(8, column) for column in range(10, 14)}
    page.get_by_role("button", name="Clear").click()
    drawn(page, lambda rows: set("".join(rows)) == {"0"})


@pytest.mark.nightly
def test_a_finger_draws_and_the_page_stays_where_it_is(visit: Callable) -> None:
    page = visit("images", f"?{BLANK}", **PHONE)
    board = board_of(page)
    top = board.bounding_box()["y"]
    swipe(page, place(board, 2, 8), place(board, 13, 8))
    assert board.bounding_box()["y"] == pytest.approx(top, abs=40), "a stroke is no scroll"
    rows = drawn(page, lambda rows: dark(rows) >= {(row, 8) for row in range(2, 14)})
    assert {column for _, column in dark(rows)} == {8}


@pytest.mark.nightly
def test_keys_draw_pixel_by_pixel_and_say_where_they_are(visit: Callable) -> None:
    page = visit("images", f"?{BLANK}")
    board = board_of(page)
    board.focus()
    for key in ("ArrowUp", "Space", "ArrowLeft", "Space"):
        page.keyboard.press(key)
    said = page.locator(".drawing [role=status]")
    assert said.inner_text() == "row 8, column 8: grey 15 of 15"
    assert dark(drawn(page, lambda rows: len(dark(rows)) == 2)) == {(7, 8), (7, 7)}
    page.keyboard.press("Delete")
    assert dark(drawn(page, lambda rows: len(dark(rows)) == 1)) == {(7, 8)}
    assert page.evaluate("probe.focused()?.tagName") == "CANVAS", "the board keeps the focus through the page's runs"
