"""What who runs the app can see of it: health, metrics, memory and a log without anybody's words."""

import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages._shared.core.pages import HOME, LEDGER, PAGES
from tests.load.client import Session
from tests.processes import PATIENCE_S, ROOT, Server, serving

pytestmark = pytest.mark.slow

NAMES = ("", *(page.name for page in PAGES), LEDGER.name)
CLOUD_BYTES = 690_000_000  # what Streamlit Community Cloud promises an app


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(ROOT / "app.py", tmp_path / "server.log") as running:
        yield running


def read(server: Server, path: str) -> str:
    with urllib.request.urlopen(f"{server.url}/_stcore/{path}", timeout=PATIENCE_S) as answer:
        return answer.read().decode()


def lines(server: Server) -> list[str]:
    """The log without its times, and without Streamlit's greeting."""
    stamp = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ (.*)$", re.M)
    return stamp.findall(server.log.read_text(encoding="utf-8"))


def test_metrics_count_sessions_and_all_pages_stay_within_the_memory_of_community_cloud(server: Server) -> None:
    assert read(server, "health") == "ok"
    with Session(server.url) as session:
        session.visit("")
        metrics = read(server, "metrics")
    assert re.search(r"^active_sessions 1$", metrics, re.M)
    assert re.search(r'^session_events_total\{type="connect"\} 1$', metrics, re.M)
    most = 0
    for name in NAMES:
        with Session(server.url) as session:
            run = session.visit(name)
            assert run.failures == []
        most = max(most, server.rss)
    print(f"{most / 1e6:.0f} MB")
    assert 150_000_000 < most <= CLOUD_BYTES
    starts = [line for line in lines(server) if line.startswith("session starts")]
    assert starts == [f"session starts on {name or HOME.name}" for name in ("", *NAMES)], "a line for each session"


def test_an_error_is_logged_once_with_its_place_and_without_its_text(tmp_path: Path) -> None:
    with serving(ROOT / "tests/browser/apps/failing_app.py", tmp_path / "server.log") as server:
        with Session(server.url) as session:
            session.visit("")
            assert session.visit("permutation", {"permutation_positions": "rotary"}).failures == []
        log = server.log.read_text(encoding="utf-8")
    assert log.count("Traceback") == 1
    assert log.count("ZeroDivisionError on permutation") == 1
    assert "in run_shuffle" in log
    assert "only the server may know" not in log
