"""User text stays text, verdicts say in words what colour and icon say, and files have plain names."""

import plotly.graph_objects as go
from hypothesis import given
from hypothesis import strategies as st

from pages._shared.export import file_name
from pages._shared.plotly import clicked_point
from pages._shared.words import in_order, literal, verdict_lines
from attention_core.experiments.permutation import ShuffleConfig
from attention_core.experiments.verdict import Verdict


def verdict(claim: str, *, holds: bool = True, expected: bool = True, because: str = "") -> Verdict:
    measured = 0.0 if holds else 2.0
    return Verdict(
        claim=claim, quantity="x", measured=measured, relation="≤", bound=1.0, expected=expected, cases="here",
        dtype="float64", device="cpu", because=because,
    )  # fmt: skip


@given(st.text(max_size=40))
def test_literal_text_has_no_active_character_left(text: str) -> None:
    made = literal(text)
    unescaped = ""
    i = 0
    while i < len(made):
        if made[i] == "\\":
            i += 1
        else:
            assert made[i] not in "`*_{}[]()#+-.!|<>$:~&"
        unescaped += made[i]
        i += 1
    assert unescaped == text


def test_long_text_is_cut() -> None:
    assert len(literal("x" * 100)) == 60


def test_a_verdict_line_says_it_in_words() -> None:
    assert "**a holds**" in verdict_lines([verdict("a")])
    broken = verdict_lines([verdict("a", holds=False, expected=False, because="positions stay")])
    assert "**a does not hold**: positions stay" in broken
    assert "though it should" in verdict_lines([verdict("a", holds=False)])
    assert "though theory says it should not" in verdict_lines([verdict("a", expected=False)])


def test_surprises_come_first_then_one_of_each_claim() -> None:
    said = [verdict("a"), verdict("a"), verdict("b"), verdict("c", holds=False)]
    assert [v.claim for v in in_order(said)] == ["c", "a", "b", "a"]


def test_file_names_hold_the_settings_and_no_user_markup() -> None:
    config = ShuffleConfig(tokens=("<b>", "../../etc", "ok"), seed=3)
    name = file_name("permutation", config)
    assert name.startswith("attention-permutation-seed-3")
    assert all(char.isalnum() or char in ".-" for char in name)
    assert "/" not in name
    assert file_name("permutation", ShuffleConfig()) == "attention-permutation"


FIGURE = go.Figure([go.Scatter(x=[1, 2], y=[1, 2], customdata=[[0, 1], [2, 5]]), go.Scatter(x=[1], y=[1])])


def click(data: object) -> dict[str, object]:
    return {"selection": {"points": [{"customdata": data}]}}


@given(st.one_of(st.none(), st.text(), st.dictionaries(st.text(), st.integers()), st.lists(st.floats())))
def test_a_forged_click_is_no_click(state: object) -> None:
    assert clicked_point(state, FIGURE) is None
    assert clicked_point(click(state), FIGURE) in (None, (0, 1), (2, 5))


def test_a_click_gives_the_numbers_of_a_point_that_is_there() -> None:
    assert clicked_point(click([2, 5]), FIGURE) == (2, 5)
    for data in ([2, 6], [2], [2, 5, 0], ["2", "5"], [[2, 3], 5], [2, float("inf")], [2, 10**400]):
        assert clicked_point(click(data), FIGURE) is None
