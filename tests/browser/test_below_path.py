"""The whole app below a path, behind the proxy of deploy/ and under its content security policy.

The path is called like two pages, which is where a page's name could be taken for the path's end. Whatever the policy
forbids is an error in the browser's console, and fails the test that caused it.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pages._shared.core.pages import PAGES
from tests.browser.conftest import APP
from tests.browser.locators import CANVAS, PLOT
from tests.processes import start_app, start_proxy, stop
from tests.sweeps import some_by_day

pytestmark = pytest.mark.xdist_group("below a path")
PATH = "deep-learning/course"
PANEL = ".st-key-_class_panel .panel"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
MISSING = "Tests of the proxy need HAProxy: install Debian's package haproxy."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Home, without the slash at its end."""
    if shutil.which("haproxy") is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(MISSING)
    folder = tmp_path_factory.mktemp("below")
    app = start_app(APP, folder / "app.log", STREAMLIT_SERVER_BASE_URL_PATH=f"/{PATH}/")
    address, proxy = start_proxy(app, folder)
    yield f"{address}/{PATH}"
    stop(proxy)
    stop(app.process)


@pytest.fixture
def go(home: str, visit: Callable) -> Callable[..., Any]:
    return partial(visit, at=home)


# Between them and the tests below they have every component; the others have no more of their own to be found.
BY_DAY = ("", "permutation", "claims", "course")
AT_NIGHT = [page.name for page in PAGES if page.name not in BY_DAY]


@pytest.mark.parametrize("name", [*BY_DAY, *(pytest.param(name, marks=pytest.mark.nightly) for name in AT_NIGHT)])
def test_every_page_is_drawn_where_somebody_arrives_at_it(home: str, go: Callable, name: str) -> None:
    page = go(name, stranger=name in ("", "claims"))
    assert page.url.split("?")[0] == f"{home}/{name}"
    own = (f"{home}/", f"{home}/".replace("http:", "ws:"), "data:", "blob:")
    assert [url for url in page.asked if not url.startswith(own)] == []


@pytest.mark.nightly
def test_home_is_found_without_the_slash_at_its_end(home: str, open_page: Callable, settled: Callable) -> None:
    page = open_page()
    page.goto(f"{home}?seed=3")
    page.wait_for_selector("canvas, .map")
    settled(page)
    assert page.url.startswith(f"{home}/?")
    page.get_by_role("link", name="Scaling").first.click()
    page.wait_for_selector(CANVAS)
    settled(page)
    assert page.url.split("?")[0] == f"{home}/scaling"


def test_links_and_pictures_lead_below_the_path(home: str, go: Callable) -> None:
    page = go("normalization", "?normalization_d_model=4&normalization_tab=share")
    links = page.locator("[data-testid=stCode]").all_inner_texts()
    assert any(link.strip() == f"{home}/normalization?normalization_d_model=4" for link in links), links
    loaded = page.locator("[data-testid=stImage] img").evaluate_all("all => all.map((img) => img.naturalWidth > 0)")
    assert loaded
    assert all(loaded), "the QR codes"


@pytest.mark.parametrize(
    "query", some_by_day(["normalization_topic=block", "normalization_topic=length&normalization_d_model=3"])
)
def test_what_is_taken_along_is_saved(go: Callable, query: str) -> None:
    """In three features LayerNorm is drawn in space, by WebGL."""
    page = go("normalization", f"?{query}&normalization_tab=data")
    if "length" in query:
        page.locator(f"{PLOT} canvas").first.wait_for()
    for label in ("CSV", "PNG", "SVG", "HTML"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=label, exact=True).click()
        assert Path(saved.value.path()).stat().st_size > 100, label


def test_a_class_is_opened_joined_and_votes(home: str, go: Callable) -> None:
    teacher = go("scaling", "?scaling_tab=share")
    teacher.get_by_role("button", name="Start a class", exact=True).click()
    letters = teacher.locator(f"{PANEL} .letters").filter(has_text=re.compile("^[B-Z]{5}$"))
    letters.wait_for()
    key = letters.inner_text()
    teacher.locator(f"{PANEL} .steps .main:enabled").filter(has_text=re.compile("^Ask$")).click()
    phone = go("", f"?class={key}", **PHONE)
    phone.locator(f"{PANEL} .answer").nth(1).click()
    teacher.locator(f"{PANEL} .status").filter(has_text="Vote: 1 of 1").wait_for()
    for page, last in ((teacher, "teacher"), (phone, "votes")):
        asked = [url.split("?")[0] for url in page.asked if "/class/" in url]
        assert f"{home}/class/rooms/{key}/{last}" in asked
        assert all(url.startswith(f"{home}/class/") for url in asked)
