"""The complexity page: it counts, measures times only when asked, and refuses what costs too much."""

from collections.abc import Generator

import pytest

from attention_core.measuring.clock import Task
from attention_core.measuring.step import Step
from attention_core.studies.complexity import times
from tests.pages.conftest import open_page
from tests.pages.read import LOOKS, outcome, pictures, said, verdicts


@pytest.mark.parametrize(
    ("measure", "told"), [("n", "time ∝ $n^{"), ("d_model", r"time ∝ $d_{\text{model}}^{"), ("shares", "Measured")]
)
def test_asked_for_it_measures_the_time(measure: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_the_flops(tasks: list[Task], *_: object) -> Generator[Step, None, list[Task]]:
        """Stands for the clock: of two parts of a layer one takes as long whatever its size."""
        for at, task in enumerate(tasks):
            yield Step(at, len(tasks), task.doing)
            task.times += [0.1 if task.kind == "projections" else 1e-9 * task.flops] * 3
        return []

    monkeypatch.setattr(times, "measure", as_the_flops)
    at = open_page("complexity", complexity_measure=measure, complexity_seconds="2", complexity_num_queries="32")
    assert not at.exception
    assert told in said(at)
    assert outcome(at, "cplx-core") == "holds"


def test_what_costs_too_much_is_refused_and_the_last_good_picture_is_kept() -> None:
    at = open_page("complexity", complexity_fused="true")
    for name in ("num_queries", "num_keys"):
        at.selectbox(key=f"complexity_{name}").set_value(4096).run()
        at.run()  # a browser keeps the controls that a run does not draw
    at.selectbox(key="complexity_d_model").set_value(1024).run()
    assert "8,589,934,592" in at.error[0].value
    assert "last good picture" in at.error[0].value
    assert pictures(at)


def test_a_count_that_does_not_look_inside_is_no_finding() -> None:
    at = open_page("complexity", complexity_fused="true", complexity_answer="skipped", device="cpu")
    assert "differs by no more than rounding and never stores the weights" in said(at)
    in_sight = [one.line for one in verdicts(at) if one.claim in ("cplx-core", "cplx-mha", "cplx-heads")]
    assert in_sight
    assert not any(LOOKS["fails"][2] in line for line in in_sight)


@pytest.mark.parametrize(("answer", "told"), [({}, False), ({"complexity_answer": "skipped"}, True)])
def test_a_preset_does_not_answer_the_question_that_stands(answer: dict[str, str], told: bool) -> None:
    at = open_page("complexity", complexity_no_output="true", **answer)
    assert not at.exception
    assert ("A quarter of the projections less" in said(at)) == told
