"""A visitor without a browser: one session of the app over Streamlit's own protocol.

The browser sends ``BackMsg`` and gets ``ForwardMsg`` over a WebSocket; a run of the script is all that comes between
a ``rerun_script`` and ``script_finished``. As a browser does, a session keeps the large messages of its last run and
says so, and the server then sends their hashes in their place. Unlike a browser it sends only widgets that change.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import websocket
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.processes import PATIENCE_S

FIELDS = {
    "bidi_component": "json_value",
    "button": "trigger_value",
    "button_group": "string_array_value",
    "checkbox": "bool_value",
    "download_button": "trigger_value",
    "expandable": "bool_value",
    "multiselect": "string_array_value",
    "number_input": "double_value",
    "plotly_chart": "string_value",
    "selectbox": "string_value",
    "slider": "double_array_value",
    "tab_container": "string_value",
    "text_area": "string_value",
    "text_input": "string_value",
}


@dataclass(frozen=True, slots=True)
class Widget:
    """One widget or component as the server described it.

    Attributes:
        kind: Name of its element, such as ``slider``.
        proto: The element: its id, label, limits and options.
    """

    kind: str
    proto: Any

    @property
    def key(self) -> str:
        """The key the page gave it; empty if none."""
        return self.proto.id.split("-", 2)[2].removesuffix("None")

    @property
    def name(self) -> str:
        """What it is called, however often it has been replaced by one that shows something else."""
        return self.key.partition("~")[0]

    def state(self, value: Any, field: str = "") -> WidgetState:
        """The message that sets it.

        Args:
            value: The value; of an array, the list of its values.
            field: What it is sent as; empty for what the widget itself sends.
        """
        field = field or FIELDS[self.kind]
        return WidgetState(id=self.proto.id, **{field: {"data": value} if field.endswith("_array_value") else value})

    def told(self, events: str) -> WidgetState:
        """The message by which a component tells what happened.

        Args:
            events: JSON of a list, each an ``event`` and its ``value``.
        """
        return WidgetState(id=_make_trigger_id(self.proto.id, "events"), json_trigger_value=events)


@dataclass(frozen=True)
class Run:
    """What one run of the script sent.

    Attributes:
        messages: All messages, in order.
        seconds: From the request to the last of them.
        kept: What was there before and is still: the parts of the page that did not run again.
    """

    messages: tuple[ForwardMsg, ...]
    seconds: float
    kept: tuple[ForwardMsg, ...] = ()

    @cached_property
    def shown(self) -> tuple[ForwardMsg, ...]:
        """The messages that make the page as it is now."""
        return self.kept + tuple(message for message in self.messages if message.WhichOneof("type") == "delta")

    @cached_property
    def elements(self) -> list[tuple[str, Any]]:
        """Kind and content of each element on the page and of each block that is a widget, in order."""
        return [found for message in self.shown if (found := element_of(message))]

    @cached_property
    def widgets(self) -> list[Widget]:
        """The widgets and components that are there, in order."""
        return [Widget(kind, proto) for kind, proto in self.elements if kind in FIELDS and proto.id]

    @property
    def failures(self) -> list[str]:
        """What a visitor would see of an error that the app did not handle."""
        shown = [f"{proto.type}: {proto.message}" for kind, proto in self.elements if kind == "exception"]
        broken = [
            message.WhichOneof("type")
            for message in self.messages
            if message.WhichOneof("type") == "page_not_found" or message.script_finished == 1
        ]
        return shown + broken

    @property
    def told(self) -> list[str]:
        """The sentences in boxes: what was refused, and why."""
        return [proto.body for kind, proto in self.elements if kind == "alert"]


def element_of(message: ForwardMsg) -> tuple[str, Any] | None:
    """Kind and content of the element or block in a message; None where there is none."""
    part = message.delta.WhichOneof("type")
    if part not in ("new_element", "add_block"):
        return None
    holder = getattr(message.delta, part)
    kind = holder.WhichOneof("type")
    return (kind, getattr(holder, kind)) if kind else None


class Session:
    """One visitor. Use it as a context manager, or ``close`` it.

    Args:
        url: Address of the server.

    Attributes:
        pages: Hash of each page by its address.
        shown: The messages that make the page as it is now.
        heard: Called with each message as it comes.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        address = urlsplit(self.url)._replace(scheme="wss" if self.url.startswith("https") else "ws").geturl()
        self._socket = websocket.create_connection(
            f"{address}/_stcore/stream", timeout=PATIENCE_S, subprotocols=["streamlit"], skip_utf8_validation=True
        )
        self.pages: dict[str, str] = {}
        self.heard: Callable[[ForwardMsg], object] = lambda _: None
        self._page = self._hash = self._query = ""
        self._kept: dict[str, ForwardMsg] = {}
        self.shown: tuple[ForwardMsg, ...] = ()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave."""
        self._socket.close()

    @property
    def parameters(self) -> dict[str, str]:
        """What the server last wrote into the link."""
        return dict(parse_qsl(self._query, keep_blank_values=True))

    def visit(self, page: str, parameters: dict[str, str] | None = None) -> Run:
        """Open a page.

        Args:
            page: Its address; empty for the first one.
            parameters: What the link holds.
        """
        self._page, self._hash, self._query = page, self.pages.get(page, ""), urlencode(parameters or {})
        return self.change()

    def change(self, states: Iterable[WidgetState] = ()) -> Run:
        """Run the page again with other values, or of it the part that the changed widgets belong to."""
        states = list(states)
        start = time.perf_counter()
        back = BackMsg()
        rerun = back.rerun_script
        rerun.query_string, rerun.page_name, rerun.page_script_hash = self._query, self._page, self._hash
        rerun.context_info.url = f"{self.url}/{self._page}"
        rerun.cached_message_hashes.extend(self._kept)
        rerun.widget_states.widgets.extend(states)
        rerun.fragment_id = self._fragment({state.id for state in states})
        self.send(back.SerializeToString())
        messages = self._read()
        run = Run(tuple(messages), time.perf_counter() - start, self._left_alone(messages))
        self.shown = run.shown
        self._kept = {message.hash: message for message in run.shown if message.metadata.cacheable}
        return run

    def open_drawer(self) -> Run:
        """Open the drawer with the page's controls that are not in sight."""
        boxes = (one for one in Run((), 0, self.shown).widgets if one.kind == "expandable")
        return self.change([next(box for box in boxes if box.key.endswith("_more")).state(True)])

    def _fragment(self, widgets: set[str]) -> str:
        """The fragment that all these widgets belong to; empty if there is none."""
        elements = ((message.delta.fragment_id, element_of(message)) for message in self.shown)
        found = {fragment for fragment, element in elements if element and getattr(element[1], "id", "") in widgets}
        return found.pop() if len(found) == 1 else ""

    def _left_alone(self, messages: list[ForwardMsg]) -> tuple[ForwardMsg, ...]:
        """What is there of the page's parts that have not run."""
        started = [message for message in messages if message.WhichOneof("type") == "new_session"]
        ran = set(started[-1].metadata.run.fragment_ids) if started else set()
        ran |= {message.delta.fragment_id for message in messages if ran and message.WhichOneof("type") == "delta"}
        return tuple(message for message in self.shown if ran and message.delta.fragment_id not in ran)

    def send(self, frame: bytes) -> None:
        """Send bytes as they are, whatever they mean."""
        self._socket.send_binary(frame)

    def _read(self) -> list[ForwardMsg]:
        messages: list[ForwardMsg] = []
        while True:
            frame = self._socket.recv()
            if not isinstance(frame, bytes):  # so does websocket-client tell that the server has closed
                raise ConnectionError("the server has closed the session")
            message = ForwardMsg.FromString(frame)
            kind = message.WhichOneof("type")
            if kind == "ref_hash":
                message = self._kept[message.ref_hash]
            elif kind == "navigation":
                self.pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
                self._hash = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            messages.append(message)
            self.heard(message)
            if kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return messages


def flipped(visitor: Session, first: Run, name: str, at: int) -> WidgetState:
    """The message that switches a page's toggle to what it is not: the link says what it is, or it is as it began.

    Args:
        visitor: Who sends it.
        first: The run that drew the page at first, its drawer open.
        name: The page.
        at: Which of its toggles.
    """
    toggles = [one for one in first.widgets if one.kind == "checkbox" and one.key.startswith(f"{name}_")]
    one = toggles[at % len(toggles)]
    began = one.proto.value if one.proto.set_value else one.proto.default
    now = next(other for other in Run((), 0, visitor.shown).widgets if other.name == one.name)
    return now.state({"true": False, "false": True}.get(visitor.parameters.get(one.name, ""), not began))
