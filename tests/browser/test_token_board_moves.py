"""The token board under mouse, finger and keyboard: how chips are moved, and what that sends."""

import pytest

from tests.browser.board import PHONE, WORDS, Driven, drag
from tests.browser.conftest import swipe

pytestmark = pytest.mark.xdist_group("token board moves")


# ── Mouse ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_drag_moves_the_chip_and_sends_once_when_it_is_dropped(board):
    driven = board()
    drag(driven, 4, 1, drop=False)
    assert driven.texts() == ["the", "the", "cat", "sat", "on", "mat"]
    assert driven.held()["order"] == [0, 1, 2, 3, 4, 5]
    assert driven.frames == 0
    driven.page.mouse.up()
    driven.after({"order": [0, 4, 1, 2, 3, 5]})
    assert driven.frames == 1
    assert driven.held()["moves"] == 1
    assert driven.words() == "moved ‘the’ from 5 to 2 of 6"
    assert driven.chip(1).locator(".number").text_content() == "5"
    assert driven.focused() == "the"


def test_a_drag_goes_to_both_ends_and_outside_the_board(board):
    driven = board()
    driven.page.mouse.move(*driven.middle(2))
    driven.page.mouse.down()
    driven.page.mouse.move(4, driven.middle(0)[1] - 60, steps=12)
    assert driven.texts() == ["sat", "the", "cat", "on", "the", "mat"]
    driven.page.mouse.move(1400, driven.middle(0)[1] + 300, steps=12)
    driven.page.mouse.up()
    driven.after({"order": [0, 1, 3, 4, 5, 2]})
    assert driven.frames == 1


@pytest.mark.nightly
@pytest.mark.parametrize("width", [1440, 390])
def test_a_short_chip_passes_long_ones_without_trembling(board, width):
    driven = board(
        {"viewport": {"width": width, "height": 800}}, tokens=["a", "a rather long token", "b", "another long one"]
    )
    x, y = driven.middle(0)
    driven.page.mouse.move(x, y)
    driven.page.mouse.down()
    seen = []
    for step in range(150 if width == 1440 else 60):
        driven.page.mouse.move(x + 4 * step, y)
        seen.append(driven.texts().index("a"))
    driven.page.mouse.up()
    assert seen == sorted(seen)
    assert seen[-1] > 0


def test_a_click_a_drag_back_and_one_that_escape_ends_send_nothing(board):
    driven = board()
    driven.chip(1).click()
    drag(driven, 0, 4, drop=False)
    assert driven.texts() != WORDS
    driven.page.keyboard.press("Escape")
    assert driven.texts() == WORDS
    driven.page.mouse.up()
    driven.settle(driven.page)  # chips stand where they are said to be once they have slid there
    drag(driven, 0, 3, drop=False)
    driven.page.evaluate("dispatchEvent(new PointerEvent('pointercancel', { pointerId: 1 }))")
    assert driven.texts() == WORDS, "the browser broke it off"
    driven.page.mouse.up()
    driven.settle(driven.page)
    drag(driven, 0, 2, drop=False)
    driven.page.mouse.move(*driven.middle(0), steps=8)
    driven.page.mouse.move(driven.chip(0).bounding_box()["x"] - 20, driven.middle(0)[1], steps=8)
    driven.page.mouse.up()
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


def test_a_page_has_not_settled_while_a_chip_moves(board):
    driven = board()
    driven.chip(0).evaluate("chip => void chip.animate({ opacity: [0, 1] }, 2000)")
    driven.settle(driven.page)
    assert driven.chip(0).evaluate("chip => chip.getAnimations().length") == 0


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_chips_slide_to_their_places_unless_stillness_is_asked_for(board, motion, moves):
    driven = board({"reduced_motion": motion})
    slid = driven.tool("Reverse").evaluate(
        """tool => {
            const [slid, animate] = [[], Element.prototype.animate]
            Element.prototype.animate = function (...given) {
                if (this.matches(".slot")) slid.push(this)
                return animate.apply(this, given)
            }
            tool.click()
            Element.prototype.animate = animate
            return slid.length
        }"""
    )
    assert (slid > 0) == moves
    assert driven.texts() == WORDS[::-1]


# ── Finger ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_finger_drags_a_chip_along_its_row_and_then_anywhere(board):
    driven = board(PHONE, long="yes")
    x, y = driven.middle(0)
    swipe(driven.page, (x, y), driven.middle(2), (driven.middle(5)[0] + 30, driven.middle(5)[1]))
    driven.after({"order": [1, 2, 3, 4, 5, 0]})
    assert driven.frames == 1
    assert driven.focused() == "the"
    assert driven.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_a_finger_that_has_rested_on_a_chip_drags_it_straight_to_the_next_row(board):
    driven = board(PHONE, long="yes")
    box = driven.chip(0).locator(".text").bounding_box()
    start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    swipe(driven.page, start, (start[0], driven.middle(5)[1]), rest_ms=400)
    driven.after({"moves": 1})
    assert driven.held()["order"].index(0) >= 3
    assert driven.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


@pytest.mark.parametrize("begun", [".chip .text", ".words"], ids=["on a chip", "beside the chips"])
def test_a_finger_that_moves_up_scrolls_the_page(board, begun):
    driven = board(PHONE, long="yes")
    box = driven.page.locator(begun).last.bounding_box()
    x, y = box["x"] + 8, box["y"] + box["height"] / 2
    swipe(driven.page, (x, y), (x + 5, y), (x + 5, y - 120))  # it trembles first
    driven.page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 40")
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


# ── Keyboard, and the tools ───────────────────────────────────────────────────────────────────────────────────


def test_keys_grab_move_and_drop_and_the_page_hears_only_the_others(board):
    driven = board()
    driven.page.evaluate(
        "() => { window.keys = []; addEventListener('keydown', (event) => window.keys.push(event.key)) }"
    )
    driven.chip(0).focus()
    for key in ("ArrowRight", "ArrowRight", "Space"):
        driven.page.keyboard.press(key)
    assert driven.words().startswith("grabbed ‘sat’, 3 of 6")
    assert driven.page.evaluate("getComputedStyle(probe.focused()).outlineStyle") == "solid", "the focus is seen"
    driven.page.keyboard.press("Home")
    assert driven.texts()[0] == "sat"
    assert driven.frames == 0
    driven.page.keyboard.press("Space")
    driven.after({"order": [2, 0, 1, 3, 4, 5]})
    assert driven.words() == "moved ‘sat’ from 3 to 1 of 6"
    assert driven.focused() == "sat"
    driven.page.keyboard.press("Alt+ArrowRight")
    driven.after({"order": [0, 2, 1, 3, 4, 5]})
    assert driven.focused() == "sat"
    for key in ("Space", "End", "Tab"):  # who walks away lets go
        driven.page.keyboard.press(key)
    assert driven.page.evaluate("document.activeElement.innerText") == "Put back"
    assert driven.words() == "‘sat’ stays at 2 of 6"
    driven.page.keyboard.press("Shift+Tab")
    assert driven.focused() == "sat", "the chips are one stop"
    for key in ("PageDown", "PageUp"):
        driven.page.keyboard.press(key)
    assert driven.frames == 2
    ours = "keys.filter((key) => !/Alt|Shift|Tab/.test(key))"
    assert driven.page.evaluate(ours) == ["PageDown", "PageUp"]


def test_a_tool_reorders_with_one_message_restore_undoes_it(board):
    driven = board()
    driven.chip(0).focus()
    driven.page.keyboard.press("Alt+ArrowRight")
    driven.after({"order": [1, 0, 2, 3, 4, 5]})
    for count, (name, order) in enumerate((("Reverse", [5, 4, 3, 2, 0, 1]), ("Restore", [*range(6)])), 2):
        driven.tool(name).click()
        driven.after({"order": order})
        assert driven.texts() == [WORDS[index] for index in order]
        assert driven.frames == count


def test_one_token_has_nothing_to_reorder(board):
    driven = board(tokens=["only"])
    for name in ("Shuffle", "Reverse", "Restore"):
        assert driven.tool(name).get_attribute("aria-disabled") == "true"
        driven.tool(name).click(force=True)
    driven.settle(driven.page)
    assert driven.frames == 0


# ── Many tokens ───────────────────────────────────────────────────────────────────────────────────────────────


def is_in_sight(driven: Driven, position: int) -> bool:
    """Whether a chip stands within what is seen of the board."""
    chip, seen = driven.chip(position).bounding_box(), driven.page.locator(".board .chips").bounding_box()
    return seen["y"] <= chip["y"] and chip["y"] + chip["height"] <= seen["y"] + seen["height"]


@pytest.mark.nightly
def test_many_tokens_scroll_within_the_board_and_the_one_that_moves_stays_in_sight(board):
    tokens = [f"word{at}" for at in range(60)]
    driven = board({"viewport": {"width": 800, "height": 780}}, tokens=tokens)
    assert driven.page.locator(".board").bounding_box()["height"] < 260
    assert not is_in_sight(driven, 59)
    driven.chip(0).focus()
    driven.page.keyboard.press("End")
    assert is_in_sight(driven, 59)
    driven.page.keyboard.press("Home")
    for key in (" ", *["ArrowRight"] * 40, " "):
        driven.page.keyboard.press(key)
    moved = [*range(1, 41), 0, *range(41, 60)]
    driven.after({"order": moved})
    assert is_in_sight(driven, 40)
    drag(driven, 40, 41)
    driven.after({"order": [*range(1, 42), 0, *range(42, 60)]})
