"""A view in a frame of another page, as a slide or a learning platform has it; paper as a browser prints it."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from pages._shared.lessons.library import OURS, ours
from pages._shared.page.worksheet import sheet_of
from pages._shared.page.worksheet_html import handout
from attention_core.language import LANGUAGES, using
from tests.browser.conftest import APP
from tests.sweeps import some_by_day


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Puts a page on a server of its own, which another origin is, and gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()

    def put(html: str) -> str:
        (tmp_path / "index.html").write_text(html, "utf-8")
        return f"http://127.0.0.1:{server.server_port}/index.html"

    yield put
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("width", "height"), some_by_day([(960, 640), (360, 600)]))
def test_a_view_stands_alone_in_a_frame_of_another_page_and_is_alive_there(
    width: int, height: int, serve: Callable, open_page: Callable, elsewhere: Callable[[str], str]
) -> None:
    address = f"{serve(APP)}/masks?masks_stack=decoder&embed=true"
    page = open_page()
    size = f'width="{width}" height="{height}"'
    page.goto(elsewhere(f'<!doctype html><title>A slide</title><iframe src="{address}" {size}></iframe>'))
    frame = page.frame_locator("iframe")
    frame.locator("canvas").first.wait_for()
    for hidden in ("[data-testid=stSidebar]", "[data-testid=stHeader]", "[role=tab]", ".st-key-add_step"):
        assert not any(one.is_visible() for one in frame.locator(hidden).all()), hidden
    main = frame.locator("[data-testid=stMain]")
    assert main.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0
    box = frame.locator("canvas").first.bounding_box()
    assert box["y"] + 100 < height, "the picture is seen without scrolling"
    frame.locator(".st-key-presets [role=radio]").last.click()
    way_out = frame.get_by_role("link", name="Open in the attention explorer")
    while "stack=decoder" in way_out.get_attribute("href"):  # until it leads to what is set now
        page.wait_for_timeout(50)
    parts = urlsplit(way_out.get_attribute("href"))
    assert parts.path == "/masks"
    assert "embed" not in parse_qs(parts.query)


@pytest.mark.parametrize(("language", "name"), some_by_day(product(LANGUAGES, OURS), of=8))
def test_two_steps_have_a_page_of_paper_with_lines_to_write_on(language: str, name: str, open_page: Callable) -> None:
    with using(language):
        course = ours(name)
        page = open_page()
        page.set_content(handout(course, [sheet_of(step) for step in course.steps], solved=False))
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == -(-len(course.steps) // 2)
    page.emulate_media(media="print")
    lines = page.locator(".lines").all()
    assert len(lines) >= len(course.steps)
    assert all(one.evaluate("(one) => one.clientHeight") >= 90 for one in lines), "three lines of 8.5 mm"
