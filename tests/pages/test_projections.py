"""The projections page: what it shows is what the experiment says."""

import re

import pytest

from attention_core.experiments.projections import TOPICS, ProjectionsConfig, run_projections
from tests.pages.conftest import Open, outcomes, pictures, surprises

IDENTITY, TIED, GAUGE, RANK, COLLAPSE = TOPICS


def text_of(at: object) -> str:
    return "\n".join(markdown.value.replace("\N{WORD JOINER}", "") for markdown in at.markdown)


@pytest.mark.parametrize("topic", TOPICS)
def test_each_question_shows_its_verdicts_and_quotes_its_numbers(topic: str, open_page: Open) -> None:
    at = open_page("projections", projections_topic=topic)
    result, text = run_projections(ProjectionsConfig(topic=topic)), text_of(at)
    for verdict in result.verdicts:
        assert verdict.numbers in text
    assert {outcome for _, outcome in outcomes(at)} == {"holds"}
    assert not at.exception
    assert len(pictures(at)) == (1 if topic == GAUGE else 2), "matrices, and curves where there are"


@pytest.mark.parametrize(
    ("topic", "switches", "claim", "because"),
    [
        (IDENTITY, {"spread": "0.6"}, "qkv-none", "a longer word wins"),
        (TIED, {"biases": "one"}, "qk-tied", "only the queries have a bias"),
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
    assert re.search(rf"does not hold: [^\n]*{because}[^\n]*`{claim}", text)
    assert not surprises(at)


@pytest.mark.parametrize("answer", ["No, some are outshone", "Yes, every one of them"])
@pytest.mark.parametrize(("seed", "dtype"), [("6", "float64"), ("13", "float16"), ("2", "bfloat16")])
def test_the_prediction_is_graded_from_the_result(answer: str, seed: str, dtype: str, open_page: Open) -> None:
    at = open_page("projections", projections_topic=GAUGE, projections_qk_norm="true", seed=seed, dtype=dtype)
    at.pills(key="_projections_option").set_value(answer).run()
    assert ("The measurement agrees" in text_of(at)) is (answer == "No, some are outshone")
    at.toggle(key="projections_qk_norm").set_value(True).run()
    assert ("The measurement agrees" in text_of(at)) is (answer == "Yes, every one of them")
    at.run()
    at.selectbox(key="projections_topic").set_value(RANK).run()
    assert "cannot tell" in text_of(at)


def test_the_link_holds_head_and_layer(open_page: Open) -> None:
    at = open_page("projections", projections_head="2", projections_layer="7")
    assert not at.warning
    assert len(open_page("projections", projections_head="99").warning) == 1


def test_what_is_too_large_together_is_refused_in_words_and_the_page_lives(open_page: Open) -> None:
    at = open_page("projections", projections_num_heads="8", projections_d_head="64")
    assert "with 8 heads at most 32 is allowed" in at.error[0].value
    assert not at.exception
