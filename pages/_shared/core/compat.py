"""Everything that leans on what Streamlit and uvicorn do not document, each with its reason.

``tests/pages/test_compat.py`` has a test for each that fails when a new version changes it.
"""

import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit import config
from streamlit.components.v2.bidi_component.constants import EVENT_DELIM
from streamlit.logger import get_logger
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state.common import GENERATED_ELEMENT_ID_PREFIX
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

UPLOAD_LIMIT = "server.maxUploadSize"


def in_visitors_run() -> bool:
    """Whether this thread draws for a visitor: elsewhere asking for session state is answered with a warning.

    Streamlit documents no way to ask whether there is a session.
    """
    return get_script_run_ctx(suppress_warning=True) is not None


def is_history_navigation() -> bool:
    """Whether this run was asked for by the browser's Back or Forward.

    Then the address says what the settings are. In any other run it may be older than the settings: whoever moves two
    controls quickly sends the second move before the first has reached the address. Streamlit restores its own bound
    widgets by this flag, and tells it to nobody else.
    """
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def is_move_waiting() -> bool:
    """Whether the visitor has moved something that waits for this run to end.

    Streamlit leaves a run for a widget of the script itself, but not for one that stands in a fragment, as every
    control does: its message waits until the run is over, however long that computes. ``st.rerun`` called in the run
    takes the waiting message along, so only whether there is one has to be known, and that it tells nobody.
    """
    context = get_script_run_ctx(suppress_warning=True)
    requests = context and context.script_requests
    return requests is not None and requests._state is ScriptRequestType.RERUN  # noqa: SLF001 - see above


def forget_left_widgets() -> None:
    """Forget what Streamlit keeps of widgets that the run, at its end, has not drawn.

    It keeps that of each widget that a session ever drew, the callback included, and so all of each page that was
    ever open: half a megabyte for a visitor who has been through the app.
    """
    context = get_script_run_ctx()
    assert context is not None
    state = context.session_state
    with state._lock:  # noqa: SLF001 - see above
        known = state._state._new_widget_state.widget_metadata  # noqa: SLF001 - see above
        drawn = context.shared.widget_ids_this_run.snapshot()
        for widget in [name for name in known if _element(name) not in drawn]:
            del known[widget]


def _element(widget: str) -> str:
    """The element id within a widget id; a component's events have one around the component's own."""
    return widget[max(0, widget.rfind(GENERATED_ELEMENT_ID_PREFIX)) :].removesuffix(f"{EVENT_DELIM}events")


def lower_upload_limit(megabytes: int) -> None:
    """Lower the server's limit on uploaded files, in megabytes.

    Streamlit refuses by ``server.maxUploadSize`` alone, whatever a box for files allows (``max_upload_size``), and a
    file is in memory before a page hears of it. How much there is only the running server knows, and
    ``st.set_option`` sets what concerns browsers.
    """
    if config.get_option(UPLOAD_LIMIT) > megabytes:
        config.set_option(UPLOAD_LIMIT, megabytes)


def share_uploads() -> None:
    """Have the bytes of an uploaded file no second time in memory.

    Streamlit gives a page a deep copy of each widget's value in each run, so that it may change that. Of a file it
    would be a copy of all its bytes, and one that is written into makes its own anyway.
    """

    def shared(file: UploadedFile, _memo: dict[int, Any]) -> UploadedFile:
        record = UploadedFileRec(file.file_id, file.name, file.type, file.getvalue())
        return UploadedFile(record, file._file_urls)  # noqa: SLF001 - see above

    UploadedFile.__deepcopy__ = shared  # pyright: ignore[reportAttributeAccessIssue]


def forget_uploads(key: str) -> None:
    """Forget the files of a box, or the one of a box for one, which is not drawn any more.

    Streamlit keeps them as long as the session, and what it knows of the box until the run is over: so long they
    would stand in memory beside what is computed of them.

    Args:
        key: The key of the box.
    """
    context = get_script_run_ctx()
    assert context is not None
    held = st.session_state[key]
    for file in held if isinstance(held, list) else [held]:
        if isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):  # elsewhere there is no way to
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    del st.session_state[key]


def filter_failures(keep: Callable[[logging.LogRecord], bool]) -> None:
    """Filter what pages and callbacks raise through ``keep`` before Streamlit logs it.

    It logs an exception with its text before it calls ``on_script_error``, by a logger whose name nobody documents.
    """
    get_logger("streamlit.error_util").addFilter(keep)


@cache
def typeface(kind: Literal["Upright", "Italic"]) -> bytes:
    """The typeface of all pages as a file (WOFF2, with every weight), for pictures that are taken along.

    Streamlit brings it and documents no way to it. A picture without it is drawn in the reader's own typeface.
    """
    folder = Path(st.__file__).parent / "static" / "static" / "media"
    file = next(folder.glob(f"SourceSansVF-{kind}.*.woff2"), None)
    return file.read_bytes() if file else b""


class Redrawable:
    """A container in which a component can be drawn again and again within one run, updating where it stands.

    A component stays what it is in the browser, and takes new data, if it stands where it stood under the same key.
    But Streamlit has a key used once in a run, so that nobody names two things alike, and what stands in
    ``st.empty`` is taken down before it is drawn again.
    """

    def __init__(self) -> None:
        self._container = st.container()
        self._cursor: Any = self._container._cursor  # noqa: SLF001 - see above
        self._drawn: list[frozenset[str]] = []

    @contextmanager
    def redrawn(self) -> Iterator[None]:
        """Draw in place of what was drawn here before."""
        context = get_script_run_ctx()
        assert context is not None
        used = (context.shared.widget_user_keys_this_run, context.shared.widget_ids_this_run)
        for names, drawn in zip(used, self._drawn, strict=False):
            others = names.snapshot() - drawn
            names.clear()
            for name in others:
                names.check_and_add(name)
        before = [names.snapshot() for names in used]
        self._cursor.reset()
        with self._container:
            yield
        self._drawn = [names.snapshot() - known for names, known in zip(used, before, strict=True)]


class SendAtOnce:
    """Messages of the WebSocket go out as they are written, instead of waiting for the last one's acknowledgement.

    A run of a page sends some fifty small messages, and the kernel holds a small one back until all before it are
    acknowledged, which the other end puts off by 40 ms. asyncio switches that off (``TCP_NODELAY``), but not for
    connections of a listening socket made without a protocol number, as Streamlit makes it. The connection's own
    transport is behind uvicorn's ``send``.
    """

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Set the option on a new WebSocket, and pass everything on."""
        if scope["type"] == "websocket":
            transport = getattr(getattr(send, "__self__", None), "transport", None)
            connection = transport and transport.get_extra_info("socket")
            if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self.app(scope, receive, send)
