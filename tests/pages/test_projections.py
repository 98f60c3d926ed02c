"""The projections page: what it shows is what the experiment says."""

import pytest

from attention_core.experiments.projections import TOPICS, ProjectionsConfig, run_projections
from attention_core.experiments.verdict import format_number
from tests.pages.conftest import Open

IDENTITY, TIED, GAUGE, RANK, COLLAPSE = TOPICS


def text_of(at: object) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


@pytest.mark.parametrize("topic", TOPICS)
def test_each_question_shows_its_verdicts_and_quotes_its_numbers(topic: str, open_page: Open) -> None:
    at = open_page("projections", projections_topic=topic)
    result, text = run_projections(ProjectionsConfig(topic=topic)), text_of(at)
    for verdict in result.verdicts:
        assert f"{verdict.claim} holds" in text
        assert format_number(verdict.measured) in text
    assert not at.exception
    assert len(at.main.get("bidi_component")) == (1 if topic == GAUGE else 2), "matrices, and curves where there are"


@pytest.mark.parametrize(
    ("topic", "switches", "claim", "because"),
    [
        (IDENTITY, {"spread": "0.6"}, "qkv-none", "a longer word wins"),
        (TIED, {"biases": "on one side"}, "qk-tied", "only the queries have a bias"),
        (GAUGE, {"qk_norm": "true"}, "gauge", "depends on the basis"),
        (RANK, {"causal": "true"}, "low-rank", "−∞"),
        (COLLAPSE, {"residual": "true"}, "rank-collapse", "carries every token"),
    ],
)
def test_a_switch_breaks_it_and_says_why(
    topic: str, switches: dict, claim: str, because: str, open_page: Open
) -> None:
    at = open_page("projections", projections_topic=topic, **{f"projections_{k}": v for k, v in switches.items()})
    text = text_of(at)
    assert f"{claim} does not hold" in text
    assert because in text
    assert "though" not in text


@pytest.mark.parametrize(
    ("settings", "right"), [({}, "No, some are outshone"), ({"qk_norm": "true"}, "Yes, every one of them")]
)
def test_the_prediction_is_graded_from_the_new_result(settings: dict, right: str, open_page: Open) -> None:
    parameters = {f"projections_{name}": value for name, value in settings.items()}
    for answer in ("No, some are outshone", "Yes, every one of them"):
        at = open_page("projections", projections_topic=GAUGE, **parameters)
        at.pills(key="_projections_option").set_value(answer).run()
        assert ("The tensor agrees" in text_of(at)) is (answer == right)
        at.selectbox(key="projections_topic").set_value(RANK).run()
        assert ("The tensor agrees" in text_of(at)) is (answer == right)


def test_the_link_holds_head_and_layer(open_page: Open) -> None:
    at = open_page("projections", projections_head="2", projections_layer="7")
    assert not at.warning
    assert len(open_page("projections", projections_head="99").warning) == 1


def test_what_is_too_large_together_is_refused_in_words_and_the_page_lives(open_page: Open) -> None:
    at = open_page("projections", projections_num_heads="8", projections_d_head="64")
    assert "at most 256 is allowed" in at.error[0].value
    assert not at.exception
