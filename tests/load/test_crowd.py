"""Two hundred on ways of their own, all at once: memory stays within what small hosts give, and nobody starves."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.visitors import NEVER_WALKED, Visitor
from tests.load.client import Run
from tests.processes import ROOT, serving, watched

# At night it has the machine to itself: it peaks at 638 to 673 MB then, and at 697 beside the rest of the suite.
pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("crowd")]
CROWD, MOVES = 200, 18  # as many as in 150 seconds with eight to think in between
PEAK_BYTES = 690e6  # what Streamlit Community Cloud promises an app


def test_two_hundred_on_ways_of_their_own_stay_within_what_a_small_host_gives(tmp_path: Path) -> None:
    def ask(visitor: Visitor) -> list[Run]:
        return [visitor.act() for _ in range(MOVES)]

    with serving(ROOT / "app.py", tmp_path / "log") as server:
        with watched(server) as peaks, ThreadPoolExecutor(CROWD) as crowd:
            visitors = list(crowd.map(lambda number: Visitor(server.url, NEVER_WALKED + number), range(CROWD)))
            runs = [run for found in crowd.map(ask, visitors) for run in found]
        for visitor in visitors:
            visitor.session.close()
    print(f"{max(peaks) / 1e6:.0f} MB")
    assert len(runs) == CROWD * MOVES
    assert [failure for run in runs for failure in run.failures] == []
    assert [said for run in runs for said in run.told if "went wrong" in said] == []
    assert max(peaks) <= PEAK_BYTES
