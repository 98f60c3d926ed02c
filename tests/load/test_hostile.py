"""What no browser of ours sends: the server refuses it, says so where somebody reads it, and goes on serving all."""

import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages._shared.compute.runner import CACHE_BYTES
from pages._shared.core.pages import HOME, LEDGER, PAGES
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import Course, Step, decode
from pages._shared.lessons.lesson import PARTS, Lesson
from attention_core.measuring.checks import MAX_TOKENS
from tests.load.client import FIELDS, Run, Session, Widget
from tests.processes import ROOT, Server, serving
from tests.strategies import hostile_text
from tests.sweeps import some_by_day
from tests.texts import NONSENSE

pytestmark = pytest.mark.slow
ADDRESSES = ("", *(page.name for page in PAGES), LEDGER.name)
TABS = ("Share", "Data", "Code", "Why")
MARKUP = '<b>evil</b> <script>evil()</script> $evil$ :red[evil] %{evil} """evil""" `evil` [evil](http://evil)'
LIVE = re.compile(r"<b>evil|<script>evil|(?<!\\)\$evil|(?<!\\):red\[evil|(?<!\\)\[evil\]\(")
LONG = "x" * 10_000
DEEP = "[" * 5_000 + "]" * 5_000
MANY_DIGITS = "9" * 5_000  # Python refuses to read so long a number

# A value of every kind that the protocol has, and of each kind those at and past the ends.
FORGED: tuple[tuple[str, Any], ...] = (
    *(("double_value", value) for value in (math.nan, math.inf, 1e308, -1.0)),
    *(("double_array_value", value) for value in ([], [math.nan], [-math.inf], [1e308], [0.5] * 9)),
    *(("int_value", value) for value in (2**63 - 1, -(2**63))),
    ("int_array_value", [2**63 - 1]),
    *(("string_value", value) for value in ("", MARKUP, LONG)),
    *(("string_array_value", value) for value in ([], [MARKUP, LONG])),
    *(("json_value", value) for value in ("{", "null", DEEP, MANY_DIGITS, json.dumps(MARKUP))),
    *(("json_trigger_value", value) for value in ("{", DEEP)),
    ("bytes_value", b"\xff\x00"),
    ("bool_value", True),
    ("trigger_value", True),
    ("string_trigger_value", {"data": MARKUP}),
    ("chat_input_value", {"data": MARKUP}),
    ("file_uploader_state_value", {}),
    ("arrow_value", {}),
)
TOO_MANY = " ".join("w" * (MAX_TOKENS + 1))
TEXTS = (LONG, MARKUP, TOO_MANY, "", "\x00\u202e\u200b\ufffe")


def moved(order: Any, serial: Any = 1) -> str:
    """What the token board sends."""
    return json.dumps({"sent": {"serial": serial, "order": order}})


# Nonsense in the shape of what components send, and of a click on a chart.
STATES = (
    "3",
    '{"step": [0, 1e999], "cell": [0, NaN, Infinity, -1]}',
    '{"step": [0, 1073741824], "cell": [0, -1, 99, 1e308]}',
    '{"step": {"0": 1}, "cell": [[0], true, null, "0"]}',
    '{"sent": "evil", "step": null, "cell": ""}',
    f'{{"sent": {DEEP}}}',
    f'{{"step": [0, {MANY_DIGITS}]}}',
    moved([0, 0]),
    moved([LONG]),
    moved([math.nan, 1e308], serial=math.inf),
    moved([*range(len(MARKUP.split()))]),
)
POINTS: tuple[Any, ...] = ([math.nan, math.inf], [1e308, -1], [2**70] * 3, ["0", True], [[0]], MARKUP, [99], [0, 99])
CLICKS = tuple(
    json.dumps({"selection": selection})
    for selection in (None, {"points": 3}, *({"points": [{"customdata": data}]} for data in POINTS))
)

# Streamlit handles these two itself, and tells the log how.
HANDLED = ("Failed to deserialize component state from frontend", "Error deserializing back message")


# What a widget's own reader raises on a value that no widget sends: told in a sentence, and logged as a failure.
IN_A_READER = re.compile(r", in (deserialize|unpack_widget_state_value)\n")


def unhandled(log: str) -> list[str]:
    """The records of a server's log that tell of an error."""
    records = re.split(r"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ )", log, flags=re.MULTILINE)
    errors = [record for record in records if re.search(r"Traceback|Uncaught|Exception in|ERROR", record)]
    return [record for record in errors if not any(known in record.splitlines()[0] for known in HANDLED)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose every page has been opened once."""
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("hostile") / "server.log") as running:
        with Session(running.url) as first:
            for address in ADDRESSES:
                first.visit(address)
        yield running


@pytest.fixture(scope="module")
def memory_at_first(server: Server) -> int:
    return server.rss


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(server: Server, memory_at_first: int) -> Iterator[None]:
    """No error in the log, a next visitor who gets his page, and no more memory than the cache may take."""
    before = server.log.stat().st_size
    yield
    log = server.log.read_bytes()[before:].decode(errors="replace")
    assert [record for record in unhandled(log) if not IN_A_READER.search(record)] == []
    assert not any(re.search(r"evil|x{99}|9{99}", record) for record in unhandled(log)), (
        "it never holds what was sent"
    )
    with Session(server.url) as next_visitor:
        run = next_visitor.visit("")
        assert problems(run) == []
        assert not run.told
    # The cache of results may fill up; as much again is what Streamlit keeps of visitors who left, and the allocator.
    assert server.rss < memory_at_first + 2 * CACHE_BYTES


def heading(run: Run) -> str:
    """The page's title."""
    return next((proto.body for kind, proto in run.elements if kind == "heading"), "")


def problems(run: Run) -> list[str]:
    """What is wrong with a page: errors nobody handled, texts that became markup, nothing to see and no word why."""
    kinds = {kind for kind, _ in run.elements}
    found = run.failures + [sentence for sentence in run.told if "went wrong" in sentence]
    if "heading" not in kinds or not kinds & {"bidi_component", "plotly_chart", "alert", "button"}:
        found.append(f"nothing to see but {kinds}")
    for kind, proto in run.elements:
        if kind in ("bidi_component", "code", "imgs", "html"):  # plain data, a program, a picture, our own style
            continue
        texts = [getattr(proto, name, "") for name in ("body", "label", "help", "title", "text", "spec")]
        found += [f"live in {kind}: {text}" for text in texts if LIVE.search(text)]
    return found


def sent(
    visitor: Session, states: list[WidgetState], what: object, *, may_fail: bool = False
) -> dict[str, list[str]]:
    """The problems after sending ``states``, under the name of what was sent; nothing where there are none.

    What no widget sends may be answered by a sentence alone; whoever forged it opens the page anew.
    """
    run = visitor.change(states)
    found = problems(run)
    if may_fail and any("went wrong" in sentence for sentence in run.told):
        found = run.failures
    return {str(what)[:60]: found} if found else {}


@pytest.mark.nightly
def test_the_checks_can_fail() -> None:
    live = ("<b>evil</b>", "a $evil$", ":red[evil]", "[evil](http://evil)")
    assert all(map(LIVE.search, live))
    assert not any(LIVE.search(escape_markdown(text)) for text in live)
    log = "2026-01-01 00:00:00.000 session starts\n2026-01-01 00:00:01.000 KeyError on home\nTraceback (most recent"
    assert [record[:23] for record in unhandled(log)] == ["2026-01-01 00:00:01.000"]
    assert unhandled(log.replace("KeyError on home", HANDLED[0])) == []


def unfolded(visitor: Session) -> list[Widget]:
    """What may be moved on the page, its drawer open."""
    visitor.change([one.state(True) for one in visitor.change().widgets if one.kind == "expandable"])
    return visitor.change().widgets


@pytest.mark.parametrize("address", some_by_day(ADDRESSES, 0))
def test_values_of_every_kind_and_size_break_no_page(address: str, server: Server) -> None:
    with Session(server.url) as visitor:
        first = visitor.visit(address)
        widgets = first.widgets
        tab = TABS[ADDRESSES.index(address) % 4]
        visitor.change([widget.state(tab) for widget in widgets if widget.kind == "tab_container"])
        widgets = unfolded(visitor)
        components = [widget for widget in widgets if widget.kind == "bidi_component"]
        broken = {}
        for field, value in FORGED:
            # Pressing a button is no forgery.
            states = [
                widget.state(value, field)
                for widget in widgets
                if FIELDS[widget.kind] != "trigger_value" or field != "trigger_value"
            ]
            broken |= sent(visitor, states, (field, value), may_fail=True)
        for payload in ("3", "{", DEEP, '[{"event": "step", "value": 3}, {"event": []}]'):
            states = [one.told(payload) for one in components]
            broken |= sent(visitor, states, payload, may_fail=True)
        assert broken == {}
    with Session(server.url) as again:
        assert heading(again.visit(address)) == heading(first)


@pytest.mark.parametrize("address", some_by_day(ADDRESSES, 1))
def test_typed_texts_reported_moves_and_clicks_are_data(address: str, server: Server) -> None:
    with Session(server.url) as visitor:
        visitor.visit(address)
        widgets, broken = unfolded(visitor), {}
        for kind, values in (("bidi_component", STATES), ("plotly_chart", CLICKS), ("text_input", TEXTS)):
            chosen = [widget for widget in widgets if widget.kind == kind]
            for value in values if chosen else ():
                broken |= sent(visitor, [widget.state(value) for widget in chosen], value, may_fail=True)
        assert broken == {}


def frames() -> dict[str, bytes]:
    """Frames that ask for nothing, for what visitors may not have, or are no message at all."""
    other = BackMsg()
    other.backend_operation_request.session_id = "evil"
    other.backend_operation_request.deferred_file.file_id = "../../etc/passwd"
    uploads = BackMsg()
    uploads.file_urls_request.request_id = MARKUP
    unknown = BackMsg()
    unknown.rerun_script.page_script_hash = "evil"
    unknown.rerun_script.fragment_id = "evil"
    unknown.rerun_script.widget_states.widgets.append(WidgetState(id="evil", string_value=LONG))
    return {
        "empty": b"",
        "noise": bytes(range(256)) * 40,
        "cut": other.SerializeToString()[:-3],
        "a file": other.SerializeToString(),
        "uploads": uploads.SerializeToString(),
        "no page": unknown.SerializeToString(),
        "stop": BackMsg(stop_script=True).SerializeToString(),
        "shutdown": BackMsg(debug_shutdown_runtime=True).SerializeToString(),
        "cut off": BackMsg(debug_disconnect_websocket=True).SerializeToString(),
        "clear": BackMsg(clear_cache=True).SerializeToString(),
    }


@pytest.mark.parametrize("name", frames())
def test_a_frame_that_is_no_message_ends_at_most_its_own_session(name: str, server: Server) -> None:
    with Session(server.url) as visitor, Session(server.url) as bystander:
        visitor.visit("permutation")
        bystander.visit("permutation")
        visitor.send(frames()[name])
        assert problems(bystander.visit("masks")) == []


def test_a_message_that_is_too_long_is_not_read(server: Server) -> None:
    with Session(server.url) as visitor:
        typed = next(widget for widget in visitor.visit("").widgets if widget.kind == "text_input")
        with pytest.raises(ConnectionError):
            visitor.change([typed.state("x" * 2_000_000)])


ODD = st.sampled_from((*NONSENSE, MARKUP, LONG, TOO_MANY, "0-0-1", "true")) | hostile_text(20)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(), st.sampled_from(("", MARKUP, LONG, "none", "0-0-1"))),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def keys(server: Server) -> Callable[[str], list[str]]:
    """What a page's links may hold."""
    return cache(partial(_keys_of, server))


def _keys_of(server: Server, address: str) -> list[str]:
    """The keys of a page's bound widgets, and all that a lesson of the page could fix."""
    with Session(server.url) as visitor:
        widgets = visitor.visit(address, {f"{address}_tab": "share"}).widgets
        found = {
            widget.key for widget in widgets if not widget.key.startswith("_") and widget.kind != "bidi_component"
        }
        choices = [widget for widget in widgets if widget.key == f"_{address}_lesson_fix"]
        run = visitor.change([widget.state(list(widget.proto.options)) for widget in choices])
        links = [proto.code_text for kind, proto in run.elements if kind == "code" and "course=" in proto.code_text]
        for made in links:
            found |= set(decode(parse_qs(urlsplit(made).query)["course"][0])[0].steps[0].lesson.fixed)
        assert bool(links) == bool(choices)
    return sorted(found)


@pytest.mark.parametrize("address", some_by_day(ADDRESSES, 2))
@settings(max_examples=5, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_link_breaks_a_page(
    address: str, server: Server, keys: Callable[[str], list[str]], data: st.DataObject
) -> None:
    names = st.sampled_from(keys(address))
    link = data.draw(st.dictionaries(names, ODD, max_size=6), label="link")
    with Session(server.url) as visitor:
        assert problems(visitor.visit(address, link)) == []
        assert problems(visitor.change()) == []


@pytest.mark.parametrize("address", some_by_day(ADDRESSES, 3))
@settings(max_examples=5, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_lesson_breaks_a_page(
    address: str, server: Server, keys: Callable[[str], list[str]], data: st.DataObject
) -> None:
    fixed = data.draw(st.dictionaries(st.sampled_from(keys(address)), VALUES, max_size=3), label="fixed")
    lesson = Lesson(
        parts=data.draw(st.lists(st.sampled_from(list(PARTS)), unique=True).map(tuple), label="parts"),
        fixed=fixed,
        hidden=data.draw(st.sampled_from([(), tuple(fixed)]), label="hidden"),
        predict_first=data.draw(st.booleans(), label="first"),
        note=MARKUP,
    )
    course = Course(steps=(Step(page=address or HOME.name, lesson=lesson),)).encode()
    with Session(server.url) as visitor:
        assert problems(visitor.visit(address, {"course": course})) == []
