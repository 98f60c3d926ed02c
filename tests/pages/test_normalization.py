"""The normalization page: what it shows is what the experiment says."""

import pytest

from attention_core.experiments.normalization import TOPICS, NormalizationConfig, run_normalization
from attention_core.experiments.verdict import format_number
from tests.pages.conftest import Open

DEPENDENCE, LENGTH, BIAS, BLOCK = TOPICS


def text_of(at: object) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


@pytest.mark.parametrize("topic", TOPICS)
def test_each_question_shows_its_verdicts_and_quotes_its_numbers(topic: str, open_page: Open) -> None:
    at = open_page("normalization", normalization_topic=topic)
    result, text = run_normalization(NormalizationConfig(topic=topic)), text_of(at)
    for verdict in result.verdicts:
        assert f"{verdict.claim} holds" in text
        assert format_number(verdict.measured) in text
    assert not at.exception
    assert not at.get("plotly_chart")


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
    text = text_of(open_page("normalization", normalization_topic=topic, **parameters))
    assert f"{claim} does not hold" in text
    assert because in text
    assert "though" not in text


@pytest.mark.parametrize(
    ("settings", "right"), [({}, "The same rows, in the new order"), ({"causal": "true"}, "Different")]
)
def test_the_prediction_is_graded_from_the_new_result(settings: dict, right: str, open_page: Open) -> None:
    parameters = {f"normalization_{name}": value for name, value in settings.items()}
    for answer in ("The same rows, in the new order", "Different"):
        at = open_page("normalization", **parameters)
        at.pills(key="_normalization_option").set_value(answer).run()
        assert ("The tensor agrees" in text_of(at)) is (answer == right)


def test_the_link_holds_the_chosen_output(open_page: Open) -> None:
    assert not open_page("normalization", normalization_cell="2.3").warning
    assert len(open_page("normalization", normalization_cell="9.9").warning) == 1
