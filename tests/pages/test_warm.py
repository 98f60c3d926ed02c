"""The warm-up imports what the pages would, so that no visitor waits for it; one fresh process tells."""

import json
import subprocess
import sys
from typing import Any

import pytest

from pages._shared.core.pages import PAGES
from tests.processes import ROOT

CODE = f"""if True:
    import gc, json, sys
    import pages._shared.main
    from pages._shared.server import question
    from pages._shared.class_rooms.refusal import RoomError
    cold = [*sys.modules]
    try:
        question("scaling")
        early = None
    except RoomError as refusal:
        early = refusal.status
    from pages._shared.compute import warm_up
    warm_up.start().join()
    print(json.dumps({{
        "cold": cold, "warm": [*sys.modules], "early": early, "home": question("home"),
        "in sight": len(gc.get_objects()), "frozen": gc.get_freeze_count(), "collects": gc.isenabled(),
        "answers": [len(question(name).answers) for name in {[page.name for page in PAGES]}],
    }}))
"""


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_what_a_visitor_sees_first_needs_no_torch(told: dict[str, Any]) -> None:
    assert "torch" not in told["cold"]
    assert "streamlit" in told["cold"]


@pytest.mark.slow
def test_after_the_warm_up_no_page_imports_anything_heavy(told: dict[str, Any]) -> None:
    heavy = {"torch", "plotly.graph_objects", "attention_core.studies.receptive_field"}
    assert heavy <= set(told["warm"])


@pytest.mark.slow
def test_where_nobody_asks_for_workers_nothing_of_theirs_is_imported(told: dict[str, Any]) -> None:
    assert "pages._shared.compute.engine" in told["warm"]
    assert not {"distributed", "dask"} & set(told["warm"])


def test_the_warm_up_leaves_nothing_for_the_garbage_collector(told: dict[str, Any]) -> None:
    assert told["frozen"] > told["in sight"]
    assert told["collects"], "it goes on collecting what visitors leave"


def test_any_page_can_be_asked_for_its_question_after_it_and_none_before(told: dict[str, Any]) -> None:
    assert told["early"] == 503
    assert all(2 <= count <= 6 for count in told["answers"])
    assert told["home"] is None
