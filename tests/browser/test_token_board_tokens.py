"""The token board's tokens, edited, added and removed in place, and its toolbar."""

import pytest

from tests.browser.board import WORDS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("token board tokens")]


# ── Tokens ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_token_is_edited_in_place_and_sent_on_enter_only(board):
    driven, old = board(), "cat"
    for count, (way, new) in enumerate((("dblclick", "dog"), ("Enter", "cow"), ("F2", "pig"))):
        if way == "dblclick":
            driven.chip(1).dblclick()
        else:
            driven.chip(1).focus()
            driven.page.keyboard.press(way)
        driven.page.keyboard.type(new)
        driven.settle(driven.page)
        assert driven.frames == count
        driven.page.keyboard.press("Enter")
        driven.after({"tokens": ["the", new, "sat", "on", "the", "mat"]})
        assert driven.focused() == new
        assert driven.words() == f"‘{old}’ is now ‘{new}’"
        old = new
    assert driven.frames == 3


def test_leaving_the_editor_writes_and_escape_does_not(board):
    driven = board()
    driven.chip(1).dblclick()
    driven.page.keyboard.type("dog")
    driven.page.keyboard.press("Escape")
    assert driven.texts() == WORDS
    assert driven.focused() == "cat"
    driven.page.keyboard.press("Enter")
    driven.page.keyboard.type("  \u202ecow ")
    driven.chip(3).click()
    driven.after({"tokens": ["the", "cow", "sat", "on", "the", "mat"]})
    assert driven.frames == 1


def test_an_empty_or_unchanged_token_sends_nothing(board):
    driven = board()
    driven.chip(1).dblclick()
    driven.page.keyboard.press("Enter")
    driven.chip(1).dblclick()
    driven.page.keyboard.type("   ")
    driven.page.keyboard.press("Enter")
    driven.settle(driven.page)
    assert driven.words() == "a token needs at least one character: ‘cat’ stays"
    assert driven.texts() == WORDS
    assert driven.frames == 0


def test_too_many_characters_are_named_and_may_be_shortened(board):
    driven = board(tokens=["a" * 500, "b"])
    driven.chip(1).dblclick()
    driven.page.keyboard.insert_text("🎉" * 15)
    driven.page.keyboard.press("Enter")
    assert driven.words() == "512 characters at most, together: 3 too many"
    assert driven.frames == 0
    for _ in range(3):
        driven.page.keyboard.press("Backspace")
    driven.page.keyboard.press("Enter")
    driven.after({"tokens": ["a" * 500, "🎉" * 12]})


def test_a_token_is_removed_by_key_and_by_button_but_never_the_last(board):
    driven = board(tokens=["a", "b", "c"])
    driven.tool("Reverse").click()
    driven.after({"order": [2, 1, 0]})
    driven.chip(1).focus()
    driven.page.keyboard.press("Delete")
    driven.after({"tokens": ["a", "c"], "order": [1, 0]})
    assert driven.focused() == "a"
    driven.chip(0).dblclick()
    driven.page.locator(".remove").click()
    driven.after({"tokens": ["a"], "order": [0]})
    driven.page.keyboard.press("Delete")
    driven.settle(driven.page)
    assert driven.words() == "one token has to stay"
    assert driven.texts() == ["a"]
    assert driven.frames == 3


def test_a_token_is_added_at_the_end(board):
    driven = board()
    driven.page.get_by_role("button", name="Add a token").click()
    driven.page.keyboard.press("Escape")
    assert driven.focused() == "Add a token"
    driven.page.keyboard.press("Enter")
    driven.page.keyboard.type("<b>")
    driven.page.keyboard.press("Enter")
    driven.after({"tokens": [*WORDS, "<b>"], "order": [*range(7)]})
    assert driven.frames == 1
    assert driven.texts() == [*WORDS, "<b>"]


def test_there_is_no_65th_token(board):
    driven = board(tokens=["a"] * 64)
    driven.page.get_by_role("button", name="Add a token").click(force=True)
    assert driven.words() == "64 tokens at most"
    assert driven.page.locator(".editor").count() == 0


# ── Toolbar ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_tool_reorders_with_one_message_and_restore_undoes_it(board):
    driven, frames = board(), 0
    orders = {"Reverse": [5, 4, 3, 2, 1, 0], "Rotate": [1, 2, 3, 4, 5, 0], "Swap": [1, 0, 2, 3, 4, 5]}
    for name, order in orders.items():
        driven.tool(name).click()
        driven.after({"order": order})
        assert driven.texts() == [WORDS[index] for index in order]
        driven.tool("Restore").click()
        driven.after({"order": [*range(6)]})
        frames += 2
        assert driven.frames == frames
    driven.tool("Restore").click(force=True)
    driven.settle(driven.page)
    assert driven.frames == frames


def test_swap_takes_the_two_chips_that_had_the_focus(board):
    driven = board()
    driven.chip(1).click()
    driven.chip(5).click()
    assert "cat" in driven.tool("Swap").get_attribute("title")
    driven.tool("Swap").hover()
    assert driven.page.locator(".pairing .pair .text").all_text_contents() == ["cat", "mat"]
    driven.tool("Swap").click()
    driven.after({"order": [0, 5, 2, 3, 4, 1]})


def test_shuffle_always_changes_the_order_and_never_gives_the_original(board):
    driven = board(tokens=["a", "b", "c"])
    last = [0, 1, 2]
    for count in range(1, 9):
        driven.tool("Shuffle").click()
        driven.after({"moves": count})
        order = driven.held()["order"]
        assert order not in ([0, 1, 2], last)
        last = order
    assert driven.frames == 8


def test_one_token_has_nothing_to_reorder(board):
    driven = board(tokens=["only"])
    for name in ("Shuffle", "Reverse", "Rotate", "Swap", "Restore"):
        assert driven.tool(name).get_attribute("aria-disabled") == "true"
        driven.tool(name).click(force=True)
    driven.settle(driven.page)
    assert driven.frames == 0


def test_the_toolbar_is_one_tab_stop(board):
    driven = board()
    driven.tool("Shuffle").focus()
    driven.page.keyboard.press("ArrowLeft")
    driven.page.keyboard.press("ArrowLeft")
    assert driven.tool("Swap").evaluate("tool => tool.matches(':focus')")
    driven.page.keyboard.press("Tab")
    assert driven.focused() == "the"
