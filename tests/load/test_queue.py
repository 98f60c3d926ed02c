"""Two visitors measure times at once: one at a time, the other is told to wait, and everybody else is served."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websocket import WebSocketException

from tests.load.client import Run, Session
from tests.processes import PATIENCE_S, ROOT, Server, serving

pytestmark = pytest.mark.slow
WAITING = "this machine is busy with another computation"


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own, so that nothing else is measured on it."""
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("queue") / "server.log") as running:
        yield running


class Measuring(Session):
    """A visitor who has times measured, and tells what the progress bar says as it comes."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.said: list[str] = []
        self.waits, self.begun = Event(), Event()
        self.heard = self._read_bar

    def _read_bar(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        if element.WhichOneof("type") == "progress":
            self.said.append(element.progress.text)
            (self.waits if WAITING in self.said[-1] else self.begun).set()

    def measure(self, d_model: int, seconds: int) -> Run:
        settings = {"measure": "n", "d_model": str(d_model), "seconds": str(seconds)}
        return self.visit("complexity", {f"complexity_{name}": value for name, value in settings.items()})


def test_one_timing_run_at_a_time_and_the_other_says_that_it_waits(server: Server) -> None:
    first, second = Measuring(server.url), Measuring(server.url)
    with Session(server.url) as third, second, ThreadPoolExecutor(2) as both:
        for page in ("complexity", ""):  # a first visit loads what a page needs, which may take as long as a run
            third.visit(page)
        left = both.submit(first.measure, 64, 20)  # longer than all of this takes
        assert first.begun.wait(PATIENCE_S)
        asked = both.submit(second.measure, 128, 2)
        assert second.waits.wait(PATIENCE_S)
        assert third.visit("").failures == [], "everybody else is served"
        assert not second.begun.is_set()
        first.close()  # whoever leaves lets the next one begin
        assert second.begun.wait(PATIENCE_S)
        with suppress(OSError, WebSocketException):
            left.result()
        run = asked.result()
    assert run.failures == []
    assert any(kind == "plotly_chart" for kind, _ in run.elements), "the measured times are drawn"
    assert not first.waits.is_set()
    started = next(i for i, text in enumerate(second.said) if WAITING not in text)
    assert started > 0
    assert any(text.startswith("Step ") for text in second.said[started:])
    assert not any(WAITING in text for text in second.said[started:]), "once begun, it is not interrupted"
