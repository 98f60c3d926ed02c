"""The app for a whole class: ``streamlit run deploy/classroom.py``.

torch is warm before the first student comes, Home shows the way in, and static files leave compressed. Streamlit
sends them as they are, because compressing them for each visitor again costs more than it saves; here each is
compressed once, when the server starts.
"""

import gzip
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import Response

ROOT = Path(__file__).parents[1]
STATIC = Path(st.__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css"}
HEADERS = {
    "Content-Encoding": "gzip",
    "Vary": "Accept-Encoding",
    # The names of these files hold a hash of their content, so a browser need never ask again.
    "Cache-Control": "public, max-age=31536000, immutable",
}


class CompressedStatic:
    """Sends Streamlit's scripts and styles compressed to whoever takes gzip; all else goes to the app as it came.

    Args:
        app: The app behind it.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        self.answers = {
            f"/{file.relative_to(STATIC).as_posix()}": Response(
                gzip.compress(file.read_bytes(), 9, mtime=0), headers=HEADERS, media_type=TYPES[file.suffix]
            )
            for file in (STATIC / "static").rglob("*")
            if file.suffix in TYPES
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, or pass it on."""
        answer = None
        if scope["type"] == "http" and scope["method"] == "GET":
            headers = dict(scope["headers"])
            if b"gzip" in headers.get(b"accept-encoding", b"") and b"range" not in headers:
                answer = self.answers.get(scope["path"])
        await (answer or self.app)(scope, receive, send)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Before the first visitor: everything imported, and Home told that this is a class."""
    sys.path.insert(0, str(ROOT))
    # Only here: what is imported before Streamlit's runtime is there caches beside it, and says so in the log.
    from pages._shared import classroom
    from pages._shared.warm import warm_up
    from pages._shared.wire import send_at_once

    send_at_once()
    warm_up()
    classroom.open_doors()
    yield


app = st.App(ROOT / "app.py", lifespan=lifespan, middleware=[Middleware(CompressedStatic)])
