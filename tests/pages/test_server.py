"""What the server sends by itself: scripts and styles that are in its list, and nothing else of the machine."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import streamlit

from pages._shared.components import loader
from pages._shared.server import CompressedStatic

STATIC = Path(streamlit.__file__).parent / "static"
SCRIPT = next((STATIC / "static/js").glob("index.*.js")).name


def encoding(path: str) -> str:
    """How the middleware sends what is at an address; empty where it leaves that to the app."""
    found: list[str] = []

    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        found.append("")

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found.append(dict(message["headers"])[b"content-encoding"].decode())

    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"accept-encoding", b"gzip")]}
    asyncio.run(CompressedStatic(app)(scope, None, send))
    (one,) = found
    return one


@pytest.mark.parametrize("path", [f"/static/js/{SCRIPT}", f"{loader.ADDRESS}/base/dom.js"])
def test_scripts_are_sent_compressed(path: str) -> None:
    assert encoding(path) == "gzip"


@pytest.mark.parametrize("start", ["", "/static", loader.ADDRESS])
@pytest.mark.parametrize("way", ["../../outside.js", "js/../../../../outside.js", "/outside.js", "a\0.js"])
def test_a_path_leads_nowhere_else(start: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``/../../x.js`` was sent, from beside Streamlit's own folder."""
    outside = STATIC.parents[1] / "outside.js"
    real = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: path.resolve() == outside or real(path))
    monkeypatch.setattr("pages._shared.server._compressed", lambda _file: pytest.fail("it was read"))
    assert encoding(f"{start}/{way}") == ""
