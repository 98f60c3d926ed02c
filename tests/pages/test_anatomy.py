"""The anatomy page: what it shows is what the experiment says, step by step."""

import pytest

from attention_core.experiments.anatomy import AnatomyConfig, run_anatomy
from attention_core.figures.anatomy import STEP_NAMES, step_of
from tests.pages.conftest import Open


def text_of(at: object) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


@pytest.mark.parametrize("step", STEP_NAMES)
def test_each_step_says_what_it_does_and_shows_its_own_verdicts(step: str, open_page: Open) -> None:
    at = open_page("anatomy", anatomy_step=step)
    text = text_of(at)
    assert step_of(step).says in text
    assert all(f"{claim} holds" in text for claim in step_of(step).claims)
    assert not at.exception


def test_previous_and_next_walk_the_steps(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_step="scale")
    at.button(key="_N").click().run()
    assert step_of("mask").says in text_of(at)
    at.button(key="_P").click().run()
    at.button(key="_P").click().run()
    assert step_of("scores").says in text_of(at)


def test_the_link_holds_the_chosen_cell_and_the_arithmetic_follows(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_step="softmax", anatomy_cell="7.1.3.2")
    share = round(100 * run_anatomy(AnatomyConfig()).weights[0, 3, 2])
    assert f"“on” takes {share} % of what it reads here from “sat”" in text_of(at)
    assert not at.warning
    assert len(open_page("anatomy", anatomy_cell="nonsense").warning) == 1


@pytest.mark.parametrize(
    ("positions", "answer", "right"),
    [("sinusoidal", "All words alike", True), ("sinusoidal", "The word before it", False)],
)
def test_the_prediction_is_graded_from_the_new_result(
    positions: str, answer: str, right: bool, open_page: Open
) -> None:
    at = open_page("anatomy", anatomy_positions=positions)
    at.pills(key="_anatomy_option").set_value(answer).run()
    assert ("The tensor agrees" in text_of(at)) is right


def test_the_grade_changes_with_the_settings(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_weights="random")
    at.pills(key="_anatomy_option").set_value("All words alike").run()
    assert "the tensor says **Some other word**" in text_of(at)


def test_a_number_of_heads_that_does_not_divide_is_refused_in_words(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_heads="3")
    assert "a divisor of d\\_model \\= 16" in at.error[0].value
    at = open_page("anatomy", anatomy_heads="3", anatomy_d_head="4")
    assert not at.error
    assert "mha-divisible does not hold" in text_of(open_page("anatomy", anatomy_step="heads", anatomy_d_head="4"))


def test_words_reach_the_arithmetic_exactly_as_typed(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_tokens="<b> :red[x] $y$")
    assert "“\\$y\\$” takes" in text_of(at)
    assert "“\\:red\\[x\\]”" in text_of(at)
    assert not at.exception
