"""The token board under mouse, finger and keyboard: what it shows, what it says and what it sends."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

pytestmark = pytest.mark.slow

APP = Path(__file__).parent / "apps" / "token_board_app.py"
WORDS = ["the", "cat", "sat", "on", "the", "mat"]
HOSTILE = [
    "<b>bold</b>",
    "<img src=x onerror='window.ran=1'>",
    "<script>window.ran=1</script>",
    "$x$",
    "%{z}",
    ":red[x]",
    "**x**",
    '"""',
    "👩‍👩‍👧‍👦",
    "مرحبا",
    "</button>",
    "&amp;",
]
HEARD = """() => {
  window.heard = []
  document.addEventListener("attention:hover", ({ detail }) => window.heard.push([detail.role, detail.index]))
}"""


class Driven:
    """A page with the board, and a count of what it sends to the server."""

    def __init__(self, page: Any, settled: Callable[..., None]):
        self.page, self.settle, self.frames = page, settled, 0
        page.on("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, _: object) -> None:
        self.frames += 1

    def chip(self, position: int) -> Any:
        return self.page.locator(".board").first.locator(".slot > .chip").nth(position)

    def texts(self) -> list[str]:
        return self.page.locator(".board").first.locator(".text").all_text_contents()

    def held(self) -> dict[str, Any]:
        return json.loads(self.page.locator("[data-testid=stText]").inner_text())

    def words(self) -> str:
        said = self.page.locator(".words").first.text_content()
        return said.replace("\u2068", "").replace("\u2069", "")

    def tool(self, name: str) -> Any:
        return self.page.locator(f"[name={name}]").first

    def focused(self) -> str:
        return self.page.evaluate(
            """() => {
                const inner = document.activeElement.shadowRoot?.activeElement
                return inner?.querySelector(".text")?.textContent ?? inner?.getAttribute("aria-label") ?? ""
            }"""
        )

    def middle(self, position: int) -> tuple[float, float]:
        box = self.chip(position).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def until(self, done: Callable[[], bool]) -> None:
        """Wait for what the sockets bring: Playwright hands it over while it waits itself."""
        deadline = time.monotonic() + 30
        while not done():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(20)

    def after(self, expected: dict[str, Any]) -> None:
        """Wait for the server to hold ``expected``, and for the answer to be on screen."""
        wanted = json.dumps(expected)[1:-1]
        self.page.wait_for_function(
            "wanted => document.querySelector('[data-testid=stText]').innerText.includes(wanted)", arg=wanted
        )
        self.settle(self.page)


@pytest.fixture
def board(serve: Callable[[Path], str], open_page: Callable[..., Any], settled: Callable[..., None]):
    """Open the harness: link settings first, options of the browser's context after them."""

    def start(options: dict[str, Any] | None = None, **link: object) -> Driven:
        driven = Driven(open_page(**(options or {})), settled)
        link = {name: json.dumps(value) if isinstance(value, list) else value for name, value in link.items()}
        driven.page.goto(f"{serve(APP)}/?{urlencode(link)}")
        driven.page.locator(".board .text").first.wait_for()
        settled(driven.page)
        driven.frames = 0
        return driven

    return start


def drag(driven: Driven, start: int, end: int, *, drop: bool = True) -> None:
    mouse = driven.page.mouse
    mouse.move(*driven.middle(start))
    mouse.down()
    mouse.move(*driven.middle(end), steps=12)
    if drop:
        mouse.up()


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


@pytest.mark.parametrize("width", [1440, 390])
def test_a_short_chip_passes_long_ones_without_trembling(board, width):
    driven = board(
        {"viewport": {"width": width, "height": 800}}, tokens=["a", "a rather long token", "b", "another long one"]
    )
    x, y = driven.middle(0)
    driven.page.mouse.move(x, y)
    driven.page.mouse.down()
    seen = []
    for step in range(300 if width == 1440 else 120):
        driven.page.mouse.move(x + 2 * step, y)
        seen.append(driven.texts().index("a"))
    driven.page.mouse.up()
    assert seen == sorted(seen)
    assert seen[-1] > 0


def test_escape_ends_a_drag_where_it_began(board):
    driven = board()
    drag(driven, 0, 4, drop=False)
    assert driven.texts() != WORDS
    driven.page.keyboard.press("Escape")
    driven.page.mouse.up()
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


def test_a_click_and_a_drag_back_send_nothing(board):
    driven = board()
    driven.chip(1).click()
    drag(driven, 0, 2, drop=False)
    driven.page.mouse.move(*driven.middle(0), steps=8)
    driven.page.mouse.move(driven.chip(0).bounding_box()["x"] - 20, driven.middle(0)[1], steps=8)
    driven.page.mouse.up()
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_chips_slide_to_their_places_unless_stillness_is_asked_for(board, motion, moves):
    driven = board({"reduced_motion": motion})
    # Pressed and watched within the page: on a slow machine the slide is over before anyone outside has asked for it.
    count = driven.tool("Reverse").evaluate(
        """async tool => {
            const board = tool.closest(".board")
            const moving = () => board.getAnimations({ subtree: true }).filter(a => a.effect.target.matches(".slot"))
            tool.click()
            let most = 0
            for (let frame = 0; frame < 10; frame++) {
                most = Math.max(most, moving().length)
                await new Promise(requestAnimationFrame)
            }
            return most
        }"""
    )
    assert (count > 0) == moves
    assert driven.texts() == WORDS[::-1]


# ── Finger ────────────────────────────────────────────────────────────────────────────────────────────────────

PHONE = {"viewport": {"width": 390, "height": 700}, "has_touch": True, "is_mobile": True}


def swipe(driven: Driven, start: tuple[float, float], *stops: tuple[float, float]) -> None:
    session = driven.page.context.new_cdp_session(driven.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", start)
    x, y = start
    for to_x, to_y in stops:
        for step in range(1, 11):
            touch("touchMove", (x + (to_x - x) * step / 10, y + (to_y - y) * step / 10))
            driven.page.evaluate("new Promise(requestAnimationFrame)")
        x, y = to_x, to_y
    touch("touchEnd")


def test_a_finger_drags_a_chip_along_its_row_and_then_anywhere(board):
    driven = board(PHONE, long="yes")
    x, y = driven.middle(0)
    swipe(driven, (x, y), driven.middle(2), (driven.middle(5)[0] + 30, driven.middle(5)[1]))
    driven.after({"order": [1, 2, 3, 4, 5, 0]})
    assert driven.frames == 1
    assert driven.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_a_finger_on_a_chip_drags_straight_to_the_next_row(board):
    driven = board(PHONE, long="yes")
    box = driven.chip(0).locator(".text").bounding_box()
    start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    swipe(driven, start, (start[0], driven.middle(5)[1]))
    driven.after({"moves": 1})
    assert driven.held()["order"].index(0) >= 3
    assert driven.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_a_finger_beside_the_chips_scrolls_the_page(board):
    driven = board(PHONE, long="yes")
    box = driven.page.locator(".words").bounding_box()
    x, y = box["x"] + 8, box["y"] + box["height"] / 2
    swipe(driven, (x, y), (x, y - 120))
    driven.page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 40")
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


# ── Keyboard ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_arrows_walk_and_one_tab_stop_leads_in_and_out(board):
    driven = board()
    driven.chip(0).focus()
    for key, text in [("ArrowRight", "cat"), ("End", "Add a token"), ("ArrowLeft", "mat"), ("Home", "the")]:
        driven.page.keyboard.press(key)
        assert driven.focused() == text
    driven.page.keyboard.press("ArrowRight")
    driven.page.keyboard.press("Tab")
    assert driven.page.evaluate("document.activeElement.innerText") == "Put back"
    driven.page.keyboard.press("Shift+Tab")
    assert driven.focused() == "cat"
    assert driven.frames == 0


def test_alt_and_an_arrow_move_at_once_and_keep_the_focus(board):
    driven = board()
    driven.chip(2).focus()
    driven.page.keyboard.press("Alt+ArrowLeft")
    driven.after({"order": [0, 2, 1, 3, 4, 5]})
    assert driven.words() == "moved ‘sat’ from 3 to 2 of 6"
    assert driven.focused() == "sat"
    driven.page.keyboard.press("Alt+ArrowLeft")
    driven.after({"order": [2, 0, 1, 3, 4, 5]})
    assert driven.focused() == "sat"
    driven.page.keyboard.press("Alt+ArrowLeft")
    driven.settle(driven.page)
    assert driven.frames == 2


def test_a_grabbed_chip_follows_the_arrows_and_sends_when_dropped(board):
    driven = board()
    driven.chip(2).focus()
    driven.page.keyboard.press("Space")
    assert driven.words().startswith("grabbed ‘sat’, 3 of 6")
    driven.page.keyboard.press("ArrowLeft")
    assert driven.words() == "‘sat’, 2 of 6"
    driven.page.keyboard.press("Home")
    assert driven.texts()[0] == "sat"
    assert driven.frames == 0
    driven.page.keyboard.press("Space")
    driven.after({"order": [2, 0, 1, 3, 4, 5]})
    assert driven.frames == 1
    assert driven.words() == "moved ‘sat’ from 3 to 1 of 6"
    assert driven.focused() == "sat"
    for key in ("Space", "ArrowRight", "Enter"):
        driven.page.keyboard.press(key)
    driven.after({"order": [0, 2, 1, 3, 4, 5]})


def test_a_grab_that_is_not_dropped_changes_nothing(board):
    driven = board()
    for away in ("Escape", "Tab"):
        driven.chip(2).focus()
        for key in ("Space", "End", away):
            driven.page.keyboard.press(key)
        driven.settle(driven.page)
        assert driven.texts() == WORDS
        assert driven.words() == "‘sat’ stays at 3 of 6"
    assert driven.frames == 0


def test_the_board_keeps_the_keys_it_uses_and_leaves_the_others(board):
    driven = board()
    driven.page.evaluate(
        "() => { window.keys = []; addEventListener('keydown', (event) => window.keys.push(event.key)) }"
    )
    driven.chip(0).focus()
    for key in ("ArrowRight", "Space", "ArrowRight", "Escape", "F2", "c", "Escape", "PageDown", "PageUp"):
        driven.page.keyboard.press(key)
    assert driven.page.evaluate("window.keys") == ["PageDown", "PageUp"]


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


# ── What is shown ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("locked", ["no", "yes"])
def test_hostile_tokens_are_shown_as_typed_and_run_nothing(board, locked):
    driven = board(tokens=HOSTILE, locked=locked)
    assert driven.texts() == HOSTILE
    inner = driven.page.locator(".board").first.locator(".text *, .words *, img, script, b")
    assert inner.count() == 0
    if locked == "no":
        driven.tool("Swap").click()
        driven.after({"moves": 1})
        driven.chip(0).focus()
        driven.page.keyboard.press("Space")
        driven.page.keyboard.press("Escape")
        driven.chip(0).dblclick()
        assert inner.count() == 0
    assert driven.page.evaluate("window.ran") is None


def test_long_tokens_are_cut_with_their_text_as_title_and_scripts_run_their_own_way(board):
    long = "incomprehensibilities, one after the other, without an end"
    driven = board({"viewport": {"width": 390, "height": 700}}, tokens=[long, "cat", "مرحبا"])
    text = driven.chip(0).locator(".text")
    assert text.get_attribute("title") == long
    assert driven.chip(1).locator(".text").get_attribute("title") == ""
    assert driven.chip(0).bounding_box()["width"] <= 240
    assert driven.chip(2).locator(".text").evaluate("text => getComputedStyle(text).direction") == "rtl"


@pytest.mark.parametrize("tokens", [WORDS, ["a" * 100, "b" * 100, "c"], ["token"] * 64])
def test_a_phone_shows_every_chip_without_scrolling_sideways(board, tokens):
    driven = board(PHONE, tokens=tokens, role="both")
    boxes = [chip.bounding_box() for chip in driven.page.locator(".board button:visible").all()]
    assert len(boxes) == len(tokens) + 6
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["width"] >= 44
        assert box["height"] >= 44
    main = "document.querySelector('[data-testid=stMain]')"
    assert driven.page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")


def test_a_locked_board_is_values_only(board):
    driven = board(locked="yes")
    assert driven.texts() == WORDS
    assert driven.page.locator(".board").locator("button:visible, .grip:visible").count() == 0
    drag(driven, 0, 3)
    driven.chip(0).dblclick()
    driven.settle(driven.page)
    assert driven.texts() == WORDS
    assert driven.frames == 0


def test_without_editing_only_the_order_changes(board):
    driven = board(editable="no")
    assert driven.page.get_by_role("button", name="Add a token").count() == 0
    driven.chip(0).dblclick()
    for key in ("F2", "Enter", "Delete"):
        driven.page.keyboard.press(key)
    assert driven.page.locator(".editor").count() == 0
    driven.page.keyboard.press("Alt+ArrowRight")
    driven.after({"order": [1, 0, 2, 3, 4, 5]})
    assert driven.frames == 1


@pytest.mark.parametrize(("role", "roles"), [("query", ["query"]), ("key", ["key"]), ("both", ["query", "key"])])
def test_a_chip_lights_its_row_and_column_and_is_lit_by_them(board, role, roles):
    driven = board(role=role)
    driven.page.evaluate(HEARD)
    driven.chip(2).hover()
    driven.page.mouse.move(700, 600)
    driven.chip(4).focus()
    driven.page.keyboard.press("Alt+ArrowLeft")
    driven.after({"order": [0, 1, 2, 4, 3, 5]})
    driven.page.get_by_role("button", name="Put back").focus()
    wanted = [[one, index] for index in (2, None, 4, 3, None) for one in roles]
    assert driven.page.evaluate("window.heard") == wanted
    light = """([role, index, group]) =>
      document.dispatchEvent(new CustomEvent("attention:hover", { detail: { group, role, index } }))"""
    for one in ("query", "key"):
        driven.page.evaluate(light, [one, 1, "demo"])
        lit = driven.page.locator(f".lit-{one} .text")
        assert lit.all_text_contents() == (["cat"] if one in roles else [])
        driven.page.evaluate(light, [one, 2, "other"])
        assert lit.all_text_contents() == (["cat"] if one in roles else [])
        driven.page.evaluate(light, [one, None, "demo"])
        assert lit.count() == 0


def test_a_board_that_goes_takes_its_light_along_and_works_when_it_is_back(board):
    driven = board(role="query")
    driven.chip(2).hover()
    driven.page.evaluate(HEARD)
    driven.page.get_by_role("switch", name="Hide the board").evaluate("toggle => toggle.click()")
    driven.page.locator(".board").wait_for(state="detached")
    assert driven.page.evaluate("window.heard")[-1] == ["query", None]
    driven.page.get_by_text("Hide the board").click()
    driven.page.locator(".board .text").first.wait_for()
    driven.settle(driven.page)
    driven.frames = 0
    driven.tool("Rotate").click()
    driven.after({"order": [1, 2, 3, 4, 5, 0]})
    assert driven.frames == 1


# ── The server has the last word ──────────────────────────────────────────────────────────────────────────────


def test_moves_made_faster_than_the_server_answers_are_all_kept(board):
    driven = board(slow=0.5)
    driven.chip(0).focus()
    for count in range(1, 5):
        driven.page.keyboard.press("Alt+ArrowRight")
        driven.until(lambda: driven.frames == count)  # noqa: B023
    driven.after({"order": [1, 2, 3, 4, 0, 5]})
    assert driven.frames == 4


def test_a_late_answer_to_an_earlier_move_does_not_put_the_chips_back(serve, open_page, settled):
    page = open_page()
    late: list[Any] = []
    line: dict[str, Any] = {"holds": False}

    def pass_on(socket: Any) -> None:
        server = socket.connect_to_server()
        line["send"] = socket.send
        server.on_message(lambda frame: late.append(frame) if line["holds"] else socket.send(frame))

    page.route_web_socket("**/_stcore/stream", pass_on)
    driven = Driven(page, settled)
    page.goto(serve(APP))
    page.locator(".board .text").first.wait_for()
    settled(page)
    driven.chip(0).focus()
    line["holds"] = True
    answers = []
    for _ in range(2):
        page.keyboard.press("Alt+ArrowRight")
        driven.until(lambda: any(ForwardMsg.FromString(one).HasField("script_finished") for one in late))
        answers.append(late[:])
        late.clear()
    assert all(answers)
    for frame in answers[0]:
        line["send"](frame)
    driven.after({"order": [1, 0, 2, 3, 4, 5]})
    assert driven.texts() == ["cat", "sat", "the", "on", "the", "mat"]
    line["holds"] = False
    for frame in answers[1] + late:
        line["send"](frame)
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


def test_the_page_may_put_the_tokens_back(board):
    driven = board()
    driven.tool("Rotate").click()
    driven.after({"order": [1, 2, 3, 4, 5, 0]})
    driven.page.get_by_role("button", name="Put back").click()
    driven.after({"order": [*range(6)]})
    assert driven.texts() == WORDS
    driven.tool("Rotate").click()
    driven.after({"order": [1, 2, 3, 4, 5, 0]})


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
    driven.tool("Swap").click()
    page.locator(".words.refused").wait_for()
    assert "order = (1, 1, 2, 3, 4, 5) is not possible: an order of 0 … 5" in driven.words()
    settled(page)
    assert driven.texts() == WORDS
    assert driven.held() == {"moves": 0, "tokens": WORDS, "order": [*range(6)]}
    forging["on"] = False
    driven.tool("Swap").click()
    driven.after({"moves": 1, "tokens": WORDS, "order": [1, 0, 2, 3, 4, 5]})
    assert page.locator(".words.refused").count() == 0


# ── For every person ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("role", ["query", "key", "both"])
def test_axe_finds_nothing_serious(board, scheme, role):
    from axe_playwright_python.sync_playwright import Axe

    driven = board({"color_scheme": scheme, "reduced_motion": "reduce"}, role=role)
    axe = Axe()

    def check() -> None:
        found = axe.run(driven.page).response["violations"]
        assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []

    check()
    driven.chip(0).hover()
    driven.page.locator(".lit-query, .lit-key").wait_for()
    check()
    driven.chip(1).dblclick()
    check()
    driven.page.keyboard.press("Escape")
    driven.page.keyboard.press("Space")
    driven.page.locator(".grabbed").wait_for()
    check()


def test_a_chip_says_its_place_and_how_to_move_it(board):
    driven = board()
    driven.tool("Rotate").click()
    driven.after({"moves": 1})
    assert driven.chip(0).get_attribute("aria-label") == "cat, 1 of 6, originally 2"
    help_text = driven.chip(0).evaluate(
        "chip => chip.getRootNode().getElementById(chip.getAttribute('aria-describedby')).textContent"
    )
    assert "Space grabs" in help_text
    assert "Delete removes" in help_text
    assert driven.page.get_by_role("list").locator("li:visible").count() == 7
    assert driven.page.get_by_role("group", name="Queries").count() == 1
    assert driven.page.get_by_role("toolbar", name="Reorder: Queries").count() == 1
