"""Thirty who train at the same moment, as a class does: all are answered, and memory stays within small hosts'."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.load.client import Run, Session
from tests.processes import ROOT, serving, watched

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("crowd")]
CLASS = 30
PEAK_BYTES = 690e6  # what Streamlit Community Cloud promises an app
OPEN = {"learning_task": "text", "learning_answer": "skipped"}


def at_once(act: Callable[[int], Run]) -> list[Run]:
    with ThreadPoolExecutor(CLASS) as crowd:
        return list(crowd.map(act, range(CLASS)))


def widget(run: Run, kind: str, label: str) -> Any:
    return next(one for one in run.widgets if one.kind == kind and one.proto.label == label)


def text_of(number: int) -> str:
    return "five boats went out, five boats came in;\nand who saw them? the wind, the wind.\n" * (12 + number)


def pasted(visitor: Session, run: Run, text: str) -> Run:
    box, button = widget(run, "text_area", "Paste a text"), widget(run, "button", "Train on it")
    return visitor.change([box.state(text), button.state(True)])


def what_is_said(run: Run) -> list[str]:
    return [proto.body for kind, proto in run.elements if kind == "markdown"]


@pytest.mark.parametrize("of_one_text", [True, False], ids=["one text", "thirty texts"])
def test_a_class_trains_on_texts_of_its_own(of_one_text: bool, tmp_path: Path) -> None:
    with serving(ROOT / "app.py", tmp_path / "log") as server, watched(server) as seen:
        visitors = [Session(server.url) for _ in range(CLASS)]
        opened = [one.visit("learning", OPEN) for one in visitors]
        runs = at_once(lambda at: pasted(visitors[at], opened[at], text_of(0 if of_one_text else at)))
        for one in visitors:
            one.close()
    assert [failure for run in runs for failure in run.failures] == []
    assert all(any(" kinds" in line and "6,430" not in line for line in what_is_said(run)) for run in runs)
    told = {"\n".join(what_is_said(run)) for run in runs}
    assert len(told) == (1 if of_one_text else CLASS)
    print(f"{max(seen) / 1e6:.0f} MB")
    assert max(seen) <= PEAK_BYTES


def test_a_class_trains_on_pictures(tmp_path: Path) -> None:
    """Of two seeds, as neighbours compare: a training takes some 20 seconds of one core."""
    with serving(ROOT / "app.py", tmp_path / "log") as server, watched(server) as seen:
        visitors = [Session(server.url) for _ in range(CLASS)]
        runs = at_once(lambda at: visitors[at].visit("images", {"seed": str(at % 2), "images_weights": "live"}))
        for one in visitors:
            one.close()
    assert [failure for run in runs for failure in run.failures] == []
    assert len({"\n".join(what_is_said(run)) for run in runs}) == 2
    print(f"{max(seen) / 1e6:.0f} MB")
    assert max(seen) <= PEAK_BYTES
