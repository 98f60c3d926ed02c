"""Compressed files are those of known addresses, no others; whatever else is asked for, the app behind answers."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from pages._shared import server
from pages._shared.components.loader import ADDRESS, WEB
from tests.processes import run_apart


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


def body(app: server.CompressedStatic, path: str) -> bytes:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept-encoding", b"gzip")]
    run_apart(app({"type": "http", "method": "GET", "path": path, "headers": headers}, None, send))
    return sent[-1]["body"]


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
