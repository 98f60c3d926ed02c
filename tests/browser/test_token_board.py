"""What the token board shows, what it tells the page and is told, and for whom it works."""

from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.board import APP, HEARD, HOSTILE, LIGHT, PHONE, WORDS, Driven, drag
from tests.browser.conftest import Line, barriers, sideways
from tests.sweeps import some_by_day

pytestmark = pytest.mark.xdist_group("token board")


COLOURS = """(board) => ["--hue", "--query", "--key"].map((name) => getComputedStyle(board).getPropertyValue(name))"""


# ── What is shown ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("locked", some_by_day(["no", "yes"]))
def test_hostile_tokens_are_shown_as_typed_and_run_nothing(board, locked):
    driven = board(tokens=HOSTILE, locked=locked)
    assert driven.texts() == HOSTILE
    inner = driven.page.locator(".board").first.locator(".text *, .words *, img, script, b")
    assert inner.count() == 0
    if locked == "no":
        driven.tool("Reverse").click()
        driven.after({"moves": 1})
        driven.chip(0).focus()
        driven.page.keyboard.press("Space")
        driven.page.keyboard.press("Escape")
        assert inner.count() == 0
    assert driven.page.evaluate("window.ran") is None


@pytest.mark.nightly
def test_long_tokens_are_cut_with_their_text_as_title_and_scripts_run_their_own_way(board):
    long = "incomprehensibilities, one after the other, without an end"
    driven = board({"viewport": {"width": 390, "height": 700}}, tokens=[long, "cat", "مرحبا"])
    text = driven.chip(0).locator(".text")
    assert text.get_attribute("title") == long
    assert driven.chip(1).locator(".text").get_attribute("title") == ""
    assert driven.chip(0).bounding_box()["width"] <= 240
    assert driven.chip(2).locator(".text").evaluate("text => getComputedStyle(text).direction") == "rtl"


@pytest.mark.parametrize("tokens", some_by_day([["a" * 100, "b" * 100, "c"], WORDS, ["token"] * 64]))
def test_a_phone_shows_every_chip_without_scrolling_sideways(board, tokens):
    driven = board(PHONE, tokens=tokens, role="both")
    boxes = [chip.bounding_box() for chip in driven.page.locator(".board button:visible").all()]
    assert len(boxes) > len(tokens), "the tools, too"
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["width"] >= 44
        assert box["height"] >= 44
    assert sideways(driven.page) == 0


def test_a_locked_board_is_values_only(board):
    driven = board(locked="yes")
    assert driven.texts() == WORDS
    assert driven.page.locator(".board").locator("button:visible, .grip:visible").count() == 0
    drag(driven, 0, 3)
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


@pytest.mark.parametrize(
    ("role", "roles"),
    some_by_day([("key", ["key"]), ("query", ["query"]), ("both", ["query", "key"])], of=2),
)
def test_a_chip_lights_its_row_and_column_and_is_lit_by_them(board, role, roles):
    driven = board(role=role)
    hue, *hues = driven.page.locator(".board").evaluate(COLOURS)
    assert role == "both" or hue == hues[role == "key"] != hues[role == "query"]
    driven.page.evaluate(HEARD)
    driven.chip(2).hover()
    driven.page.mouse.move(700, 600)
    driven.chip(4).focus()
    driven.page.keyboard.press("Alt+ArrowLeft")
    driven.after({"order": [0, 1, 2, 4, 3, 5]})
    driven.page.get_by_role("button", name="Put back").focus()
    wanted = [[one, index] for index in (2, None, 4, 3, None) for one in roles]
    assert driven.page.evaluate("window.heard") == wanted
    for one in ("query", "key"):
        driven.page.evaluate(LIGHT, [one, 1, "demo"])
        lit = driven.page.locator(f".lit-{one} .text")
        assert lit.all_text_contents() == (["cat"] if one in roles else [])
        driven.page.evaluate(LIGHT, [one, 2, "other"])
        assert lit.all_text_contents() == (["cat"] if one in roles else [])
        driven.page.evaluate(LIGHT, [one, None, "demo"])
        assert lit.count() == 0


def test_a_board_that_goes_takes_its_light_along_and_works_when_it_is_back(board):
    driven = board(role="query")
    driven.chip(2).hover()
    driven.page.evaluate(HEARD)
    gone = driven.page.locator(".board").element_handle()
    driven.page.get_by_role("switch", name="Hide the board").evaluate("toggle => toggle.click()")
    driven.page.locator(".board").wait_for(state="detached")
    assert driven.page.evaluate("window.heard")[-1] == ["query", None]
    driven.page.evaluate(LIGHT, ["query", 1, "demo"])
    assert gone.query_selector(".lit-query") is None, "it hears nothing more"
    driven.page.get_by_text("Hide the board").click()
    driven.page.locator(".board .text").first.wait_for()
    driven.settle(driven.page)
    driven.frames = 0
    driven.tool("Reverse").click()
    driven.after({"order": [5, 4, 3, 2, 1, 0]})
    assert driven.frames == 1
    driven.page.get_by_role("button", name="Put back").click()
    driven.after({"order": [*range(6)]})
    assert driven.texts() == WORDS


# ── The server has the last word ──────────────────────────────────────────────────────────────────────────────


def open_held(serve, open_page, settled) -> tuple[Driven, Line]:
    """A board of its own, and what the server sends it."""
    page = open_page()
    line, driven = Line(page), Driven(page, settled)
    page.goto(serve(APP))
    page.locator(".board .text").first.wait_for()
    settled(page)
    driven.frames = 0
    return driven, line


def test_moves_made_faster_than_the_server_answers_are_all_kept(serve, open_page, settled):
    driven, line = open_held(serve, open_page, settled)
    driven.chip(0).focus()
    line.hold()
    for count in range(1, 5):
        driven.page.keyboard.press("Alt+ArrowRight")
        driven.until(lambda: driven.frames == count)  # noqa: B023
    assert driven.held()["moves"] == 0, "no answer has come"
    line.let_go()
    driven.after({"order": [1, 2, 3, 4, 0, 5]})
    assert driven.frames == 4


def _has_ended(message: ForwardMsg) -> bool:
    """Whether it is the last message of a run: after ``script_finished`` comes that no script is running."""
    return message.HasField("session_status_changed") and not message.session_status_changed.script_is_running


def test_a_late_answer_to_an_earlier_move_does_not_put_the_chips_back(serve, open_page, settled):
    driven, line = open_held(serve, open_page, settled)
    driven.chip(0).focus()
    line.hold()
    ends = []
    for count in (1, 2):
        driven.page.keyboard.press("Alt+ArrowRight")
        driven.until(lambda: sum(_has_ended(ForwardMsg.FromString(one)) for one in line.late) == count)  # noqa: B023
        ends.append(len(line.late))
    line.let_go(ends[0])
    driven.after({"order": [1, 0, 2, 3, 4, 5]})
    assert driven.texts() == ["cat", "sat", "the", "on", "the", "mat"]
    line.let_go()
    driven.after({"order": [1, 2, 0, 3, 4, 5]})
    assert driven.texts() == ["cat", "sat", "the", "on", "the", "mat"]


def test_a_move_the_page_does_not_take_over_is_undone_and_may_be_tried_again(board):
    driven = board()
    driven.page.get_by_text("Refuse every move").click()
    driven.settle(driven.page)
    driven.chip(1).focus()
    for count in (1, 2):
        driven.page.keyboard.press("Alt+ArrowRight")
        driven.after({"moves": count})
        assert driven.texts() == WORDS
        assert driven.focused() == "cat"


def test_a_chip_that_goes_hands_its_focus_to_the_first(board):
    driven = board()
    driven.chip(5).focus()
    driven.page.get_by_role("button", name="One word less").evaluate("button => button.click()")
    driven.after({"tokens": WORDS[:-1]})
    assert driven.focused() == WORDS[0]


def test_a_forged_message_is_refused_with_a_sentence_and_the_state_is_kept(serve, open_page, settled):
    good, bad = b'"order":[1,0,', b'"order":[1,1,'
    page = open_page()
    forging = {"on": True}

    def pass_on(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda frame: server.send(frame.replace(good, bad) if forging["on"] else frame))

    page.route_web_socket("**/_stcore/stream", pass_on)
    driven = Driven(page, settled)
    page.goto(serve(APP))
    page.locator(".board .text").first.wait_for()
    settled(page)
    driven.chip(0).focus()
    page.keyboard.press("Alt+ArrowRight")
    page.locator(".words.refused").wait_for()
    assert "order = (1, 1, 2, 3, 4, 5) is not possible: an order of 0 … 5" in driven.words()
    settled(page)
    assert driven.texts() == WORDS
    assert driven.held() == {"moves": 0, "tokens": WORDS, "order": [*range(6)]}
    forging["on"] = False
    page.keyboard.press("Alt+ArrowRight")
    driven.after({"moves": 1, "tokens": WORDS, "order": [1, 0, 2, 3, 4, 5]})
    assert page.locator(".words.refused").count() == 0


# ── For every person ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(board, scheme):
    driven = board({"color_scheme": scheme, "reduced_motion": "reduce"}, role="both")
    rules = ("color-contrast",) if scheme == "dark" else ()
    assert barriers(driven.page, *rules) == []
    driven.chip(0).hover()
    driven.page.locator(".lit-query, .lit-key").first.wait_for()
    assert barriers(driven.page, *rules) == []
    driven.chip(1).focus()
    driven.page.keyboard.press("Space")
    driven.page.locator(".grabbed").wait_for()
    assert barriers(driven.page, *rules) == []


def test_a_chip_says_its_place_and_how_to_move_it(board):
    driven = board()
    assert driven.chip(5).get_attribute("aria-label") == "mat, 6 of 6"
    driven.tool("Reverse").click()
    driven.after({"moves": 1})
    assert driven.chip(0).get_attribute("aria-label") == "mat, 1 of 6, originally 6"
    help_text = driven.chip(0).evaluate(
        "chip => chip.getRootNode().getElementById(chip.getAttribute('aria-describedby')).textContent"
    )
    assert "Space grabs" in help_text
    assert driven.page.get_by_role("group", name="Queries", exact=True).count() == 1
    assert driven.page.get_by_role("group", name="Reorder: Queries").count() == 1
