"""The anatomy page: what it shows is what the experiment says, step by step."""

import pytest

from attention_core.experiments.anatomy import AnatomyConfig, run_anatomy
from attention_core.figures.anatomy import STEP_NAMES, step_of
from tests.pages.conftest import Open, held


def text_of(at: object) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


def verdict_of(at: object, claim: str) -> str:
    """The line on the page that tells a claim's verdict."""
    return next(line for line in text_of(at).splitlines() if f"`{claim} · " in line)


@pytest.mark.parametrize("step", STEP_NAMES)
def test_each_step_says_what_it_does_and_shows_its_own_verdicts(step: str, open_page: Open) -> None:
    at = open_page("anatomy", anatomy_step=step)
    assert step_of(step).says in text_of(at)
    assert all("** holds." in verdict_of(at, claim) for claim in step_of(step).claims)
    assert not at.exception
    assert not at.warning


def test_previous_and_next_walk_the_steps_and_a_step_is_chosen_at_the_picture(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_step="scale")
    at.button(key="_N").click().run()
    assert step_of("mask").says in text_of(at)
    at.button(key="_P").click().run()
    at.button(key="_P").click().run()
    assert step_of("scores").says in text_of(at)
    at.segmented_control(key="anatomy_step").set_value("qkv").run()
    assert step_of("qkv").says in text_of(at)
    assert dict(at.query_params) == {"anatomy_step": "qkv"}


def test_the_link_holds_the_chosen_cell_and_the_arithmetic_follows(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_step="softmax", anatomy_cell="7.1.3.2")
    share = round(100 * run_anatomy(AnatomyConfig()).weights[0, 3, 2])
    assert f"“on” takes {share} % of what it reads here from “sat”" in text_of(at)
    assert not at.warning
    assert len(open_page("anatomy", anatomy_cell="nonsense").warning) == 1


def grade_of(at: object) -> str:
    return next(item.value for item in at.markdown if item.value.startswith("**You said**"))


def test_an_answer_moves_every_control_and_is_graded_under_any_seed_and_precision(open_page: Open) -> None:
    for seed, dtype in (("0", "float64"), ("5", "bfloat16"), ("77", "float16")):
        at = open_page("anatomy", seed=seed, dtype=dtype, anatomy_head="2", anatomy_weights="random")
        at.pills(key="_anatomy_option").set_value("All words alike").run()
        assert "The measurement agrees" in grade_of(at), (seed, dtype)
        assert set(held(at, "anatomy")) == {"positions"}


@pytest.mark.parametrize(
    ("positions", "truth"),
    [("sinusoidal", "The word before it"), ("alibi", "Itself"), ("rotary", "All words alike")],
)
@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_the_grade_changes_with_the_settings(positions: str, truth: str, dtype: str, open_page: Open) -> None:
    at = open_page("anatomy", dtype=dtype, seed="3")
    at.pills(key="_anatomy_option").set_value("Some other word").run()
    at.selectbox(key="anatomy_positions").set_value(positions).run()
    assert f"Measured here: **{truth}**" in grade_of(at)
    at.run()  # the move ran the answers alone, and left the controls out of what this test sees
    at.segmented_control(key="anatomy_weights").set_value("random").run()
    assert "The measurement agrees" in grade_of(at)


def test_a_number_of_heads_that_does_not_divide_is_refused_in_words(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_heads="3")
    assert "a divisor of d\\_model \\= 16" in at.error[0].value
    at = open_page("anatomy", anatomy_heads="3", anatomy_d_head="4", anatomy_step="heads")
    assert not at.error
    assert "** does not hold: d_head is given" in verdict_of(at, "mha-divisible")


def test_words_reach_the_arithmetic_exactly_as_typed(open_page: Open) -> None:
    at = open_page("anatomy", anatomy_tokens="<b> :red[x] $y$")
    assert "“\\$y\\$” takes" in text_of(at)
    assert "“\\:red\\[x\\]”" in text_of(at)
    assert not at.exception
