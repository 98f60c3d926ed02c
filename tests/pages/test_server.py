"""Compressed files are those of known addresses, no others; whatever else is asked for, the app behind answers."""

import gzip
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
import streamlit as st
from streamlit import config

from pages._shared import server
from pages._shared.components.loader import ADDRESS, WEB
from tests.processes import PATIENCE_S, ROOT, run_apart, start_app, stop

APP = ROOT / "app.py"


@pytest.fixture
def compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> server.CompressedStatic:
    """Beside a folder of static files, which has one script, lies another."""
    for name in ("static/static/js/own.js", "static/static/js/own.txt", "beside/other.js", "x.js"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    monkeypatch.setattr(server, "FOLDERS", {"/static": tmp_path / "static/static", ADDRESS: WEB})

    async def behind(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"behind"})

    return server.CompressedStatic(behind)


def asked_of(app: Any, path: str, kind: str = "http", query: bytes = b"") -> list[dict[str, Any]]:
    """What an app sends that is asked for a path, and hands on what it is told."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept-encoding", b"gzip")]
    scope = {"type": kind, "method": "GET", "path": path, "query_string": query, "headers": headers}
    run_apart(app(scope, None, send))
    return sent


def body(app: server.CompressedStatic, path: str) -> bytes:
    return asked_of(app, path)[-1]["body"]


def test_scripts_are_sent_compressed(compressed: server.CompressedStatic) -> None:
    for _ in range(2):
        assert gzip.decompress(body(compressed, "/static/js/own.js")) == b"static/static/js/own.js"
        assert gzip.decompress(body(compressed, f"{ADDRESS}/base/dom.js")) == (WEB / "base/dom.js").read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "/../beside/other.js", "/static/../../beside/other.js", "/static/js/../../../beside/other.js", "/../x.js",
        "//static/js/own.js", "/static/js/own.txt", "/static/js/", "/static/js/none.js", "/static/js/\0.js",
        f"/static/js/{'x' * 5000}.js", "", "/",
    ],
)  # fmt: skip
def test_an_odd_path_is_the_apps_to_answer(path: str, compressed: server.CompressedStatic) -> None:
    assert body(compressed, path) == b"behind"


BELOW = ("attention", "/attention/", "a/b", "/a/b/", "a//b", "deep-learning/course", "注意")


@pytest.fixture
def path(request: pytest.FixtureRequest) -> Iterator[str]:
    """The path that the app is below, as a server's option has it."""
    before = st.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", request.param)
    yield request.param
    config.set_option("server.baseUrlPath", before)


async def echo(scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "echo", "path": scope["path"]})


@pytest.mark.parametrize("path", BELOW, indirect=True)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_proxy_may_pass_the_path_on_or_take_it_away(path: str, kind: str) -> None:
    app, below = server.BelowPath(echo), f"/{path.strip('/')}"
    for asked, expected in {
        "/": f"{below}/",
        "/_stcore/health": f"{below}/_stcore/health",
        "/attentions": f"{below}/attentions",
        f"{below}/": f"{below}/",
        f"{below}/scaling": f"{below}/scaling",
        f"{below}{below}": f"{below}{below}",
        f"{below}ing/x.js": f"{below}{below}ing/x.js",
    }.items():
        assert asked_of(app, asked, kind) == [{"type": "echo", "path": expected}]


@pytest.mark.parametrize("path", ["a/b", "注意"], indirect=True)
def test_the_path_alone_leads_to_home_and_names_no_host(path: str) -> None:
    (start, _end) = asked_of(server.BelowPath(echo), f"/{path}", query=b"class=BBBBB&x=%20")
    assert start["status"] == 307
    assert dict(start["headers"])[b"location"].decode() == f"/{quote(path)}/?class=BBBBB&x=%20"


@pytest.mark.parametrize("path", ["", "/"], indirect=True)
def test_at_the_root_nothing_is_added(path: str) -> None:
    for asked in ("", "/", "/scaling", "//x", "/_stcore/health"):
        assert asked_of(server.BelowPath(echo), asked) == [{"type": "echo", "path": asked}]


@pytest.mark.parametrize("path", ["/a/b/"], indirect=True)
def test_below_a_path_scripts_are_sent_compressed(path: str) -> None:
    app = server.CompressedStatic(echo)
    script = (WEB / "base/dom.js").read_bytes()
    assert gzip.decompress(body(app, f"/a/b{ADDRESS}/base/dom.js")) == script
    assert asked_of(app, f"{ADDRESS}/base/dom.js")[0]["type"] == "echo"


def test_everything_that_is_served_is_served_below_a_path(tmp_path: Path) -> None:
    app = start_app(APP, tmp_path / "app.log", "--server.baseUrlPath=/a/b/")
    try:
        for below in ("/a/b", ""):  # passed on, taken away
            asked = {
                f"{ADDRESS}/matrix_view/view.js": (200, "javascript"),
                f"{ADDRESS}/matrix_view/view.css": (200, "css"),
                "/class/rooms/BBBBB/events": (404, "json"),
                "/_stcore/health": (200, "plain"),
                "/": (200, "html"),
                "/scaling?seed=3": (200, "html"),
            }
            for path, expected in asked.items():
                assert answer(f"{app.url}{below}{path}") == expected, path
        assert answer(f"{app.url}/a/b/class/rooms", b"{}") == (403, "json"), "it says no origin"
    finally:
        stop(app.process)


def answer(url: str, content: bytes | None = None) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, content), timeout=PATIENCE_S) as told:
            return told.status, told.headers.get_content_subtype()
    except HTTPError as error:
        return error.code, error.headers.get_content_subtype()
