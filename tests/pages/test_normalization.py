"""The normalization page: what it shows is what the experiment says."""

import re

import pytest

from attention_core.experiments.normalization import TOPICS, NormalizationConfig, run_normalization
from tests.pages.conftest import Open, outcomes, surprises

DEPENDENCE, LENGTH, BIAS, BLOCK = TOPICS


def text_of(at: object) -> str:
    return "\n".join(markdown.value.replace("\N{WORD JOINER}", "") for markdown in at.markdown)


@pytest.mark.parametrize("topic", TOPICS)
def test_each_question_shows_its_verdicts_and_quotes_its_numbers(topic: str, open_page: Open) -> None:
    at = open_page("normalization", normalization_topic=topic)
    result, text = run_normalization(NormalizationConfig(topic=topic)), text_of(at)
    for verdict in result.verdicts:
        assert verdict.numbers in text
    assert {outcome for _, outcome in outcomes(at)} == {"holds"}
    assert not at.exception
    assert not at.get("plotly_chart")


def test_a_question_with_curves_follows_one_without(open_page: Open) -> None:
    """Curves stand outside of the answers, which alone run again: a place there has to be kept from the beginning."""
    at = open_page("normalization")
    at.selectbox(key="normalization_topic").set_value(BLOCK).run()
    assert not at.exception
    assert any(one.key == "normalization_curves" for one in at.get("bidi_component"))


def test_three_features_are_drawn_in_space(open_page: Open) -> None:
    at = open_page("normalization", normalization_topic=LENGTH, normalization_d_model="3")
    assert len(at.get("plotly_chart")) == 1
    assert "scatter3d" in at.get("plotly_chart")[0].proto.spec


@pytest.mark.parametrize(
    ("topic", "switches", "claim", "because"),
    [
        (DEPENDENCE, {"evaluation": "true"}, "ln-deps", "past batch"),
        (LENGTH, {"eps": "0.01"}, "ln-norm", "ε takes part"),
        (LENGTH, {"constant": "true"}, "ln-norm", "0 / 0"),
        (BIAS, {"evaluation": "true"}, "bias-norm", "past batch"),
        (BLOCK, {"positions": "true"}, "perm-block", "positions stay"),
        (BLOCK, {"slot_weights": "true"}, "perm-block", "weight for each slot"),
    ],
)
def test_a_switch_breaks_it_and_says_why(
    topic: str, switches: dict, claim: str, because: str, open_page: Open
) -> None:
    parameters = {f"normalization_{name}": value for name, value in switches.items()}
    at = open_page("normalization", normalization_topic=topic, **parameters)
    text = text_of(at)
    assert re.search(rf"does not hold: [^\n]*{because}[^\n]*`{claim}", text)
    assert not surprises(at)


@pytest.mark.parametrize("answer", ["The same rows, in the new order", "Different"])
@pytest.mark.parametrize(("seed", "dtype"), [("4", "float64"), ("9", "float32")])
def test_the_prediction_is_graded_from_the_result(answer: str, seed: str, dtype: str, open_page: Open) -> None:
    at = open_page("normalization", normalization_causal="true", seed=seed, dtype=dtype)
    at.pills(key="_normalization_option").set_value(answer).run()
    assert ("The measurement agrees" in text_of(at)) is (answer == "The same rows, in the new order")
    at.toggle(key="normalization_slot_weights").set_value(True).run()
    assert ("The measurement agrees" in text_of(at)) is (answer == "Different")
    at.run()
    at.selectbox(key="normalization_topic").set_value("bias").run()
    assert "cannot tell" in text_of(at)


def test_the_link_holds_the_chosen_output(open_page: Open) -> None:
    assert not open_page("normalization", normalization_cell="2.3").warning
    assert len(open_page("normalization", normalization_cell="9.9").warning) == 1
