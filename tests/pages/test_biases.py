"""The biases page: its verdicts follow its switches, its prediction is graded, its curves come when chosen."""

import pytest

from attention_core.experiments.biases import BiasesConfig, run_biases
from attention_core.experiments.verdict import format_number
from attention_core.figures.biases import APPENDIX, GRADIENTS, MEAN, NORMS, RESIDUAL, SHIFT, TITLES
from tests.pages.conftest import Open

ALONE = {f"biases_{role}_bias": "false" for role in "qvo"}
GROWING = {"biases_show": "A growing key bias"}


def said(at) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


def holds(at, claim: str) -> bool:
    """Whether all verdicts of a claim hold; each must be as theory says, and there must be one."""
    lines = [line for line in said(at).splitlines() if f"**{claim} " in line]
    assert lines, claim
    assert not any("though" in line for line in lines)
    return all(f"**{claim} holds**" in line for line in lines)


def test_every_claim_of_the_module_has_its_verdict_with_its_number(open_page: Open) -> None:
    at = open_page("biases")
    result = run_biases(BiasesConfig(tokens=("the", "cat", "sat", "on", "a", "mat")))
    for verdict in result.verdicts:
        assert holds(at, verdict.claim)
        assert f"{verdict.quantity} = {format_number(verdict.measured)}" in said(at)
    for effect in result.effects:
        assert format_number(effect.gradient) in said(at)


@pytest.mark.parametrize(
    ("switch", "claim"),
    [
        ("rotary", "bias-k"),
        ("qk_norm", "bias-k-grad"),
        ("tied_query_key", "bias-k"),
        ("zero_sink", "bias-k"),
        ("rotary", "bias-terms"),
        ("masked_row", "bias-v"),
        ("dropout", "bias-v"),
        ("naive_softmax", "softmax-shift"),
        ("batch_norm_eval", "bias-norm"),
        ("off_centre", "bias-mean"),
    ],
)
def test_each_switch_breaks_its_claim_and_says_why(switch: str, claim: str, open_page: Open) -> None:
    at = open_page("biases", **{f"biases_{switch}": "true"})
    assert not holds(at, claim)
    first = next(line for line in said(at).splitlines() if f"**{claim} does not hold**" in line)
    assert "**: " in first


def test_the_query_bias_changes_nothing_where_there_is_one_key(open_page: Open) -> None:
    assert not holds(open_page("biases", biases_tokens="alone"), "bias-q")


@pytest.mark.parametrize(
    ("curve", "claim"),
    [(NORMS, "bias-norm"), (MEAN, "bias-mean"), (APPENDIX, "bias-appendix"), ("Training", "bias-k-grad")],
)
def test_a_curve_brings_its_verdicts_only_when_chosen(curve: str, claim: str, open_page: Open) -> None:
    at = open_page("biases", biases_curve=curve)
    assert holds(at, claim)
    title = at.get("plotly_chart")[0].proto.spec
    assert f'"text":"{curve}"' in title
    if claim != "bias-k-grad":
        assert f"**{claim}" not in said(open_page("biases"))


def test_training_is_told_in_two_precisions(open_page: Open) -> None:
    text = said(open_page("biases", biases_curve="Training"))
    assert "float32: SGD" in text
    assert "float64: SGD" in text
    assert "never moves" in text


def test_the_growing_key_bias_has_a_verdict_for_each_precision_at_its_size(open_page: Open) -> None:
    small, large = (open_page("biases", **GROWING, biases_key_size=size) for size in ("0.001", "1000000.0"))
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        assert dtype in said(small)
    assert holds(small, "bias-k")
    assert not holds(large, "bias-k")
    assert "NaN" in said(large)


def test_all_pictures_and_curves_go_together(open_page: Open) -> None:
    for curve in (GRADIENTS, RESIDUAL, SHIFT):
        at = open_page("biases", **GROWING, biases_curve=curve, biases_tab="Data")
        assert not at.exception
        assert at.dataframe


def test_the_prediction_is_graded_from_the_new_result(open_page: Open) -> None:
    at = open_page("biases")
    at.pills(key="_biases_option").set_value("Only the scores").run()
    assert "The tensor agrees" in said(at)
    at.toggle(key="biases_rotary").set_value(True).run()
    assert "the tensor says **The output too**" in said(at)
    at.text_input(key="biases_tokens").set_value("same same same").run()
    assert "the tensor says **Scores and weights**" in said(at)
    at.toggle(key="biases_k_bias").set_value(False).run()
    assert "the tensor says **Nothing**" in said(at)


def test_predicting_leaves_the_key_bias_alone(open_page: Open) -> None:
    at = open_page("biases", biases_size="0.1")
    at.pills(key="_biases_option").set_value("Nothing").run()
    values = [at.toggle(key=f"biases_{role}_bias").value for role in "qkvo"]
    assert values == [False, True, False, False]
    assert "the tensor says **Only the scores**" in said(at)


@pytest.mark.parametrize("index", range(5))
def test_presets_show_their_surprise(index: int, open_page: Open) -> None:
    at = open_page("biases")
    at.pills(key="_biases_preset").set_value(index).run()
    assert not at.exception
    assert holds(at, ("bias-k", "bias-terms", "bias-k", "bias-k-grad", "bias-appendix")[index]) == (
        index not in (1, 2)
    )


@pytest.mark.parametrize("name", ["size", "key_size"])
@pytest.mark.parametrize("raw", ["7", "nan", "many", "-1"])
def test_a_size_that_is_none_is_named_and_left_out(name: str, raw: str, open_page: Open) -> None:
    at = open_page("biases", **{f"biases_{name}": raw})
    assert not at.exception
    assert len(at.warning) == 1


def test_what_is_not_possible_is_said_and_the_picture_stays(open_page: Open) -> None:
    at = open_page("biases")
    at.text_input(key="biases_tokens").set_value(" ").run()
    assert "last good picture" in at.error[0].value
    assert holds(at, "bias-k")


def test_every_curve_is_offered(open_page: Open) -> None:
    assert tuple(open_page("biases").selectbox(key="biases_curve").options) == TITLES
