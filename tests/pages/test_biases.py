"""The biases page: its verdicts follow its switches, its prediction is graded, its curves come when chosen."""

import pytest

from pages._shared.core.session_keys import SETTINGS
from attention_core.experiments.biases import BiasesConfig, run_biases
from attention_core.experiments.number_format import format_number
from attention_core.figures.biases import CURVES
from tests.pages.conftest import Open, held, outcomes, pictures

ALONE = {f"biases_{role}_bias": "false" for role in "qvo"}
GROWING = {"biases_show": "growing"}


def said(at) -> str:
    return "\n".join(markdown.value.replace("\N{WORD JOINER}", "") for markdown in at.markdown)


def lines(at, claim: str) -> list[str]:
    """What the page says of a claim, line by line."""
    return [line for line in said(at).splitlines() if f"`{claim} ·" in line]


def holds(at, claim: str) -> bool:
    """Whether all verdicts of a claim hold; none may surprise, and there must be one."""
    found = {outcome for one, outcome in outcomes(at) if one == claim}
    assert found, claim
    assert "surprises" not in found
    return found == {"holds"}


def test_every_claim_of_the_module_has_its_verdict_with_its_number(open_answered: Open) -> None:
    at = open_answered("biases")
    result = run_biases(BiasesConfig())
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
def test_each_switch_breaks_its_claim_and_says_why(switch: str, claim: str, open_answered: Open) -> None:
    at = open_answered("biases", **{f"biases_{switch}": "true"})
    assert not holds(at, claim)
    assert any("** does not hold: " in line for line in lines(at, claim))


def test_the_query_bias_changes_nothing_where_there_is_one_key(open_page: Open) -> None:
    assert not holds(open_page("biases", biases_tokens="alone"), "bias-q")


@pytest.mark.parametrize(
    ("curve", "claim"),
    [("norms", "bias-norm"), ("mean", "bias-mean"), ("appendix", "bias-appendix"), ("training", "bias-k-grad")],
)
def test_a_curve_brings_its_verdicts_only_when_chosen(curve: str, claim: str, open_answered: Open) -> None:
    at = open_answered("biases", biases_curve=curve)
    assert holds(at, claim)
    drawn = at.main.get("plotly_chart") or pictures(at)[-1:]
    assert CURVES[curve] in str(drawn[0].proto).encode().decode("unicode_escape")
    if claim != "bias-k-grad":
        assert not lines(open_answered("biases"), claim)


def test_training_is_told_in_two_precisions(open_page: Open) -> None:
    text = said(open_page("biases", biases_curve="training"))
    assert "float32: SGD" in text
    assert "float64: SGD" in text
    assert "never moves" in text


def test_the_growing_key_bias_has_a_verdict_for_each_precision_at_its_size(open_answered: Open) -> None:
    small, large = (open_answered("biases", **GROWING, biases_key_size=size) for size in ("0.001", "1000000.0"))
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        assert dtype in said(small)
    assert holds(small, "bias-k")
    assert not holds(large, "bias-k")
    assert "NaN" in said(large)


def test_all_pictures_and_curves_go_together(open_page: Open) -> None:
    for curve in ("gradients", "key-size", "shift"):
        at = open_page("biases", **GROWING, biases_curve=curve, biases_tab="data")
        assert not at.exception
        assert at.dataframe


def graded(at) -> str:
    return next(item.value for item in at.markdown if item.value.startswith("**You said**"))


@pytest.mark.parametrize(("dtype", "seed"), [("float64", "0"), ("float32", "5"), ("bfloat16", "7")])
def test_answering_sets_every_control_and_is_graded(dtype: str, seed: str, open_page: Open) -> None:
    at = open_page("biases", biases_size="0.1", biases_rotary="true", biases_head="2", dtype=dtype, seed=seed)
    at.pills(key="_biases_option").set_value("Only the scores").run()
    assert "The measurement agrees" in graded(at)
    assert [at.toggle(key=f"biases_{role}_bias").value for role in "qkvo"] == [False, True, False, False]
    moved = {f"biases_{name}" for name in held(at, "biases")}
    assert moved == {"biases_show", *ALONE}


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_the_grade_changes_with_the_settings(dtype: str, open_page: Open) -> None:
    at = open_page("biases", dtype=dtype, seed="2")
    at.pills(key="_biases_option").set_value("Nothing").run()
    assert "Measured here: **Only the scores**" in graded(at)
    at.toggle(key="biases_rotary").set_value(True).run()
    assert "Measured here: **The output too**" in graded(at)
    at.run()  # the move ran the answers alone, and left the controls out of what this test sees
    at.text_input(key="biases_tokens").set_value("same same same").run()
    assert "Measured here: **Scores and weights**" in graded(at)
    at.run()
    at.toggle(key="biases_k_bias").set_value(False).run()
    assert "The measurement agrees" in graded(at)


def test_no_grade_where_the_precision_cannot_tell(open_page: Open) -> None:
    at = open_page("biases", dtype="bfloat16")
    at.pills(key="_biases_option").set_value("Nothing").run()
    at.session_state[SETTINGS] |= {"biases_size": 0.1, "biases_rotary": True}
    at.run()
    assert "cannot tell" in graded(at)


@pytest.mark.parametrize("index", range(5))
def test_presets_show_their_surprise(index: int, open_answered: Open) -> None:
    at = open_answered("biases")
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


def test_what_is_not_possible_is_said_and_the_picture_stays(open_answered: Open) -> None:
    at = open_answered("biases")
    at.text_input(key="biases_tokens").set_value(" ").run()
    assert "is empty" in at.error[0].value
    assert "last good picture" in at.error[0].value
    assert holds(at, "bias-k")


def test_every_curve_is_offered(open_page: Open) -> None:
    assert tuple(open_page("biases").selectbox(key="biases_curve").options) == tuple(CURVES.values())
