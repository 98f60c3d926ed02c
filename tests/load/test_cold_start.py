"""A class that opens the same link at once, before the process has imported anything."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.load.client import Run, Session
from tests.processes import ROOT, serving

pytestmark = pytest.mark.slow
VISITORS = 6


def test_all_who_come_first_by_the_same_link_get_the_page(tmp_path: Path) -> None:
    with serving(ROOT / "app.py", tmp_path / "server.log") as server:

        def visit(_: int) -> Run:
            with Session(server.url) as visitor:
                return visitor.visit("complexity", {"complexity_num_queries": "64"})

        with ThreadPoolExecutor(VISITORS) as together:
            runs = list(together.map(visit, range(VISITORS)))
        for run in runs:
            assert run.failures == []
            assert [proto.body for kind, proto in run.elements if kind == "heading"][:1] == ["Complexity"]
            assert any(kind == "bidi_component" for kind, _ in run.elements)
            (queries,) = (widget.proto for widget in run.widgets if widget.key == "complexity_num_queries")
            assert queries.raw_value == "64", "what the link holds is not lost on the way"
        assert "Traceback" not in server.log.read_text(encoding="utf-8")
