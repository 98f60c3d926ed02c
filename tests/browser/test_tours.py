"""Every page on every screen, each opened once: it fits, can be read, reacts, and is reachable by all."""

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pages._shared.core.pages import PAGES
from attention_core.figures.table import FORMATS
from tests.browser.conftest import (
    answer,
    barriers,
    close_drawer,
    open_drawer,
    open_question,
    pictures_of,
    sideways,
    wait_until_settled,
)
from tests.browser.locators import CLAIM, FIGURE, FINDING, MAIN, POPOVER, PRESETS
from tests.browser.looks import check_dark, check_overlaps, check_words
from tests.browser.screens import LAPTOP, PHONE, PROJECTOR
from tests.sweeps import some_by_day

NAMES = [page.name for page in PAGES]
LARGE, SLIDE = {"width": 1440, "height": 900}, {"width": 1280, "height": 720}
IN_SIGHT = ".st-key-asked [data-testid=stElementContainer]:has(input, [role=radio], [role=slider])"
E_NOTATION = re.compile(r"\d[eE][+−-]?\d")
# Panels that stand in the picture at least; the others are a second look.
PANELS = dict.fromkeys(NAMES, 2) | {"complexity": 1, "images": 1, "receptive_field": 1}
# What a picture takes of a phone's height at most, in percent: more only where cells would be too small to be hit.
TALLEST = dict.fromkeys(NAMES, 45) | {"anatomy": 49, "permutation": 52}
# What each kind of file begins with, and the endings of names that are not the labels'.
FILES = dict.fromkeys((one.label for one in FORMATS), b"") | {
    "CSV": b"\xef\xbb\xbf", "JSON": b"{", "HTML": b"<!doctype html>", "PNG": b"\x89PNG", "SVG": b"<svg",
}  # fmt: skip
ENDINGS = {one.label: one.ending for one in FORMATS}
EACH_CONTROL = ":is(.st-key-asked, .st-key-controls) :is(input, button, [role=slider]), .st-key-presets button"
EACH_PRESET = ".st-key-presets [data-testid=stButtonGroup] button"
REMARK = ".st-key-presets [data-testid=stMarkdown] p"
COMPUTED = 3  # so many presets are computed to their end; each page's own tests have them all
# Whether each preset's button can be hit where it stands.
REACHED = """() => [...document.querySelectorAll(".st-key-presets [data-testid=stButtonGroup] button")].map((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const points = [0.1, 0.5, 0.9].map((at) => document.elementFromPoint(left + at * width, top + height / 2));
  return points.every((point) => one.contains(point));
})"""
Look = Callable[[str], AbstractContextManager[None]]


@contextmanager
def tour() -> Iterator[Look]:
    """Looks at one page, each named: one that finds something wrong hides no other."""
    wrong: list[str] = []

    @contextmanager
    def look(name: str) -> Iterator[None]:
        try:
            yield
        except AssertionError as error:
            wrong.append(f"{name}: {error}")

    yield look
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("name", some_by_day(NAMES, of=16))
def test_laptop(name: str, visit: Callable) -> None:
    page = visit(name, "?seed=3", **LAPTOP)
    with tour() as look:
        with look("fits"):
            assert sideways(page) == 0
        with look("can be read"):
            check_words(page, 12)
        with look("in sight"):
            check_sight(page, name, arriving=95, moving=95)
        with look("barriers"):
            assert barriers(page) == []
        with look("contrast in the dark"):
            check_dark(page)
        begun = pictures_of(page)
        with look("nothing lies on anything"), resized(page, SLIDE):
            check_overlaps(page, SLIDE["height"])
        answer(page)
        with look("the first screen"), resized(page, LARGE):
            assert page.evaluate("probe.share()") >= 35
            assert 1 <= page.locator(IN_SIGHT).count() <= 5
            assert [text for text in written(page) if E_NOTATION.search(text)] == []
        with look("presets"):
            check_presets(page, name, begun)
        with look("files"):
            check_files(page, name)


@pytest.mark.parametrize("name", some_by_day(NAMES, 1, of=16))
def test_phone(name: str, visit: Callable) -> None:
    """What axe finds at this size is looked for in Chinese, in ``test_overlaps.py``."""
    page = visit(name, **PHONE)
    with tour() as look:
        with look("fits"):
            assert sideways(page) == 0
        with look("can be read"):
            check_words(page, 12)
            assert [side for side in page.evaluate("probe.cells(6)") if side < 23] == []
            assert page.locator(FIGURE).bounding_box()["height"] <= TALLEST[name] / 100 * 844 + 1
        with look("for fingers"):
            check_for_fingers(page)
        with look("in sight"):
            check_sight(page, name, arriving=90, moving=90)


@pytest.mark.parametrize("name", some_by_day(NAMES, 6, of=16))
def test_projector(name: str, visit: Callable) -> None:
    # A question is a slide before the picture.
    page = visit(name, f"?present=true&{name}_answer=skipped", **PROJECTOR)
    with tour() as look:
        with look("fits"):
            assert sideways(page) == 0
        with look("can be read"):
            check_slide(page, name)
            assert page.locator(FIGURE).bounding_box()["height"] >= 0.6 * 720
            assert page.evaluate("probe.share()") >= 45
            sentence = page.locator(f"{FINDING} p").first.bounding_box()
            assert sentence["y"] + sentence["height"] <= 720
            assert page.get_by_role("button", name="Next").count() == 1
            assert page.locator(CLAIM).bounding_box()["height"] < 30, "the claim has one line"
            assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "20px"
        in_sight = page.evaluate("probe.inSight()")
        page.locator(".st-key-controls summary").first.click()
        wait_until_settled(page)
        with look("beside the controls"):
            check_slide(page, name)
        with look("in sight"):
            assert in_sight >= 95
            check_sight(page, name, arriving=0, moving=80)


@pytest.mark.parametrize("screen", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_home(screen: dict[str, Any], visit: Callable) -> None:
    page = visit("", **screen)
    assert page.locator(".st-key-way_in").count() == 0, "nobody else can open it"
    with tour() as look:
        with look("fits"):
            assert sideways(page) == 0
        with look("barriers"):
            assert barriers(page) == []
        with look("contrast in the dark"):
            check_dark(page)


# ---- looks ----


@contextmanager
def resized(page: Any, size: dict[str, int]) -> Iterator[None]:
    """The page in a window of another size."""
    before = page.viewport_size
    page.set_viewport_size(size)
    wait_until_settled(page)
    try:
        yield
    finally:
        page.set_viewport_size(before)
        wait_until_settled(page)


def written(page: Any) -> list[str]:
    """All that stands on the page and in its pictures."""
    found = page.evaluate("probe.written()")
    drawn = [word["text"] for canvas in found["drawn"] for word in canvas]
    return [*page.locator(MAIN).inner_text().splitlines(), *(word["text"] for word in found["said"]), *drawn]


def check_slide(page: Any, name: str) -> None:
    """What is on a projector can be read from the last row."""
    check_words(page, 18)
    assert [side for side in page.evaluate("probe.cells(8)") if side < 36] == []
    assert page.evaluate("probe.panels()") >= PANELS[name]


def check_sight(page: Any, name: str, *, arriving: float, moving: float) -> None:
    """So much of the picture, in percent, is in sight at first, and while any control is in reach."""
    assert page.evaluate("probe.inSight()") >= arriving
    assert page.evaluate("probe.panels()") >= PANELS[name]
    open_drawer(page)
    seen = page.evaluate("(controls) => probe.inSightBeside(controls)", EACH_CONTROL)
    assert len(seen) > 3
    assert [one for one in seen if one[1] < moving] == []
    close_drawer(page)


def check_for_fingers(page: Any) -> None:
    """What is to be hit is large enough, and nothing is out of sight to a side: no answer, no word of the claim."""
    targets = page.evaluate("probe.targets()")
    assert len(targets) > 10
    assert [one for one in targets if min(one[1:]) < 43.5] == []
    for text in page.locator(".st-key-head p").all():
        assert text.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0, "the claim is cut"
    assert page.locator(CLAIM).bounding_box()["height"] < 45, "it has two lines at most"
    open_question(page)
    answers = page.locator(f"{POPOVER} button").all()
    assert len(answers) > 2
    assert all(box["x"] + box["width"] <= 390 for box in (one.bounding_box() for one in answers))
    page.keyboard.press("Escape")
    page.locator(POPOVER).wait_for(state="detached")


def check_presets(page: Any, name: str, begun: list[str]) -> None:
    """Presets change picture, verdicts and link, hide each other never, move nothing; *Reset* takes back them and the
    answer to the question."""
    buttons, row = page.locator(EACH_PRESET), page.locator(PRESETS)
    remark, finding = row.locator("[data-testid=stMarkdown] p"), page.locator(FINDING)
    pictures, verdicts, tops, remarks = {str(pictures_of(page))}, {finding.inner_text()}, set(), set()
    assert 3 <= buttons.count() <= 6
    for preset in range(buttons.count()):
        buttons.nth(preset).click()
        if preset < COMPUTED:
            wait_until_settled(page)
            pictures.add(str(pictures_of(page)))
            verdicts.add(finding.inner_text())
        else:  # what it says is there before what it computes
            page.wait_for_function("([one, seen]) => !seen.includes(probe.text(one))", arg=[REMARK, [*remarks]])
        assert all(page.evaluate(REACHED))
        said, around = remark.bounding_box(), row.bounding_box()
        assert said["x"] + said["width"] <= around["x"] + around["width"]
        tops.add(page.locator(FIGURE).bounding_box()["y"])
        remarks.add(page.evaluate("(one) => probe.text(one)", REMARK))
    assert len(tops) == 1
    assert len(remarks) == buttons.count()
    assert len(pictures) >= 3
    assert len(verdicts) >= 2
    assert f"{name}_" in page.url
    # By the keyboard: what a preset folds may still move the button from under a pointer.
    open_drawer(page)
    page.get_by_role("button", name="Reset", exact=True).press("Enter")
    page.wait_for_function("(name) => !location.search.includes(`${name}_`)", arg=name)
    wait_until_settled(page)
    close_drawer(page)
    assert pictures_of(page) == begun


def check_files(page: Any, name: str) -> None:
    """Data is there as files, made when they are asked for."""
    page.get_by_role("tab", name="Data").click()
    wait_until_settled(page)
    seed = re.search(r"seed=(\d+)", page.url)[1]
    for label, start in FILES.items():
        with page.expect_download() as download:
            page.get_by_role("button", name=label, exact=True).click()
        file = Path(download.value.path())
        assert file.read_bytes().startswith(start), label
        called, ending = download.value.suggested_filename, ENDINGS.get(label, label.lower())
        assert re.fullmatch(rf"attention-{name.replace('_', '-')}-(.+-)?seed-{seed}(-.+)?\.{ending}", called)
        if label == "CSV":
            rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))
            assert len(rows) > 2
            assert {len(row) for row in rows} == {len(rows[0])}, "a header and rows, and nothing else"
    page.get_by_test_id("stDataFrame").hover()
    page.get_by_role("button", name="Search").wait_for()
    assert page.get_by_role("button", name="Download").count() == 0, "Streamlit's own CSV holds formulas"
