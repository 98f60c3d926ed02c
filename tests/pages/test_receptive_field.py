"""The receptive field's page: its question is graded by what the last token sees, whatever is set."""

import pytest

from attention_core.experiments.receptive_field import ReceptiveFieldConfig
from attention_core.experiments.run import run
from tests.pages.conftest import Open, answer, held

SAME, LINEAR = "As many as one layer up", "A few more with each layer"
POWER, ALL = "At least twice as many with each layer", "All of them"


def grade_of(at: object) -> str:
    return next(item.value for item in at.markdown if item.value.startswith("**You said**"))


@pytest.mark.parametrize(("seed", "dtype"), [("0", "float64"), ("8", "float32"), ("31", "bfloat16")])
def test_an_answer_moves_every_control_and_is_graded(seed: str, dtype: str, open_page: Open) -> None:
    changed = {"heads": "1", "layers": "2", "tokens": "9", "weights": "random", "wrap": "true", "mask": "causal"}
    changed = {f"receptive_field_{name}": value for name, value in changed.items()}
    at = open_page("receptive_field", seed=seed, dtype=dtype, **changed)
    at.pills(key="_receptive_field_option").set_value(POWER).run()
    assert "The measurement agrees" in grade_of(at)
    assert held(at, "receptive_field") == {"residual": "false"}


@pytest.mark.parametrize(
    ("settings", "right"),
    [
        ({"receptive_field_heads": "1", "receptive_field_residual": "false"}, SAME),
        ({"receptive_field_layers": "1"}, SAME),
        ({"receptive_field_mask": "window"}, LINEAR),
        ({"receptive_field_mask": "window", "receptive_field_heads": "1", "receptive_field_layers": "4"}, LINEAR),
        ({"receptive_field_residual": "false"}, POWER),
        ({"receptive_field_weights": "random", "seed": "3"}, POWER),
        ({"receptive_field_tokens": "16"}, ALL),
        ({"receptive_field_weights": "soft"}, ALL),
        ({"receptive_field_residual": "false", "receptive_field_tokens": "8"}, LINEAR),
    ],
    ids=str,
)
def test_the_grade_changes_with_the_settings(settings: dict[str, str], right: str, open_page: Open) -> None:
    at = open_page("receptive_field", **settings)
    answer(at, "receptive_field", right)
    assert "The measurement agrees" in grade_of(at.run())


def test_no_answer_is_right_where_less_is_seen_with_each_layer(open_page: Open) -> None:
    at = open_page("receptive_field", receptive_field_weights="soft", receptive_field_threshold="0.1")
    answer(at, "receptive_field", SAME)
    assert "cannot tell" in grade_of(at.run())


@pytest.mark.parametrize("show", ["graph", "matrix", "curve", "table"])
@pytest.mark.parametrize("weights", ["constructed", "random", "soft"])
def test_everything_is_shown_beside_its_verdicts(show: str, weights: str, open_page: Open) -> None:
    at = open_page("receptive_field", receptive_field_show=show, receptive_field_weights=weights)
    assert not at.exception
    assert not at.warning
    text = "\n".join(markdown.value.replace("\N{WORD JOINER}", "") for markdown in at.markdown)
    for verdict in run(ReceptiveFieldConfig(weights=weights)).verdicts:
        assert verdict.numbers in text
