"""What the server does beside running pages: wake up, tell failures, send static files compressed and at once."""

import asyncio
import gzip
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import Response

from pages._shared.components.loader import WEB, file_at
from pages._shared.compute import warm_up
from pages._shared.core.compat import SendAtOnce
from pages._shared.core.qr_code import ROUTE
from pages._shared.failure import on_script_error
from pages._shared.rooms import make_store, routes

STATIC = Path(st.__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css"}
HEADERS = {
    "Content-Encoding": "gzip",
    "Vary": "Accept-Encoding",
    # Their addresses hold a hash of what they are, so a browser need never ask again.
    "Cache-Control": "public, max-age=31536000, immutable",
}


class CompressedStatic:
    """Sends scripts and styles compressed to whoever takes gzip; all else goes to the app as it came.

    Streamlit sends its own as they are, because compressing them for each visitor again costs more than it saves, and
    those of components so that a browser asks for them again on each visit. Here each is compressed once, when it is
    first asked for, and asked for once.

    Args:
        app: The app behind it.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        self._answers: dict[Path, Response] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, or pass it on."""
        answer = None
        if scope["type"] == "http" and scope["method"] == "GET":
            headers = dict(scope["headers"])
            if b"gzip" in headers.get(b"accept-encoding", b"") and b"range" not in headers:
                answer = await self._answer(scope["path"])
        await (answer or self.app)(scope, receive, send)

    async def _answer(self, path: str) -> Response | None:
        file = file_at(path) or STATIC / path.removeprefix("/")
        if file in self._answers:
            return self._answers[file]
        known = WEB in file.parents or file.parent.parent.parent == STATIC
        if file.suffix not in TYPES or not known or not file.is_file():
            return None
        self._answers[file] = await asyncio.to_thread(_compressed, file)
        return self._answers[file]


def _compressed(file: Path) -> Response:
    content = gzip.compress(file.read_bytes(), 9, mtime=0)
    return Response(content, headers=HEADERS, media_type=TYPES[file.suffix])


MIDDLEWARE = [Middleware(SendAtOnce), Middleware(CompressedStatic)]


_rooms = make_store(os.environ.get("ROOMS_URL"))


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """The imports begin, and the server does not wait for them; at its end the rooms end."""
    warm_up.start()
    async with _rooms:
        yield


SETTINGS: dict[str, Any] = {
    "script_path": Path(__file__).parent / "main.py",
    "lifespan": lifespan,
    "middleware": MIDDLEWARE,
    "routes": [*routes(_rooms, warm_up.question), ROUTE],
    "on_script_error": on_script_error,
}
