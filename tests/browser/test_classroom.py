"""The classroom's launcher, as a student's browser meets it."""

import gzip
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import sideways
from tests.processes import PATIENCE_S
from tests.sweeps import some_by_day

ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT / "deploy/classroom.py"
NAME = "--browser.serverAddress=class.test"
FIRST_VISIT_BYTES = 3_000_000
DRAWN = "canvas, .js-plotly-plot .main-svg"


@pytest.fixture
def class_app(serve: Callable) -> str:
    """The app as the classroom's launcher serves it."""
    return serve(LAUNCHER, NAME)


@pytest.mark.parametrize("name", some_by_day(["biases", "", "scaling"]))
def test_a_first_visit_takes_little_of_the_network_and_nothing_from_outside(
    name: str, class_app: str, open_page: Callable, settled: Callable
) -> None:
    page = open_page(stranger=True)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: list[float] = []
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(f"{class_app}/{name}")
    page.wait_for_selector(DRAWN)
    settled(page)
    page.wait_for_load_state("networkidle")
    print(f"{name or 'home'}: {sum(sizes):,.0f} bytes")
    assert 500_000 < sum(sizes) <= FIRST_VISIT_BYTES
    host = class_app.removeprefix("http://")
    assert any(url == f"ws://{host}/_stcore/stream" for url in page.asked)
    own = (f"http://{host}/", f"ws://{host}/", "data:", "blob:")
    assert [url for url in page.asked if not url.startswith(own)] == []


def fetch(url: str, **headers: str) -> tuple[bytes, Any]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE_S) as answer:
        return answer.read(), answer.headers


def test_static_files_leave_compressed_once_and_whole(class_app: str) -> None:
    page, _ = fetch(class_app)
    script = next(part for part in page.decode().split('"') if part.endswith(".js") and "index." in part)
    address = f"{class_app}/{script.removeprefix('./').removeprefix('/')}"
    plain, headers = fetch(address)
    packed, packed_headers = fetch(address, **{"Accept-Encoding": "gzip, br"})
    assert headers["Content-Encoding"] is None
    assert packed_headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2
    assert "immutable" in packed_headers["Cache-Control"]
    assert packed_headers["Vary"] == "Accept-Encoding"
    part, part_headers = fetch(address, **{"Accept-Encoding": "gzip", "Range": "bytes=0-9"})
    assert part == plain[:10]
    assert part_headers["Content-Encoding"] is None


def test_a_second_visit_asks_for_no_script_again(class_app: str, open_page: Callable, settled: Callable) -> None:
    page = open_page(stranger=True)
    page.goto(f"{class_app}/masks")
    page.wait_for_selector(DRAWN)
    settled(page)
    page.wait_for_load_state("networkidle")
    page.reload()
    page.wait_for_selector(DRAWN)
    settled(page)
    scripts = page.evaluate(
        """performance.getEntriesByType("resource").filter((one) => /\\.(js|css)$/.test(one.name))
          .map((one) => [one.name, one.transferSize])"""
    )
    assert any("/matrix_view/view.js" in name for name, _ in scripts)
    assert [name for name, size in scripts if size] == []


def test_home_shows_the_way_in(class_app: str, open_page: Callable, settled: Callable) -> None:
    page = open_page(stranger=True)
    page.goto(class_app)
    page.wait_for_selector(DRAWN)
    settled(page)
    panel = page.locator(".st-key-way_in")
    port = class_app.rsplit(":", 1)[1]
    assert panel.get_by_role("link").inner_text() == f"http://class.test:{port}/"
    assert panel.get_by_role("img", name="QR code of the link").is_visible()
    assert sideways(page) == 0
