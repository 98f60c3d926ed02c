"""The complexity page: what it shows is what the experiment says, and it times only when asked."""

import re
from collections.abc import Generator

import pytest

from attention_core.experiments.complexity import ComplexityConfig, run_complexity, times
from attention_core.experiments.complexity.clock import Task
from attention_core.experiments.step import Step
from tests.pages.conftest import Open, outcomes, pictures, surprises


def text_of(at: object) -> str:
    return "\n".join(markdown.value.replace("\N{WORD JOINER}", "") for markdown in at.markdown)


def test_the_verdicts_and_numbers_are_those_of_the_experiment(open_page: Open) -> None:
    at = open_page("complexity", complexity_num_queries="64", complexity_d_model="512")
    result, text = run_complexity(ComplexityConfig(num_queries=64, d_model=512)), text_of(at)
    for verdict in result.verdicts:
        assert verdict.numbers in text
    (lines,) = (
        markdown.value.replace("\N{WORD JOINER}", "")
        for markdown in at.markdown
        if result.verdicts[0].numbers in markdown.value
    )
    assert lines.count("** holds.]") == len(lines.split("  \n")) == len(result.verdicts)
    assert f"`{result.share:.1%}`" in text
    assert f"`{result.exponentials:,}`" in text
    assert "Choose what to measure" in text
    assert not at.exception


@pytest.mark.parametrize(
    ("switch", "claims", "because"),
    [
        ("fused", ("cplx-core", "cplx-mha"), "counts it as 0"),
        ("no_output", ("cplx-mha", "cplx-bottleneck"), "there is no W_O"),
        ("large", ("cplx-core", "cplx-mha"), "d_head is twice"),
        ("no_transpose", ("mha-reshape",), "several tokens"),
    ],
)
def test_a_switch_breaks_what_it_says(switch: str, claims: tuple, because: str, open_page: Open) -> None:
    at = open_page("complexity", **{f"complexity_{switch}": "true"}, device="cpu")
    text = text_of(at)
    assert all(re.search(rf"does not hold: .*{because}.*`{claim}", text) for claim in claims)
    assert not surprises(at)


@pytest.mark.parametrize(("seed", "dtype"), [("5", "float64"), ("11", "bfloat16")])
@pytest.mark.parametrize(
    ("sizes", "right"),
    [((1024, 64), "The scores"), ((1024, 512), "Both alike"), ((64, 1024), "The projections")],
)
def test_the_prediction_is_graded_from_the_result(
    sizes: tuple[int, int], right: str, seed: str, dtype: str, open_page: Open
) -> None:
    n, d_model = (str(size) for size in sizes)
    at = open_page("complexity", complexity_d_model="1024", seed=seed, dtype=dtype)
    for answer in ("The projections", "The scores", "Both alike"):
        at.pills(key="_complexity_option").set_value(answer).run()
        assert at.selectbox(key="complexity_d_model").value == 128, "the question says what is set"
        assert ("The measurement agrees" in text_of(at)) is (answer == "The scores")
        next(button for button in at.button if button.label == "Ask again").click().run()
    at.pills(key="_complexity_option").set_value(right).run()
    for name, value in (("num_queries", n), ("num_keys", n), ("d_model", d_model)):
        at.selectbox(key=f"complexity_{name}").set_value(int(value)).run()
        at.run()  # a browser keeps the controls that a run does not draw
    assert "The measurement agrees" in text_of(at)


@pytest.mark.parametrize(
    ("measure", "said"), [("n", "time ∝ n^"), ("d_model", "time ∝ d_model^"), ("shares", "Measured")]
)
def test_asked_for_it_measures_the_time(
    measure: str, said: str, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_the_flops(tasks: list[Task], *_: object) -> Generator[Step, None, list[Task]]:
        """Stands for the clock: of two parts of a layer one takes as long whatever its size."""
        for at, task in enumerate(tasks):
            yield Step(at, len(tasks), task.doing)
            task.times += [0.1 if task.kind == "projections" else 1e-9 * task.flops] * 3
        return []

    monkeypatch.setattr(times, "measure", as_the_flops)
    at = open_page("complexity", complexity_measure=measure, complexity_seconds="2", complexity_num_queries="32")
    assert not at.exception
    text = text_of(at)
    assert said in text
    assert ("cplx-core", "holds") in outcomes(at)


def test_what_costs_too_much_is_refused_and_the_last_good_picture_is_kept(open_page: Open) -> None:
    at = open_page("complexity", complexity_fused="true")
    for name in ("num_queries", "num_keys"):
        at.selectbox(key=f"complexity_{name}").set_value(4096).run()
        at.run()  # a browser keeps the controls that a run does not draw
    at.selectbox(key="complexity_d_model").set_value(1024).run()
    assert "8,589,934,592" in at.error[0].value
    assert "last good picture" in at.error[0].value
    assert pictures(at)
