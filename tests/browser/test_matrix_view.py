"""The matrix view under hands, keys and eyes: real Chromium, the component alone."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core.figures.charts import panel_figure
from attention_core.figures.theme import HIDDEN, MUTED, SCALES
from tests.browser.conftest import barriers, sideways, swipe
from tests.sweeps import some_by_day

pytestmark = pytest.mark.xdist_group("matrix view")

APP = Path(__file__).parent / "apps" / "matrix_view_app.py"
_spec = importlib.util.spec_from_file_location("matrix_view", APP.with_name("matrix_view.py"))
app = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(app)

TIP = ".view .tip"
# Whatever was to be laid out anew has been.
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


# Time and frames that stand still once `shift` is a time, and go on by `step`.
CLOCK = """
[window.shift, window.later] = [null, requestAnimationFrame.bind(window)];
const [held, now] = [[], performance.now.bind(performance)];
performance.now = () => shift ?? now();
window.requestAnimationFrame = (drawn) => (shift === null ? later(drawn) : held.push(drawn));
window.step = (ms) => {
  shift += ms;
  for (const drawn of held.splice(0)) drawn(shift);
};
"""


@pytest.fixture(scope="module")
def url(serve) -> str:
    return serve(APP)


@pytest.fixture
def show(open_page, url, settled) -> Callable[..., Any]:
    """Open a case of the harness and wait until it is drawn; the page counts what it sends and receives.

    Tests of one case share a page, which begins anew for each of them; one with options or a script has its own.
    """

    def start(case: str = "plain", script: str = "", **options: Any) -> Any:
        page = open_page(keep="" if script or options else case, **options)
        if page.url == "about:blank":
            page.sent, page.received, page.begun = [], [], 0
            page.on("websocket", lambda socket: _count(socket, page))
            if script:
                page.add_init_script(script)
            page.goto(f"{url}/?case={case}")
        else:
            page.begun += 1
            page.get_by_role("button", name="Begin anew").click()
        page.get_by_text(f"begun {page.begun}", exact=True).wait_for()
        page.wait_for_selector(".view canvas")
        page.mouse.move(5, 5)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(options.get("viewport") or {"width": 1440, "height": 900})
        settled(page)
        page.evaluate("document.fonts.ready")  # measured once more with the right letters
        return page

    return start


def _count(socket: Any, page: Any) -> None:
    socket.on("framesent", lambda frame: page.sent.append(len(frame)))
    socket.on("framereceived", lambda frame: page.received.append(len(frame)))


def in_mode(page: Any, mode: str) -> Any:
    page.emulate_media(color_scheme=mode)
    page.locator(f'.view[style*="--muted: {MUTED[mode]}" i]').wait_for()
    return page


def picture(page: Any, panel: int) -> str:
    return page.locator(".view canvas").nth(panel).evaluate("canvas => canvas.toDataURL()")


def cell_at(
    page: Any, panel: int, row: int, column: int, *, across: float = 0.5, down: float = 0.5
) -> dict[str, float]:
    """Where a cell of the six-token view lies on the canvas, from its colour bar's left edge and the cell size."""
    canvas = page.locator(".view canvas").nth(panel)
    left = float(page.locator(".view .legend").nth(panel).evaluate("e => parseFloat(e.style.paddingLeft)"))
    box = canvas.bounding_box()
    wide = min(64, (box["width"] - left) // 6)
    high = min(wide, (box["height"] - 42) // 6)  # few cells may be wider than high, below a row of labels
    top = box["height"] - 2 - 6 * high
    return {"x": left + (column + across) * wide, "y": top + (row + down) * high}


def hover(page: Any, panel: int, row: int, column: int) -> None:
    page.locator(".view canvas").nth(panel).hover(position=cell_at(page, panel, row, column))


def tip(page: Any) -> list[str]:
    return page.locator(f"{TIP}.shown span").all_inner_texts()


def pixels(page: Any, panel: int, points: list[dict[str, float]]) -> list[list[int]]:
    return page.locator(".view canvas").nth(panel).evaluate(
        """(canvas, points) => {
            const [pen, d] = [canvas.getContext("2d"), devicePixelRatio];
            return points.map(({ x, y }) => [...pen.getImageData(x * d, y * d, 1, 1).data].slice(0, 3));
        }""",
        points,
    )  # fmt: skip


def pixel(page: Any, panel: int, at: dict[str, float]) -> list[int]:
    return pixels(page, panel, [at])[0]


def colour_of(fraction: float, mode: str, scale: str) -> np.ndarray:
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in SCALES[mode][scale]], float)
    return np.array([np.interp(fraction, np.linspace(0, 1, len(stops)), stops[:, i]) for i in range(3)])


# ---- the picture ----


def test_every_cell_has_the_colour_of_its_number_when_the_theme_changes_too(show):
    page = show("causal")
    assert page.get_by_role("figure", name=app.attention(app.TOKENS, causal=True).summary).count() == 1
    for mode in ("light", "dark"):
        check_colours(in_mode(page, mode), mode)


def check_colours(page, mode):
    for panel, drawn in enumerate(app.attention(app.TOKENS, causal=True).panels):
        low, high = drawn.colour_limits
        first, next_ = (cell_at(page, panel, at, at, down=0.15) for at in (0, 1))
        across, down = (next_[side] - first[side] for side in "xy")
        for row in range(6):
            points = [{"x": first["x"] + column * across, "y": first["y"] + row * down} for column in range(6)]
            for column, seen in enumerate(pixels(page, panel, points)):
                if drawn.hidden[row, column]:  # lines slant over its grey, five pixels apart
                    along = [points[column] | {"x": points[column]["x"] + step} for step in range(-4, 5)]
                    greys = ["#{:02X}{:02X}{:02X}".format(*one) for one in pixels(page, panel, along)]
                    assert HIDDEN[mode] in greys
                    assert len({*greys}) > 1
                else:
                    expected = colour_of((drawn.values[row, column] - low) / (high - low), mode, drawn.palette)
                    assert np.abs(np.array(seen) - expected).max() <= 2


@pytest.mark.parametrize("case", some_by_day(["hostile", "large", "sweep", "odd", "wide graph"]))
def test_nothing_overflows_at_any_width(show, case):
    page = show(case)
    for width in (390, 820, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => innerWidth === width", arg=width)
        page.evaluate(TWO_FRAMES)
        assert sideways(page) == 0
        room = page.locator(".view").bounding_box()
        boxes = [canvas.bounding_box() for canvas in page.locator(".view canvas").all()]
        for box in boxes:
            assert box["x"] >= room["x"] - 0.5
            assert box["x"] + box["width"] <= room["x"] + room["width"] + 0.5
        if width == 390:
            assert len({round(box["y"]) for box in boxes}) == len(boxes)  # one below the other
        if width == 1440:
            assert len({round(box["y"] / 100) for box in boxes}) == 1  # side by side


# ---- reading and choosing ----


def test_pointing_reads_the_number_out_and_lights_its_row_and_column_in_all_panels(show):
    page = show()
    before = picture(page, 0)
    hover(page, 1, 1, 3)
    value = app.attention(app.TOKENS).panels[1].values[1, 3]
    assert tip(page) == ["query", "cat", "key", "on", "weight", f"{value:.3g}"]
    assert picture(page, 0) != before
    lit, dim = cell_at(page, 0, 4, 3, down=0.15), cell_at(page, 0, 4, 4, down=0.15)
    scores = app.attention(app.TOKENS).panels[0]
    low, high = scores.colour_limits
    full = [colour_of((scores.values[4, c] - low) / (high - low), "light", "diverging") for c in (3, 4)]
    assert np.abs(np.array(pixel(page, 0, lit)) - full[0]).max() <= 2
    assert np.abs(np.array(pixel(page, 0, dim)) - full[1]).max() > 10
    page.mouse.move(5, 5)
    assert page.locator(f"{TIP}.shown").count() == 0
    assert picture(page, 0) == before


def test_a_click_chooses_a_cell_with_one_small_message_and_a_second_one_lets_it_go(show, settled):
    page = show()
    at = cell_at(page, 1, 2, 4)
    page.sent.clear()
    page.locator(".view canvas").nth(1).click(position=at)
    page.get_by_text("step 0 · cell (1, 2, 4) · calls 1").wait_for()
    settled(page)
    assert len(page.sent) == 1
    page.locator(".view canvas").nth(1).click(position=at)
    page.get_by_text("cell None · calls 2").wait_for()
    page.locator(".view canvas").nth(1).click(position=at)
    page.get_by_text("cell (1, 2, 4) · calls 3").wait_for()
    page.get_by_role("button", name="Reset").click()
    page.get_by_text("cell None · calls 3").wait_for()
    page.locator(".view canvas").nth(1).click(position=at)
    page.get_by_text("cell (1, 2, 4) · calls 4").wait_for()


def test_keys_move_read_choose_and_clear_and_stay_in_the_view(show):
    page = show()
    page.evaluate("() => { window.heard = []; addEventListener('keydown', (event) => heard.push(event.key)); }")
    plot, tables = page.locator(".view .plot").nth(1), page.locator(".view table")
    assert tables.count() == 0
    page.locator(".view .plot").first.focus()
    assert tables.count() == 2, "the numbers as text, made when somebody comes"
    page.evaluate("heard.length = 0")
    page.keyboard.press("Tab")
    assert plot.evaluate("e => e.matches(':focus-visible') && getComputedStyle(e).outlineStyle") == "solid"
    for key in ["ArrowDown", "End", "Home", "ArrowRight"]:
        page.keyboard.press(key)
    value = app.attention(app.TOKENS).panels[1].values[1, 1]
    assert tip(page) == ["query", "cat", "key", "cat", "weight", f"{value:.3g}"]
    assert page.locator(".view [aria-live]").inner_text() == f"query cat key cat weight {value:.3g}"
    page.keyboard.press("Enter")
    page.get_by_text("cell (1, 1, 1)").wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    page.get_by_text("cell (1, 0, 1)").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("cell None").wait_for()
    assert page.evaluate("heard") == ["Tab"]
    page.keyboard.press("PageDown")
    assert page.evaluate("heard") == ["Tab", "PageDown"]


def test_a_tap_reads_and_chooses(show):
    page = show(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    page.locator(".view canvas").first.tap(position=cell_at(page, 0, 3, 1))
    page.get_by_text("cell (0, 3, 1)").wait_for()
    assert tip(page)[:4] == ["query", "on", "key", "cat"]
    density = page.locator(".view canvas").first.evaluate("c => [c.width / c.clientWidth, c.height / c.clientHeight]")
    assert density == pytest.approx([2, 2], rel=0.01)
    page.get_by_text("cell (0, 3, 1)").tap()
    assert tip(page) == []


def test_a_finger_that_moves_up_over_a_picture_scrolls_the_page(show):
    page = show(viewport={"width": 390, "height": 500}, has_touch=True, is_mobile=True)
    box = page.locator(".view canvas").first.bounding_box()
    swipe(page, (box["x"] + 60, box["y"] + 90), (box["x"] + 65, box["y"] + 10))
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 40")


# ---- the sweep ----


def drag(page: Any, to: float) -> None:
    box = page.locator(".view input").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.27, y)
    page.mouse.down()
    for i in range(1, 21):
        page.mouse.move(box["x"] + box["width"] * (0.27 + (to - 0.27) * i / 20), y)


def test_scrubbing_redraws_all_panels_and_sends_nothing_until_the_release(show, settled):
    page = show("sweep")
    before = [picture(page, i) for i in range(4)]
    page.sent.clear()
    page.received.clear()
    drag(page, 1.0)
    page.locator(".view .now", has_text="4,096").wait_for()
    assert all(picture(page, i) != before[i] for i in range(4))
    assert page.sent == []
    page.mouse.up()
    page.get_by_text("step 12 · cell None · calls 1").wait_for()
    settled(page)
    assert len(page.sent) == 1
    assert page.sent[0] <= 2048
    assert sum(page.received) < 8192  # the numbers and the script stay where they are


def test_the_page_moves_the_view_and_a_hand_can_move_it_back(show):
    page = show("sweep")
    slider = page.get_by_role("slider", name="Size of a head, d_head")
    assert slider.get_attribute("aria-valuetext") == "8"
    slider.focus()
    page.keyboard.press("End")
    page.get_by_text("step 12 · cell None · calls 1").wait_for()
    assert slider.get_attribute("aria-valuetext") == "4,096"
    page.get_by_role("button", name="Reset").click()
    page.get_by_text("step 0 · cell None · calls 1").wait_for()
    assert slider.input_value() == "0"
    slider.focus()
    page.keyboard.press("End")
    page.get_by_text("step 12 · cell None · calls 2").wait_for()


def test_a_view_that_was_away_comes_back_where_it_stood(show, settled):
    page = show("sweep")
    page.locator(".view input").focus()
    page.keyboard.press("End")
    page.get_by_text("step 12").wait_for()
    toggle = page.get_by_text("show", exact=True)
    toggle.click()
    page.locator(".view").wait_for(state="detached")
    toggle.click()
    page.get_by_text("step 12").wait_for()
    assert page.locator(".view input").input_value() == "12"
    assert page.locator(".view .now").inner_text() == "4,096"


def test_browser_and_server_agree_on_where_a_view_stands_that_nobody_remembers(show):
    page = show("free")
    slider = page.locator(".view input")
    toggle = page.get_by_text("show", exact=True)
    for _ in range(2):
        assert slider.input_value() == "0"
        slider.focus()
        page.keyboard.press("End")
        page.get_by_text("step 12").wait_for()
        toggle.click()
        page.locator(".view").wait_for(state="detached")
        toggle.click()
        page.get_by_text("step 0").wait_for()


# ---- movement ----


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_changed_matrix_moves_to_its_place_unless_motion_is_not_wanted(show, motion):
    page = show(reduced_motion=motion, script=CLOCK)
    before = picture(page, 1)
    page.evaluate("shift = performance.now()")
    page.get_by_text("shuffled", exact=True).click()
    page.get_by_role("figure", name=app.attention(app.SHUFFLED, seed=1).summary).wait_for()
    seen = [picture(page, 1)]
    for ms in (200, 600, 200):
        page.evaluate("ms => step(ms)", ms)
        seen.append(picture(page, 1))
    first, middle, last, later = seen
    assert last == later != before
    assert len({before, first, middle, last}) == (2 if motion == "reduce" else 4)
    weights = app.attention(app.SHUFFLED, seed=1).panels[1]
    shown = pixel(page, 1, cell_at(page, 1, 2, 4, down=0.15))
    expected = colour_of(weights.values[2, 4] / weights.colour_limits[1], "light", "sequential")
    assert np.abs(np.array(shown) - expected).max() <= 2


# ---- text is only ever text ----


def test_labels_appear_as_typed_and_run_nothing(show):
    page = show("hostile")
    title = page.title()
    view = page.locator(".view")
    page.locator(".view .plot").first.focus()
    heads = view.locator("table").first.locator("tbody th").all_inner_texts()
    assert tuple(heads) == app.HOSTILE
    for key in ["ArrowDown"] * 5:
        page.keyboard.press(key)
    assert tip(page)[1] == app.HOSTILE[5]
    page.keyboard.press("ArrowDown")
    assert tip(page)[1] == "a" * 80  # the label on the picture is cut, the readout is not
    assert view.locator("b, img, script").count() == 0
    assert page.title() == title


@pytest.mark.nightly
def test_plotly_shows_labels_as_typed_too(open_page):
    page = open_page()
    page.set_content(panel_figure(app.attention(app.HOSTILE).panels[1]).to_html())
    page.wait_for_selector(".xtick text")
    for axis in ("xtick", "ytick"):
        assert tuple(page.locator(f".{axis} text").evaluate_all("all => all.map(e => e.textContent)")) == app.HOSTILE
    box = page.locator(".heatmaplayer image").bounding_box()
    for i, token in enumerate(app.HOSTILE[:6]):
        step = (i + 0.5) / len(app.HOSTILE)
        page.mouse.move(box["x"] + box["width"] * step, box["y"] + box["height"] * step)
        page.wait_for_function(
            "text => document.querySelector('.hovertext')?.textContent.includes(text)",
            arg=f"query {token} · key {token}",
        )
    assert page.locator("#hacked, .hovertext img, .hovertext b").count() == 0


# ---- for readers of the screen ----


@pytest.mark.parametrize("case", some_by_day(["graph", "sweep"]))
def test_axe_finds_nothing_serious(show, case):
    page = show(case)
    page.locator(".view .plot").first.focus()
    assert barriers(page) == []
    assert barriers(in_mode(page, "dark"), "color-contrast") == []


WATCH = """
window.listening = new Set(); window.observing = new Set();
const add = document.addEventListener;
document.addEventListener = function (type, listener, options) {
  if (options?.signal && !options.signal.aborted) {
    const one = { type };
    listening.add(one);
    options.signal.addEventListener("abort", () => listening.delete(one));
  }
  return add.call(this, type, listener, options);
};
const { observe, disconnect } = ResizeObserver.prototype;
ResizeObserver.prototype.observe = function (element, options) {
  if (element.matches(".view")) observing.add(this);
  return observe.call(this, element, options);
};
ResizeObserver.prototype.disconnect = function () { observing.delete(this); return disconnect.call(this); };
"""


def test_a_view_that_goes_leaves_nothing_behind(show):
    page = show(script=WATCH)
    assert page.evaluate("[listening.size > 0, observing.size]") == [True, 1]
    toggle = page.get_by_text("show", exact=True)
    for _ in range(3):
        toggle.click()
        page.locator(".view").wait_for(state="detached")
        page.wait_for_function("listening.size + observing.size === 0")
        toggle.click()
        page.locator(".view canvas").first.wait_for()
