"""Whoever moves something sees what it does, and can read it: on a laptop, on a projector and on a phone."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from pages._shared.registry import PAGES
from tests.browser.conftest import sideways

pytestmark = pytest.mark.slow

# Width and height of the window, how the page is opened, and the least share of the picture in sight, in percent:
# on arrival, and while any control is in reach.
SCREENS = {
    "laptop": ((1440, 780), "", 95, 95),
    "projector": ((1280, 720), "?present=true", 95, 80),
    "phone": ((390, 844), "", 90, 90),
}
SHEET = {"width": 688, "height": 1017}  # pixels of a sheet of A4 within its margins
NAMES = [page.name for page in PAGES]
# Panels that stand in the picture at least. What is on the shelf is a second look, and the picture does without it.
MAIN = dict.fromkeys(NAMES, 2) | {"complexity": 1, "receptive_field": 1}
# What a picture takes of a phone's height at most, in percent: more only where cells would be too small to be hit.
TALLEST = dict.fromkeys(NAMES, 45) | {"anatomy": 49, "permutation": 52}
# Everything below a root, in the shadows of components too.
WALK = """const walk = (root) => [...root.querySelectorAll("*")].flatMap(
  (one) => [one, ...(one.shadowRoot ? walk(one.shadowRoot) : [])]);
const figure = () => document.querySelector(".st-key-figure");"""
# The share in sight of the panels' area and of whatever moves them, by points close to each other: what the window or
# a container that scrolls cuts off counts as not seen, and so does what something else lies on.
IN_SIGHT = (
    f"() => {{ {WALK}"
    """
  const STEPS = 16;
  const at = (x, y) => {
    let one = document.elementFromPoint(x, y);
    while (one?.shadowRoot?.elementFromPoint(x, y)) one = one.shadowRoot.elementFromPoint(x, y);
    return one;
  };
  const within = (one) => one && (one === figure() || within(one.parentElement ?? one.getRootNode().host));
  const parts = walk(figure()).filter((one) => one.matches(".panel, .sweep, .chips") && one.checkVisibility());
  let [seen, whole] = [0, 0];
  for (const { left, top, width, height } of parts.map((one) => one.getBoundingClientRect())) {
    whole += width * height;
    for (let point = 0; point < STEPS ** 2; point++) {
      const [x, y] = [point % STEPS, Math.floor(point / STEPS)].map((step) => (step + 0.5) / STEPS);
      if (within(at(left + x * width, top + y * height))) seen += (width * height) / STEPS ** 2;
    }
  }
  return (100 * seen) / whole;
}"""
)
PANELS = f"""() => {{ {WALK} return walk(figure()).filter((one) => one.matches(".panel canvas")).length; }}"""
# Keeps what each canvas was last told to write: the text, its size, and its corners, in pixels of the window.
RECORD = """(() => {
  const pen = CanvasRenderingContext2D.prototype, { fillText, clearRect } = pen;
  pen.clearRect = function (...given) {
    this.canvas.written = [];
    clearRect.apply(this, given);
  };
  pen.fillText = function (text, x, y) {
    fillText.call(this, text, x, y);
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: up,
      actualBoundingBoxDescent: down } = this.measureText(text);
    const at = this.getTransform();
    const corners = [[x - left, y - up], [x + right, y - up], [x + right, y + down], [x - left, y + down]]
      .map(([x, y]) => at.transformPoint({ x, y })).map(({ x, y }) => [x, y]);
    this.canvas.written?.push({ text, size: parseFloat(this.font.match(/[\\d.]+px/)[0]), corners });
  };
})()"""
# What is written in the picture, and how large on the screen: by canvases, and in titles, legends and chips.
WRITTEN = (
    f"() => {{ {WALK}"
    """
  const all = walk(figure()).filter((one) => one.getRootNode() !== document && one.checkVisibility());
  const own = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const said = all.filter((one) => own(one) && !one.closest(".unseen, .tip, style, .help"));
  const drawn = all.filter((one) => one.matches("canvas")).map((canvas) => {
    const box = canvas.getBoundingClientRect(), scale = box.width / canvas.width;
    return canvas.written.map(({ text, size, corners }) => ({
      text, size: size * (canvas.currentCSSZoom ?? 1), corners: corners.map(([x, y]) => [x * scale, y * scale]),
      width: box.width, height: box.height }));
  });
  return { said: said.map((one) => ({ text: one.textContent,
    size: parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1) })), drawn };
}"""
)
# Cells of matrices of up to so many rows and columns: their smaller side on the screen.
CELLS = (
    f"(most) => {{ {WALK}"
    """
  return walk(figure()).filter((one) => one.dataset.cell && Number(one.dataset.across) <= most)
    .map((one) => Number(one.dataset.cell));
}"""
)
# How high the charts are, from top to bottom.
CHARTS = f"""() => {{ {WALK}
  return walk(figure()).filter((one) => one.matches(".plot") && !one.dataset.cell)
    .map((one) => one.clientHeight); }}"""
# What a finger has to hit, with its width and height: answers, presets, tokens, tools, help, tabs, links.
TARGETS = (
    f"() => {{ {WALK}"
    """
  const kinds = "button, summary, [data-testid=stTab], [data-testid=stPageLink-NavLink]";
  const all = walk(document.querySelector("[data-testid=stMain]"));
  return all.filter((one) => one.matches(kinds) && one.checkVisibility()).map((one) => {
    const { width, height } = one.getBoundingClientRect();
    return [one.innerText || one.ariaLabel, width, height];
  });
}"""
)
CLAIM = ".st-key-head > :last-child p"
CONTROLS = ".st-key-controls :is(input, button, [role=slider]), .st-key-presets button"


@pytest.fixture
def opened(visit: Callable) -> Callable:
    """Open a page on a screen."""

    def go(name: str, screen: str, **options: Any) -> Any:
        (width, height), query, *_ = SCREENS[screen]
        query = f"{query}&{name}_answer=skipped" if query else ""  # a question is a slide before the picture
        return visit(name, query, viewport={"width": width, "height": height}, has_touch=screen == "phone", **options)

    return go


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("screen", SCREENS)
def test_the_picture_can_be_read_and_is_in_sight_while_a_control_is_in_reach(
    screen: str, name: str, opened: Callable, settled: Callable
) -> None:
    *_, arriving, moving = SCREENS[screen]
    page = opened(name, screen, script=RECORD)
    check_words(page, 18 if screen == "projector" else 12)
    if screen == "phone":
        check_for_fingers(page)
        assert [side for side in page.evaluate(CELLS, 6) if side < 23] == []
        assert page.locator(".st-key-figure").bounding_box()["height"] <= TALLEST[name] / 100 * 844 + 1
    assert [height for height in page.evaluate(CHARTS) if height < 120] == []
    at_first = page.evaluate(IN_SIGHT)
    assert page.evaluate(PANELS) >= MAIN[name]
    if screen == "projector":
        assert [side for side in page.evaluate(CELLS, 8) if side < 36] == []
        assert page.locator(".st-key-figure").bounding_box()["height"] >= 0.6 * 720
        assert page.locator(CLAIM).bounding_box()["height"] < 30, "the claim has one line"
        page.locator(".st-key-controls summary").click()
        settled(page)
        check_words(page, 18)
        assert [side for side in page.evaluate(CELLS, 8) if side < 36] == []
        assert page.evaluate(PANELS) >= MAIN[name]
    seen = {}
    for control in page.query_selector_all(CONTROLS):
        if control.is_visible():
            control.scroll_into_view_if_needed()
            seen[control.inner_text() or control.get_attribute("aria-label") or "?"] = page.evaluate(IN_SIGHT)
    worst = min(seen, key=lambda one: seen[one])
    print(f"\n{name:16} {screen:10} arriving {at_first:4.0f} %  moving {seen[worst]:4.0f} % ({worst})")
    assert len(seen) > 3
    assert at_first >= arriving
    assert seen[worst] >= moving, worst


def check_words(page: Any, least: float) -> None:
    """Every word of the picture is at least so large, whole, inside its canvas, and lies on no other."""
    found = page.evaluate(WRITTEN)
    drawn = [word for canvas in found["drawn"] for word in canvas]
    assert found["said"]
    assert drawn
    assert [(one["size"], one["text"]) for one in found["said"] + drawn if one["size"] < least - 0.01] == []
    assert [one["text"] for one in drawn if one["text"].endswith("…")] == []
    assert [one["text"] for one in drawn if _beyond(one)] == []
    assert [pair for canvas in found["drawn"] for pair in _overlaps(canvas)] == []


def test_a_phones_own_buttons_are_large_enough_and_code_can_be_read(visit: Callable, settled: Callable) -> None:
    page = visit("complexity", viewport={"width": 390, "height": 844}, has_touch=True)
    sizes = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    assert min(page.locator(".st-key-why code").evaluate_all(sizes)) >= 12
    page.locator("[class*=_predict_strip] button").first.tap()
    settled(page)
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


def check_for_fingers(page: Any) -> None:
    """What is to be hit is large enough, and nothing is out of sight to a side: no answer, no word of the claim."""
    targets = page.evaluate(TARGETS)
    assert len(targets) > 10
    assert [one for one in targets if min(one[1:]) < 43.5] == []
    assert sideways(page) == 0
    for text in page.locator(".st-key-head p").all():
        assert text.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0, "the claim is cut"
    assert page.locator(CLAIM).bounding_box()["height"] < 45, "it has two lines at most"
    answers = page.locator("[class*=_predict_strip] button").all()
    assert all(box["x"] + box["width"] <= 390 for box in (one.bounding_box() for one in answers))


@pytest.mark.parametrize("name", NAMES)
def test_paper_is_one_sheet_with_the_claim_the_picture_the_finding_the_question_and_the_link(
    name: str, visit: Callable
) -> None:
    page = visit(name, color_scheme="dark")
    code = page.locator(".st-key-handout img")
    page.wait_for_function("(code) => code.complete && code.naturalWidth > 0", arg=code.element_handle())
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
    page.emulate_media(media="print")
    page.set_viewport_size(SHEET)
    here = next(one for one in PAGES if one.name == name)
    assert page.locator("h1").inner_text() == here.title
    assert page.locator(".st-key-finding p").first.is_visible()
    assert page.locator(".st-key-figure canvas").first.is_visible()
    assert page.locator(".st-key-handout .question").is_visible()
    assert page.locator(".st-key-handout a").inner_text() == page.url
    assert code.is_visible()
    assert page.locator(CLAIM).bounding_box()["x"] >= 0, "the claim has its first word"
    frame = (
        "[data-testid=stSidebar]",
        "[data-testid=stTabs]",
        ".st-key-controls",
        ".st-key-presets",
        ".st-key-head button",
    )
    for gone in (*frame, ".board .tools", ".board .words", ".board .plus"):
        assert not page.locator(gone).first.is_visible(), gone
    assert "above" not in page.locator(".st-key-finding").inner_text()
    if page.locator(".st-key-figure input[type=range]").count():
        rail = page.locator(".st-key-figure .view").evaluate(
            "(o) => getComputedStyle(o).getPropertyValue('--st-border-color')"
        )
        assert rail == "#D5D9E2", "as on white paper"
    if name == "permutation":
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        titles = page.locator(".st-key-figure .panel .title").all_inner_texts()
        assert titles == ["Before", "After the shuffle", "Undone", "What is left over"]


def test_what_has_no_room_stands_on_the_shelf_and_follows_the_slider(opened: Callable, settled: Callable) -> None:
    page = opened("scaling", "phone")
    assert page.locator(".st-key-figure .panel").count() == 2
    second = page.locator(".st-key-second canvas")
    second.nth(5).wait_for(state="attached")
    before = second.first.evaluate("(one) => one.toDataURL()")
    page.locator(".st-key-figure input[type=range]").focus()
    page.keyboard.press("End")
    settled(page)
    assert second.first.evaluate("(one) => one.toDataURL()") != before
    page.set_viewport_size({"width": 1440, "height": 780})
    settled(page)
    titles = page.locator(".st-key-figure .panel .title").all_inner_texts()
    assert titles[:2] == ["Weights, unscaled", "Weights, × 1/√d_head"], "the comparison is in front"
    assert len(titles) == second.count() == 4
    page.set_viewport_size({"width": 1440, "height": 1200})
    settled(page)
    assert page.locator(".st-key-figure .panel").count() == 8
    assert second.count() == 0


def test_a_pinned_picture_is_a_swipe_away_on_a_phone_and_as_large_as_the_other_on_a_laptop(
    opened: Callable, settled: Callable
) -> None:
    page = opened("permutation", "phone", script=RECORD)
    page.get_by_role("button", name="Pin").filter(visible=True).tap()
    page.get_by_text("Pinned", exact=True).wait_for()
    settled(page)
    assert page.locator(".st-key-pair").evaluate("(one) => one.scrollWidth > 1.5 * one.clientWidth")
    assert sideways(page) == 0
    now, pinned = page.locator(".st-key-pair .front").all()
    assert now.bounding_box()["width"] > 300
    assert pinned.bounding_box()["x"] > 300
    assert min(page.evaluate(CELLS, 6)) >= 24
    check_words(page, 12)
    page.set_viewport_size({"width": 1440, "height": 780})
    settled(page)
    assert len(set(page.evaluate(CELLS, 6))) == 1
    tops = [one.bounding_box()["y"] for one in page.locator(".st-key-pair canvas").all()]
    assert max(tops) - min(tops) < 1


def test_a_page_chosen_on_a_phone_is_seen(opened: Callable, settled: Callable) -> None:
    page = opened("scaling", "phone")
    page.locator("[data-testid=stExpandSidebarButton]").tap()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Biases").tap()
    page.wait_for_url("**/biases")
    settled(page)
    box = page.locator("[data-testid=stSidebar]").bounding_box()
    assert box["x"] + box["width"] <= 0


def test_a_presenter_walks_the_presets_wherever_the_focus_is(visit: Callable, settled: Callable) -> None:
    page = visit("scaling", "?present=true&scaling_answer=skipped")
    page.keyboard.press("PageDown")
    settled(page)
    assert "1 of 5: Unscaled" in page.locator(".st-key-presets").inner_text()
    page.locator(".st-key-figure input[type=range]").focus()
    page.keyboard.press("PageDown")
    settled(page)
    assert "2 of 5" in page.locator(".st-key-presets").inner_text()
    assert "scaling_scale=root" in page.url
    assert not page.locator("[data-testid=stSidebar]").is_visible()
    page.locator(".st-key-leave_present button").filter(visible=True).click()
    page.locator("[data-testid=stSidebar]").wait_for()
    assert "present" not in page.url


def _beyond(word: dict[str, Any]) -> bool:
    """Whether the canvas ends before the word does."""
    return any(not (-1 <= x <= word["width"] + 1 and -1 <= y <= word["height"] + 1) for x, y in word["corners"])


def _overlaps(words: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Words of one canvas that lie on each other."""
    return [
        (one["text"], other["text"])
        for i, one in enumerate(words)
        for other in words[i + 1 :]
        if not (_apart(one["corners"], other["corners"]) or _apart(other["corners"], one["corners"]))
    ]


def _apart(one: list[list[float]], other: list[list[float]]) -> bool:
    """Whether a side of one rectangle, turned as it may be, parts it from the other."""
    for (ax, ay), (bx, by) in pairwise(one):
        (ux, uy) = (bx - ax, by - ay)
        mine, theirs = ([x * ux + y * uy for x, y in corners] for corners in (one, other))
        if max(mine) <= min(theirs) or max(theirs) <= min(mine):
            return True
    return False
