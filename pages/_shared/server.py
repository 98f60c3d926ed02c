"""The server beside its pages: it wakes up, reports failures, sends static files compressed and at once."""

import asyncio
import gzip
import os
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from pages._shared.class_rooms import Question, make_store, routes
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.results import Gain
from pages._shared.classes.page_questions import page_question
from pages._shared.components import loader
from pages._shared.compute import warm_up
from pages._shared.compute.runner import runner
from pages._shared.core.compat import SendAtOnce, lower_upload_limit, share_uploads
from pages._shared.core.network import base_path
from pages._shared.core.pages import HOME, target
from pages._shared.lessons.library import for_class
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.memory import MODEL_BYTES

TYPES = {".js": "text/javascript", ".css": "text/css"}
ASLEEP = gettext_lazy("The app is waking up. Ask again in a moment.")
FOLDERS = {"/static": Path(st.__file__).parent / "static/static", loader.ADDRESS: loader.WEB}
HEADERS = {
    "Content-Encoding": "gzip",
    "Vary": "Accept-Encoding",
    # Their addresses hold a hash of what they are, so a browser need never ask again.
    "Cache-Control": "public, max-age=31536000, immutable",
}


class CompressedStatic:
    """Sends scripts and styles compressed to whoever takes gzip; all else goes to the app as it came.

    Streamlit sends its own as they are, because compressing them for each visitor again costs more than it saves, and
    a browser asks for those of components again on each visit. Here each is compressed once, when it is first asked
    for, and asked for once.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        # Each is known by its whole address: no path is put together from what somebody asks for.
        self._files = {
            f"{base_path()}{address}/{file.relative_to(folder).as_posix()}": file
            for address, folder in FOLDERS.items()
            for file in folder.rglob("*")
            if file.suffix in TYPES
        }
        self._answers: dict[str, Response] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, or pass it on."""
        answer = None
        if scope["type"] == "http" and scope["method"] == "GET":
            headers = dict(scope["headers"])
            if b"gzip" in headers.get(b"accept-encoding", b"") and b"range" not in headers:
                answer = await self._answer(scope["path"])
        await (answer or self.app)(scope, receive, send)

    async def _answer(self, path: str) -> Response | None:
        if path in self._files and path not in self._answers:
            self._answers[path] = await asyncio.to_thread(_compressed, self._files[path])
        return self._answers.get(path)


def _compressed(file: Path) -> Response:
    content = gzip.compress(file.read_bytes(), 9, mtime=0)
    return Response(content, headers=HEADERS, media_type=TYPES[file.suffix])


class BelowPath:
    """Has all that is asked of an app below a path be asked below it.

    A proxy passes the path on or takes it away, and whoever asks the server itself whether it is well knows of none.
    Streamlit answers below its path alone.
    """

    def __init__(self, app: Any) -> None:
        self.app, self._path = app, base_path()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Add the path where it is not there, and pass everything on."""
        app = self.app
        if scope["type"] == "http" and self._path and scope["path"] == self._path:
            # Not by its whole address, which a proxy may have changed.
            query = scope["query_string"].decode("latin-1")
            app = RedirectResponse(f"{quote(self._path)}/" + (f"?{query}" if query else ""))
        elif scope["type"] != "lifespan" and not scope["path"].startswith(f"{self._path}/"):
            scope = scope | {"path": self._path + scope["path"]}
        await app(scope, receive, send)


MIDDLEWARE = [Middleware(SendAtOnce), Middleware(BelowPath), Middleware(CompressedStatic)]


def on_script_error(_error: Exception) -> bool:
    """Called with whatever a page or a callback raised: say so in place of Streamlit's red box, which logs it."""
    st.error(
        _(
            "Something in this page went wrong, and it is not your doing. The server has noted where. "
            "Open the page again by its name in the menu, or go on from Home."
        ),
        icon=":material/error:",
    )
    st.page_link(target(HOME.name), label=str(HOME.title), icon=HOME.icon)
    return True


def question(page: str) -> Question | None:
    """A page's question for a class; None if the page asks nothing.

    Raises:
        RoomError: The pages are not known yet, seconds after the start of the process.
    """
    if not warm_up.is_awake():
        raise RoomError(503, ASLEEP, 1)
    return page_question(page)


def test_items() -> Collection[str]:
    """The ids of the concept test's items.

    Raises:
        RoomError: They are not known yet, seconds after the start of the process.
    """
    if not warm_up.is_awake():
        raise RoomError(503, ASLEEP, 1)
    from attention_core.concept_test.key import BY_ID  # only here: it brings torch, for which no server waits

    return BY_ID


def gains(all_: Sequence[Gain], language: str) -> str:
    """What the second votes of a class gained, drawn."""
    from pages._shared.classes.gains import draw_gains  # only here: it brings NumPy, for which no server waits

    return draw_gains(all_, language)


_rooms = make_store(os.environ.get("ROOMS_URL"))
_ROUTES = routes(_rooms, question, for_class, gains, test_items)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """The imports begin, and the server does not wait for them; at its end the rooms end, and workers of its own."""
    lower_upload_limit(MODEL_BYTES // 2**20)
    share_uploads()
    engine = runner().engine  # begins to look for workers, where there are to be some
    warm_up.start()
    async with _rooms:
        yield
    await asyncio.to_thread(engine.close)


SETTINGS: dict[str, Any] = {
    "script_path": Path(__file__).parent / "main.py",
    "lifespan": lifespan,
    "middleware": MIDDLEWARE,
    "routes": [
        *(Route(base_path() + one.path, one.endpoint, methods=one.methods) for one in _ROUTES),
        Mount(base_path() + loader.ADDRESS, loader.ROUTE.app),
    ],
    "on_script_error": on_script_error,
}
