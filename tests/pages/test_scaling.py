"""The scaling page: its question is graded by what the gradient does, whatever is set."""

import pytest

from pages._shared.compute.runner import runner
from attention_core.experiments.number_format import format_number
from attention_core.experiments.scaling import Measured, ScalingConfig, result_of, steps_part
from tests.experiments.scaling_runs import run
from tests.pages.conftest import Open, answer, held

SHRINKS, STAYS, GROWS = "It shrinks for every query", "It stays about as it is", "It grows"
BOTH = "It vanishes for most, and grows for a few"


def text_of(at: object) -> str:
    return "\n".join(markdown.value.replace("\N{WORD JOINER}", "") for markdown in at.markdown)


def test_the_verdicts_are_those_of_the_experiment(open_page: Open) -> None:
    text = text_of(open_page("scaling"))
    for verdict in run().verdicts:
        assert verdict.numbers in text
    assert "`0 of 53,248 rows`" in text
    assert "in probability" in text


@pytest.mark.parametrize(
    ("settings", "right"),
    [
        ({}, BOTH),
        ({"seed": "5"}, BOTH),
        ({"scaling_scale": "root"}, STAYS),
        ({"scaling_scale": "head"}, SHRINKS),
        ({"scaling_temperature": "10"}, GROWS),
    ],
    ids=str,
)
def test_the_question_is_graded_by_the_gradient(settings: dict[str, str], right: str, open_page: Open) -> None:
    at = open_page("scaling", **settings)
    answer(at, "scaling", right)
    assert "The measurement agrees" in text_of(at.run())
    answer(at, "scaling", GROWS if right != GROWS else STAYS)
    assert f"Measured here: **{right}**" in text_of(at.run())


def test_answering_sets_every_control(open_page: Open) -> None:
    at = open_page("scaling", scaling_std="2", scaling_scale="head", scaling_num_keys="3")
    at.pills(key="_scaling_option").set_value(BOTH).run()
    assert held(at, "scaling") == {"d_head": "4096", "show": "sizes"}
    assert "The measurement agrees" in text_of(at)


def test_the_preset_shows_the_size_it_speaks_of(open_page: Open) -> None:
    at = open_page("scaling", scaling_scale="root")
    at.pills(key="_scaling_preset").set_value(0).run()
    assert "At d_head = 4,096" in text_of(at)
    assert dict(at.query_params) == {"scaling_d_head": "4096"}


def test_what_did_not_move_is_not_measured_again(open_page: Open) -> None:
    """A temperature leaves the curves of the other two factors where they are: in the cache."""
    open_page("scaling", seed="77")
    base = runner().cached(steps_part, ScalingConfig(seed=77))
    assert base is not None
    at = open_page("scaling", seed="77", scaling_temperature="2.5")
    assert runner().cached(steps_part, ScalingConfig(seed=77)) is base
    own = runner().cached(steps_part, ScalingConfig(seed=77, temperature=2.5))
    result = result_of(Measured(ScalingConfig(seed=77, temperature=2.5), (base, own)))
    assert format_number(result.verdict("scale-sat").measured) in text_of(at)
