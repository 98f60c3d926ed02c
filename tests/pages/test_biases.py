"""The biases page: a curve comes with its verdicts when it is chosen, and a switch is told without its curve."""

import pytest

from attention_core.studies.biases.draw import CURVES
from tests.pages.conftest import open_answered, open_page
from tests.pages.read import outcome, pictures, said, sent, verdicts, views


@pytest.mark.parametrize(
    ("curve", "claim"),
    [("norms", "bias-norm"), ("mean", "bias-mean"), ("appendix", "bias-appendix")],
)
def test_a_curve_is_drawn_and_brings_its_verdicts_only_when_chosen(curve: str, claim: str) -> None:
    at = open_answered("biases", biases_curve=curve)
    assert outcome(at, claim) == "holds"
    drawn = at.main.get("plotly_chart") or pictures(at)[-1:]
    assert CURVES[curve] in str(drawn[0].proto).encode().decode("unicode_escape")
    assert claim not in {one.claim for one in verdicts(open_answered("biases"))}


@pytest.mark.parametrize(("switch", "claim"), [("batch_norm_eval", "bias-norm"), ("off_centre", "bias-mean")])
def test_a_switch_of_a_curve_that_is_not_drawn_is_told_all_the_same(switch: str, claim: str) -> None:
    assert outcome(open_answered("biases", **{f"biases_{switch}": "true"}), claim) == "fails"


def test_a_key_bias_is_judged_at_its_size_in_each_precision() -> None:
    for size, wanted in (("0.001", "holds"), ("1000000.0", "fails")):
        at = open_answered("biases", biases_show="growing", biases_key_size=size)
        assert outcome(at, "bias-k") == wanted
        assert all(dtype in said(at) for dtype in ("float64", "float32", "bfloat16", "float16"))


def test_pictures_and_curves_go_together() -> None:
    assert tuple(open_page("biases").selectbox(key="biases_curve").options) == tuple(CURVES.values())
    for curve in ("gradients", "key-size", "shift"):
        at = open_page("biases", biases_show="growing", biases_curve=curve, biases_tab="data")
        assert not at.exception
        assert at.dataframe


@pytest.mark.parametrize(("show", "marked"), [("terms", None), ("changes", None), ("growing", 18)])
def test_a_curve_marks_the_size_that_its_picture_shows_and_no_other(show: str, marked: int | None) -> None:
    at = open_page("biases", biases_show=show, biases_curve="key-size", biases_key_size="1000")
    (curves,) = (one for one in sent(at, "matrix_view/view") if one["id"] == "biases_curves")
    assert [panel["marked"] for panel in curves["panels"]] == [marked]


def test_a_term_that_is_all_zero_is_not_said_to_differ() -> None:
    at = open_page("biases", biases_q_bias="false", biases_k_bias="false")
    notes = [panel["note"] for view in views(at) for panel in view["panels"][:4]]
    assert [note.startswith("All 0") for note in notes] == [False, True, True, True]
