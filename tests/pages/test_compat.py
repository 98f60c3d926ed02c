"""What leans on undocumented things works with the version that is installed, each shown by what it is for."""

import gc
import inspect
import socket
import tracemalloc
from copy import deepcopy
from typing import Any

import pytest
from streamlit import config
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import session_state
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_routes

from pages._shared.core.compat import (
    UPLOAD_LIMIT,
    SendAtOnce,
    is_history_navigation,
    is_move_waiting,
    lower_upload_limit,
    share_uploads,
)
from pages._shared.core.pages import PAGES
from pages._shared.page.controls import FragmentControls
from tests.pages.conftest import go_to
from tests.processes import PATIENCE_S, ROOT, run_apart


def test_a_run_knows_whether_back_or_forward_asked_for_it() -> None:
    assert not is_history_navigation()
    at = AppTest.from_string(
        "import streamlit as st\n"
        "from streamlit.runtime.scriptrunner import get_script_run_ctx\n"
        "from pages._shared.core.compat import is_history_navigation\n"
        "before = is_history_navigation()\n"
        "get_script_run_ctx().is_history_navigation = True\n"
        "st.text(f'{before} {is_history_navigation()}')",
        default_timeout=PATIENCE_S,
    ).run()
    assert at.text[0].value == "False True"
    assert "is_history_navigation" in ClientState.DESCRIPTOR.fields_by_name
    assert "is_history_navigation" in ScriptRunContext.__dataclass_fields__


def test_a_run_knows_what_waits_for_its_end_and_takes_it_along_where_it_begins_anew() -> None:
    assert not is_move_waiting()
    at = AppTest.from_string(
        "import streamlit as st\n"
        "from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx\n"
        "from pages._shared.core.compat import is_move_waiting\n"
        "state = st.session_state\n"
        "state.setdefault('seen', []).append(is_move_waiting())\n"
        "if len(state.seen) == 1:\n"
        "    get_script_run_ctx().script_requests.request_rerun(RerunData(fragment_id='a fragment'))\n"
        "    st.text('not left for it')\n"
        "    state.seen.append(is_move_waiting())\n"
        "    st.rerun()\n"
        "    state.seen.append('never')\n"
        "st.text(state.seen)",
        default_timeout=PATIENCE_S,
    ).run()
    assert at.text[-1].value == "[False, True, False]"


@pytest.mark.parametrize(
    "widget",
    [
        "st.button('press', on_click=drawn.press)",
        "component('drawn', html='<p>\\n</p>', isolate_styles=False)(key='drawn', on_press_change=drawn.press)",
    ],
    ids=["button", "component"],
)
def test_what_a_run_has_drawn_keeps_its_callback_and_what_it_has_not_is_let_go_of(widget: str) -> None:
    at = AppTest.from_string(
        "import gc, weakref\n"
        "import streamlit as st\n"
        "from streamlit.components.v2 import component\n"
        "from streamlit.runtime.scriptrunner import get_script_run_ctx\n"
        "from pages._shared.core.compat import forget_left_widgets\n"
        "class Drawn:\n"
        "    def press(self): st.session_state.pressed = True\n"
        "if st.toggle('here', value=True):\n"
        "    drawn = Drawn()\n"
        "    st.session_state.drawn = weakref.ref(drawn)\n"
        f"    {widget}\n"
        "    del drawn\n"
        "forget_left_widgets()\n"
        "gc.collect()\n"
        "st.text(st.session_state.drawn() is not None)\n"
        "known = get_script_run_ctx().session_state._state._new_widget_state.widget_metadata\n"
        "st.session_state.events = sum('drawn' in name and bool(one.callbacks) for name, one in known.items())",
        default_timeout=PATIENCE_S,
    ).run()
    assert not at.exception
    events = at.session_state.events
    assert events == 2 * ("component" in widget), "a component's state, and its events"
    assert at.text[0].value == "True"
    at.run()
    assert at.text[0].value == "True"
    if at.button:
        at.button[0].click().run()
        assert at.session_state.pressed
    at.toggle[0].set_value(False).run()
    assert at.text[0].value == "False"
    at.toggle[0].set_value(True).run()
    assert at.text[0].value == "True"
    assert not at.exception


def test_who_has_been_on_all_pages_holds_the_controls_of_the_last() -> None:
    def controls() -> list[FragmentControls]:
        gc.collect()
        return [one for one in gc.get_objects() if isinstance(one, FragmentControls)]

    of_others = controls()
    at = AppTest.from_file(str(ROOT / "pages/_shared/main.py"), default_timeout=PATIENCE_S).run()
    for page in PAGES:
        go_to(at, page.name).run()
        assert not at.exception
    at._fragment_storage.clear()  # as a server does after each whole run
    at.session_state[TESTING_KEY].clear()  # what only a test keeps: how each widget spells its options
    held = [one.settings.page for one in controls() if one not in of_others]
    assert held == [PAGES[-1].name]


def test_one_place_shows_what_was_drawn_last_and_any_other_finds_its_key_taken() -> None:
    at = AppTest.from_string(
        "import streamlit as st\n"
        "from streamlit.errors import StreamlitDuplicateElementKey\n"
        "from pages._shared.core.compat import Redrawable\n"
        "place = Redrawable()\n"
        "st.text('after')\n"
        "for label in 'abc':\n"
        "    with place.redrawn():\n"
        "        st.text_input(label, key='key')\n"
        "st.session_state.kept = st.session_state.key\n"
        "if st.session_state.key == 'again':\n"
        "    try:\n"
        "        st.text_input('other', key='key')\n"
        "    except StreamlitDuplicateElementKey:\n"
        "        st.text('taken')\n",
        default_timeout=PATIENCE_S,
    ).run()
    assert not at.exception
    assert [one.label for one in at.text_input] == ["c"]
    assert [one.type for one in at.main if one.type in ("text_input", "text")] == ["text_input", "text"]
    at.text_input(key="key").set_value("typed").run()
    assert at.session_state.kept == "typed"
    at.text_input(key="key").set_value("again").run()
    assert at.text[-1].value == "taken"


def test_a_host_that_runs_the_entry_as_a_plain_script_gets_the_same_pages() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()
    assert not at.exception
    assert at.title[0].value == "Drag a word. Does attention notice?"
    go_to(at, "projections").run()
    assert not at.exception
    assert at.title[0].value == "Projections"


def test_a_websocket_sends_at_once_over_tcp() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()) as connection:
            assert holds_back(connection)
            passed_on({"type": "http"}, connection)
            assert holds_back(connection)
            passed_on({"type": "websocket"}, connection)
            assert not holds_back(connection)


def passed_on(scope: dict[str, str], connection: socket.socket) -> None:
    """What the server does with a new connection."""
    run_apart(SendAtOnce(nothing)(scope, None, Sender(connection).send))


async def nothing(*_: object) -> None:
    """An app that answers nothing."""


class Sender:
    """Stands where uvicorn's protocol does: its method sends, and it knows its transport."""

    def __init__(self, connection: socket.socket) -> None:
        self.transport = self
        self.connection = connection

    def get_extra_info(self, name: str) -> Any:
        return {"socket": self.connection}[name]

    async def send(self, message: object) -> None:
        """Send nothing."""


def holds_back(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_a_file_that_came_is_not_copied_for_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    file = UploadedFile(UploadedFileRec("id", "name", "type", bytes(2**22)), FileURLs())
    monkeypatch.setattr(UploadedFile, "__deepcopy__", None, raising=False)  # as it was, once the test is over
    share_uploads()
    tracemalloc.start()
    try:
        (copy,) = deepcopy([file])
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert (copy, copy.getvalue(), copy.name, copy.size) == (file, file.getvalue(), "name", 2**22)
    copy.write(b"1")
    assert file.getvalue() == bytes(2**22), "it may be written into"
    assert "deepcopy(widget_value)" in inspect.getsource(session_state), "else nothing is to be mended"


def test_files_of_a_box_are_forgotten_at_once() -> None:
    at = AppTest.from_string(
        "import streamlit as st\n"
        "from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager\n"
        "from streamlit.runtime.scriptrunner import get_script_run_ctx\n"
        "from streamlit.runtime.uploaded_file_manager import UploadedFileRec\n"
        "from pages._shared.core.compat import forget_uploads\n"
        "context = get_script_run_ctx()\n"
        "manager = context.uploaded_file_mgr = MemoryUploadedFileManager('')\n"
        "record = UploadedFileRec('one', 'name', 'type', b'12')\n"
        "manager.add_file(context.session_id, record)\n"
        "class File: file_id = 'one'\n"
        "st.session_state.box = [File]\n"
        "before = len(manager.get_files(context.session_id, ['one']))\n"
        "forget_uploads('box')\n"
        "after = len(manager.get_files(context.session_id, ['one']))\n"
        "st.text(f'{before} {after} {\"box\" in st.session_state}')",
        default_timeout=PATIENCE_S,
    ).run()
    assert at.text[0].value == "1 0 False"


def test_the_size_of_files_is_lowered_and_never_raised() -> None:
    before = config.get_option(UPLOAD_LIMIT)
    try:
        for megabytes, left in ((300, 300), (400, 300), (256, 256)):
            lower_upload_limit(megabytes)
            assert config.get_option(UPLOAD_LIMIT) == left
    finally:
        config.set_option(UPLOAD_LIMIT, before)
    assert f'config.get_option("{UPLOAD_LIMIT}")' in inspect.getsource(starlette_routes), "asked at each upload"
