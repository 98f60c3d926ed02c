"""Permutation through the app: every claim has its verdict, orders live in the link, and nothing breaks the page."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.session_keys import SETTINGS
from pages._shared.lessons.lesson import Lesson
from attention_core.claims import statement
from tests.pages.conftest import Open, lesson_text, surprises

CLAIMS = (
    "perm-kv", "perm-q", "perm-self", "perm-pool", "perm-bias", "perm-block", "count-blind",
)  # fmt: skip


def text(at: AppTest) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


def said(at: AppTest, claim: str) -> str:
    """What the page says of a claim, after its statement."""
    (line,) = (line for line in text(at).splitlines() if f"`{claim} ·" in line)
    plain = line.replace("\\", "")
    assert statement(claim) in plain
    return plain.partition("** ")[2]


def boards(at: AppTest) -> list[dict]:
    """What each board on the page was told to show."""
    told = []
    for component in at.get("bidi_component"):
        if component.proto.component_name == "token_board/board":
            told.append(json.loads(component.proto.json))
    return told


def test_every_claim_has_its_verdict_and_holds(open_answered: Open) -> None:
    at = open_answered("permutation")
    for claim in CLAIMS:
        assert said(at, claim).startswith("holds"), claim


def test_the_board_stands_in_the_order_of_the_link(open_page: Open) -> None:
    at = open_page("permutation", permutation_order="5-4-3-2-1-0")
    (board,) = boards(at)
    assert (board["order"], board["role"], board["locked"]) == ([5, 4, 3, 2, 1, 0], "both", False)
    assert board["tokens"] == ["the", "cat", "sat", "on", "a", "mat"]
    assert not at.warning


@pytest.mark.parametrize("order", ["0-0-1-2-3-4", "abc", "5,4,3,2,1,0", "9" * 4000])
def test_an_order_that_is_none_is_named_once_and_another_used(order: str, open_page: Open) -> None:
    at = open_page("permutation", permutation_order=order)
    assert not at.exception
    assert [("Order" in warning.value, "is used" in warning.value) for warning in at.warning] == [(True, True)]
    assert sorted(boards(at)[0]["order"]) == list(range(6))
    assert "permutation_order" not in at.query_params


def test_another_number_of_tokens_takes_another_order_without_a_word(open_page: Open) -> None:
    at = open_page("permutation", permutation_order="5-4-3-2-1-0")
    at.text_input(key="permutation_tokens").set_value("one two three").run()
    assert not at.warning
    assert not at.error
    assert sorted(boards(at)[0]["order"]) == [0, 1, 2]


def test_one_side_and_a_second_sentence_have_two_boards(open_page: Open) -> None:
    at = open_page("permutation", permutation_shuffle="keys")
    assert [(board["role"], board["locked"]) for board in boards(at)] == [("query", True), ("key", False)]
    at = open_page("permutation", permutation_context="x y", permutation_key_order="1-0")
    assert [(board["role"], board["locked"]) for board in boards(at)] == [("query", False), ("key", False)]
    assert (boards(at)[1]["tokens"], boards(at)[1]["order"]) == (["x", "y"], [1, 0])


@pytest.mark.parametrize("typed", ["", "w " * 65])
def test_too_few_or_too_many_tokens_are_refused_and_the_picture_kept(typed: str, open_page: Open) -> None:
    at = open_page("permutation")
    at.text_input(key="permutation_tokens").set_value(typed.strip()).run()
    assert ["The last good picture is kept" in error.value for error in at.error] == [True]
    assert boards(at)[0]["tokens"] == ["the", "cat", "sat", "on", "a", "mat"]


@pytest.mark.parametrize("typed", ["one", "same same same"])
def test_one_token_and_equal_tokens_are_as_theory_says(typed: str, open_page: Open) -> None:
    at = open_page("permutation")
    at.text_input(key="permutation_tokens").set_value(typed).run()
    assert not at.error
    assert not surprises(at)
    assert said(at, "perm-self").startswith("holds")


def test_blocks_go_through_and_say_what_does_not_fit(open_page: Open) -> None:
    at = open_page("permutation", permutation_model="two", permutation_mask="causal")
    assert not at.error
    assert said(at, "perm-block").startswith("does not hold: the causal mask")
    at = open_page("permutation", permutation_model="pre")
    at.selectbox(key="permutation_shuffle").set_value("queries").run()
    assert ["in a block the same tokens" in error.value for error in at.error] == [True]


def test_a_lesson_locks_the_board_it_fixes(open_page: Open) -> None:
    lesson = lesson_text("permutation", Lesson(fixed={"permutation_order": "1-0-2-3-4-5"}))
    (board,) = boards(open_page("permutation", course=lesson))
    assert (board["locked"], board["order"]) == (True, [1, 0, 2, 3, 4, 5])
    lesson = lesson_text("permutation", Lesson(fixed={"permutation_tokens": "a b c"}))
    (board,) = boards(open_page("permutation", course=lesson))
    assert (board["locked"], board["tokens"]) == (False, ["a", "b", "c"])


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_predicting_sets_every_control_and_shows_the_output(dtype: str, open_page: Open) -> None:
    changed = {"permutation_tokens": "a b c d", "permutation_positions": "rotary", "permutation_order": "1-0-2-3"}
    for seed, answer in (("0", "The same"), ("7", "Different")):
        at = open_page("permutation", **changed, dtype=dtype, seed=seed)
        at.pills(key="_permutation_option").set_value(answer).run()
        assert boards(at)[1]["order"] == [5, 4, 3, 2, 1, 0]
        assert at.segmented_control(key="permutation_show").value == "output"
        assert at.selectbox(key="permutation_positions").value == "none"
        assert ("The measurement agrees" in text(at)) is (answer == "The same")


@pytest.mark.parametrize(("dtype", "seed"), [("float64", "0"), ("bfloat16", "3")])
def test_the_grade_changes_with_the_settings(dtype: str, seed: str, open_page: Open) -> None:
    at = open_page("permutation", dtype=dtype, seed=seed)
    at.pills(key="_permutation_option").set_value("The same").run()
    assert "The measurement agrees" in text(at)
    at.selectbox(key="permutation_positions").set_value("rotary").run()
    assert "Measured here: **Different**" in text(at)
    at.run()  # the move ran the answers alone, and left the controls out of what this test sees
    at.selectbox(key="permutation_positions").set_value("none").run().run()
    at.selectbox(key="permutation_shuffle").set_value("queries").run()
    assert "Measured here: **The same rows, in the new order**" in text(at)


def test_no_grade_where_the_precision_cannot_tell(open_page: Open) -> None:
    """Two words that ALiBi tells apart by less than bfloat16 rounds."""
    at = open_page("permutation", dtype="bfloat16", seed="1")
    at.pills(key="_permutation_option").set_value("The same").run()
    at.session_state[SETTINGS] |= {"permutation_order": (0, 1, 3, 2, 4, 5), "permutation_positions": "alibi"}
    at.run()
    assert "cannot tell" in text(at)


def test_half_precision_says_why_all_may_be_zero(open_page: Open) -> None:
    assert "added up in float32" in text(open_page("permutation", dtype="float16"))
    assert "added up in float32" not in text(open_page("permutation"))


def test_home_judges_the_order_that_is_shown(open_page: Open) -> None:
    assert "perm-self" in text(open_page("home"))
    told = open_page("home", home_positions="true")
    assert "does not hold: positions stay with the slot" in text(told)
    still = open_page("home", home_positions="true", home_shuffle="false")
    assert said(still, "perm-self").startswith("holds")
    assert not surprises(still)


def test_home_keeps_its_picture_where_there_is_no_word(open_page: Open) -> None:
    at = open_page("home")
    at.text_input(key="home_tokens").set_value("").run()
    assert ["The last good picture is kept" in error.value for error in at.error] == [True]
    assert "perm-self" in text(at)
