"""Two visitors measure times at once: one at a time, the other is told to wait, and everybody else is served."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.load.client import Run, Session
from tests.processes import ROOT, Server, serving

pytestmark = pytest.mark.slow
WAITING = "this machine is busy with another computation"


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own, so that nothing else is measured on it."""
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("queue") / "server.log") as running:
        yield running


def progress(run: Run) -> list[str]:
    """What the progress bar said, in order."""
    return [proto.text for kind, proto in run.elements if kind == "progress"]


def test_one_timing_run_at_a_time_and_the_other_says_that_it_waits(server: Server) -> None:
    def measure(d_model: str) -> Run:
        with Session(server.url) as visitor:
            settings = {"measure": "over n", "d_model": d_model, "seconds": "2"}
            return visitor.visit("complexity", {f"complexity_{name}": value for name, value in settings.items()})

    with Session(server.url) as third, ThreadPoolExecutor(2) as both:
        third.visit("complexity")
        asked = [both.submit(measure, d_model) for d_model in ("64", "128")]
        served = 0
        while not all(run.done() for run in asked):
            assert third.visit("").failures == []
            served += 1
        runs = [run.result() for run in asked]
    assert served > 0
    for run in runs:
        assert run.failures == []
        assert any(kind == "plotly_chart" for kind, _ in run.elements), "the measured times are drawn"
    said = [progress(run) for run in runs]
    waited = [WAITING in texts[0] for texts in said]
    assert sorted(waited) == [False, True]
    second, first = sorted(said, key=lambda texts: WAITING in texts[0], reverse=True)
    assert not any(WAITING in text for text in first)
    started = next(i for i, text in enumerate(second) if WAITING not in text)
    assert second[started].startswith("Step ")
    assert not any(WAITING in text for text in second[started:]), "once begun, it is not interrupted"
