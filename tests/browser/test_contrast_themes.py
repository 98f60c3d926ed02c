"""Under a contrast theme of the system everything is still to be seen: it takes all backgrounds and shadows away.

Seen is by pixels of the screen: what stands out from the theme's own paper as WCAG asks of a graphic (1.4.11), and of
two states that they do not look alike.
"""

import io
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from tests.browser.locators import ASKED, CANVAS, PRESETS, RANGE, STRIP

PAPER = {"dark": (0, 0, 0), "light": (255, 255, 255)}  # as Chromium pretends a theme
GRAPHIC, TEXT = 3.0, 4.5
CLASS = ".st-key-_class_panel .panel"
SLIDER = f"{ASKED} [data-testid=stSlider] [role=group] > [data-rac]"


def luminance(colour: tuple[int, ...]) -> float:
    parts = [one / 255 for one in colour]
    r, g, b = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def pixels(part: Any, left: float = 0, right: float = 1, top: float = 0, bottom: float = 1) -> Counter:
    """How often each colour is on the screen where a part is, or in the share of it between these edges."""
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    x, y = box["x"] + left * box["width"], box["y"] + top * box["height"]
    width, height = (right - left) * box["width"], (bottom - top) * box["height"]
    shot = part.page.screenshot(clip={"x": x, "y": y, "width": max(width, 1), "height": max(height, 1)})
    return Counter(Image.open(io.BytesIO(shot)).convert("RGB").getdata())


def most(part: Any, **share: float) -> tuple[int, ...]:
    """The colour that most of a part has."""
    return pixels(part, **share).most_common(1)[0][0]


def strongest(part: Any, scheme: str, **share: float) -> float:
    """The contrast to the theme's paper of what stands out most of it."""
    return max(contrast(colour, PAPER[scheme]) for colour in pixels(part, **share))


@pytest.fixture(params=["dark", pytest.param("light", marks=pytest.mark.nightly)])
def scheme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def look(visit: Callable, scheme: str) -> Callable[..., Any]:
    def go(name: str, query: str = "", **options: Any) -> Any:
        page = visit(name, query, forced_colors="active", color_scheme=scheme, **options)
        assert page.evaluate("matchMedia('(forced-colors: active)').matches")
        return page

    return go


@pytest.mark.nightly
def test_a_legend_shows_what_its_colours_mean(look: Callable, scheme: str) -> None:
    page = look("permutation")
    ramp = page.locator(".st-key-figure .ramp").first
    assert len(pixels(ramp, left=0.1, right=0.9, top=0.4, bottom=0.6)) > 20, "from one end of the scale to the other"
    page = look("receptive_field")
    marks = page.locator(".st-key-figure .legend").locator(".dot, .line, .swatch")
    assert marks.count() >= 4
    for mark in marks.all():
        before = 16 / mark.bounding_box()["width"]  # pixels that stand before the words
        assert strongest(mark, scheme, right=before / 2) >= GRAPHIC, mark.inner_text()
    assert len({most(mark, right=6 / mark.bounding_box()["width"], top=0.4, bottom=0.6) for mark in marks.all()}) > 1


@pytest.mark.nightly
def test_sliders_have_a_track_and_say_how_far_they_are(look: Callable, scheme: str) -> None:
    page = look("receptive_field")
    for track in (page.locator(RANGE).first, page.locator(SLIDER).first):
        for left, right in ((0.02, 0.1), (0.5, 0.6)):
            assert strongest(track, scheme, left=left, right=right) >= GRAPHIC
    low = page.locator(SLIDER).first  # two heads of eight
    before, after = (most(low, left=at, right=at + 0.03, top=0.45, bottom=0.55) for at in (0.02, 0.8))
    assert contrast(before, after) >= GRAPHIC
    page.locator(RANGE).first.press("Home")
    sweep = page.locator(RANGE).first
    assert strongest(sweep, scheme, left=0, right=0.05) >= GRAPHIC, "its handle"


@pytest.mark.nightly
def test_a_switch_says_whether_it_is_on(look: Callable, scheme: str) -> None:
    page = look("biases", "?biases_q_bias=false")
    on, off = (page.locator("[data-testid=stCheckbox] label").filter(has_text=said).locator("span + div").first
               for said in ("Key bias", "Query bias"))  # fmt: skip
    assert contrast(most(on), most(off)) >= GRAPHIC
    for switch in (on, off):
        assert strongest(switch, scheme) >= GRAPHIC


def test_what_is_chosen_looks_chosen(look: Callable, scheme: str) -> None:
    page = look("permutation")
    edge = {"left": 0.08, "right": 0.92, "top": 0.15, "bottom": 0.85}
    for where in (PRESETS, ASKED):
        options = [page.locator(f"{where} button[role=radio][aria-checked={one}]").first for one in ("true", "false")]
        chosen, other = (most(option, **edge) for option in options)
        assert contrast(chosen, other) >= GRAPHIC, where
        for option, paper in zip(options, (chosen, other), strict=True):  # its words
            assert max(contrast(one, paper) for one in pixels(option, **edge)) >= TEXT, where


@pytest.mark.nightly
def test_the_open_tab_looks_open(look: Callable, scheme: str) -> None:
    page = look("scaling")
    tabs = page.locator("[data-testid=stTab]")
    lines = [strongest(tab, scheme, top=0.95) for tab in tabs.all()]
    assert [line >= GRAPHIC for line in lines] == [True, False, False, False]


@pytest.mark.nightly
def test_a_course_says_how_far_it_is(look: Callable, scheme: str, settled: Callable) -> None:
    page = look("permutation")
    page.goto(f"{page.url}?course=order")
    page.locator(STRIP).wait_for()
    settled(page)
    bar = page.locator(f"{STRIP} [data-testid=stProgress] [role=progressbar]")
    (done, left) = (most(bar, left=at, right=at + 0.02) for at in (0.02, 0.95))
    assert contrast(done, left) >= GRAPHIC
    assert strongest(bar, scheme) >= GRAPHIC


@pytest.mark.nightly
def test_a_chip_that_is_held_looks_held(look: Callable, scheme: str) -> None:
    page = look("permutation")
    chips = page.locator(".st-key-figure button.chip")
    chips.nth(1).focus()
    page.keyboard.press("Space")
    page.locator(".st-key-figure .grabbed").wait_for()
    held, other = (most(chips.nth(at), left=0.3, right=0.9, top=0.2, bottom=0.8) for at in (1, 3))
    assert contrast(held, other) >= GRAPHIC
    assert strongest(chips.nth(3), scheme, left=0.05, right=0.25, top=0.2, bottom=0.8) >= GRAPHIC, "its grip"


def test_a_picture_is_written_in_the_themes_ink_whatever_the_apps_colours(visit: Callable, scheme: str) -> None:
    """Somebody has chosen the app's other colours in its menu."""
    other = {"dark": "light", "light": "dark"}[scheme]
    page = visit(
        "permutation", f"?embed=true&embed_options={other}_theme", forced_colors="active", color_scheme=scheme
    )
    picture = page.locator(CANVAS).first
    assert most(picture, right=0.05, top=0.3) == PAPER[scheme]
    assert strongest(picture, scheme, right=0.09, top=0.3) >= TEXT, "the names of its rows"
    ramp = page.locator(".st-key-figure .ramp").first
    assert strongest(ramp, scheme) >= GRAPHIC


@pytest.mark.nightly
def test_a_class_sees_its_votes_and_its_next_step(look: Callable, scheme: str) -> None:
    teacher = look("scaling", "?scaling_tab=share")
    start = teacher.get_by_role("button", name="Start a class", exact=True)
    assert strongest(start, scheme, right=0.02) >= GRAPHIC, "its edge"
    start.click()
    letters = teacher.locator(f"{CLASS} .letters").filter(has_text=re.compile("^[B-Z]{5}$"))
    letters.wait_for()
    steps = teacher.locator(f"{CLASS} .steps")
    main, other = steps.locator(".main"), steps.locator("button:not(.main):visible").last
    inner = {"left": 0.1, "right": 0.9, "top": 0.2, "bottom": 0.8}
    assert contrast(most(main, **inner), most(other, **inner)) >= GRAPHIC
    phone = look("", f"?class={letters.inner_text()}", viewport={"width": 390, "height": 844})
    main.filter(has_text=re.compile("^Ask$")).click()
    answers = phone.locator(f"{CLASS} .answer")
    answers.nth(1).click()
    phone.locator(f"{CLASS} .answer[aria-pressed=true]").wait_for()
    pressed, free = (most(answers.nth(at), **inner) for at in (1, 2))
    assert contrast(pressed, free) >= GRAPHIC
    teacher.locator(f"{CLASS} .status").filter(has_text="Vote: 1 of 1").wait_for()
    for step in ("Close the vote", "Ask again", "Close the vote", "Show the counts"):
        steps.locator(".main:enabled").filter(has_text=re.compile(f"^{step}$")).click()
    tracks = teacher.locator(f"{CLASS} .track")
    tracks.first.wait_for()
    full, empty = (most(tracks.nth(at), **inner) for at in (2, 0))  # of two rounds each
    assert contrast(full, empty) >= GRAPHIC
    assert contrast(empty, PAPER[scheme]) == 1


@pytest.mark.nightly
def test_what_stands_apart_from_the_page_has_an_edge(look: Callable, scheme: str) -> None:
    page = look("scaling", "?bad=1&scaling_tab=share")
    for box in ("stToast]", "stAlertContainer]", "stCode] pre", "stSidebar]"):
        part = page.locator(f"[data-testid={box}").filter(visible=True).first
        part.wait_for()
        edge = 2 / part.bounding_box()["width"]
        assert strongest(part, scheme, left=1 - edge, top=0.45, bottom=0.55) >= GRAPHIC, box
