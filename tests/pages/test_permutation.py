"""Permutation through the app: every claim has its verdict, orders live in the link, and nothing breaks the page."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.link import Lesson
from pages._shared.token_board.orders import as_sentence
from tests.pages.conftest import Open

CLAIMS = (
    "perm-kv", "perm-q", "perm-self", "perm-pool", "perm-bias", "perm-block", "pe-order", "nope-depth", "count-blind",
)  # fmt: skip


def text(at: AppTest) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


def boards(at: AppTest) -> list[dict]:
    """What each board on the page was told to show."""
    told = []
    for component in at.get("bidi_component"):
        if component.proto.component_name.endswith("token_board"):
            told.append(json.loads(component.proto.json))
    return told


def test_every_claim_has_its_verdict_and_holds(open_page: Open) -> None:
    at = open_page("permutation")
    for claim in CLAIMS:
        assert f"**{claim} holds**" in text(at), claim


def test_the_board_stands_in_the_order_of_the_link(open_page: Open) -> None:
    at = open_page("permutation", permutation_order="5-4-3-2-1-0")
    (board,) = boards(at)
    assert (board["order"], board["role"], board["locked"]) == ([5, 4, 3, 2, 1, 0], "both", False)
    assert board["tokens"] == ["the", "cat", "sat", "on", "a", "mat"]
    assert not at.warning


@pytest.mark.parametrize("order", ["2-0-1", "0-0-1-2-3-4", "abc", "", "5,4,3,2,1,0", "9" * 4000, "0-1-2-3-4-٥"])
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
    at = open_page("permutation", permutation_shuffle="keys and values")
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
    assert "though" not in text(at)
    assert "**perm-self holds**" in text(at)


def test_blocks_go_through_and_say_what_does_not_fit(open_page: Open) -> None:
    at = open_page("permutation", permutation_model="two pre-norm blocks", permutation_mask="causal")
    assert not at.error
    assert "**perm-block does not hold**" in text(at)
    at = open_page("permutation", permutation_model="pre-norm block")
    at.selectbox(key="permutation_shuffle").set_value("queries").run()
    assert ["in a block the same tokens" in error.value for error in at.error] == [True]


def test_a_lesson_locks_the_board_it_fixes(open_page: Open) -> None:
    lesson = Lesson(fixed={"permutation_order": (1, 0, 2, 3, 4, 5)}).encode()
    (board,) = boards(open_page("permutation", lesson=lesson))
    assert (board["locked"], board["order"]) == (True, [1, 0, 2, 3, 4, 5])
    lesson = Lesson(fixed={"permutation_tokens": "a b c"}).encode()
    (board,) = boards(open_page("permutation", lesson=lesson))
    assert (board["locked"], board["editable"], board["tokens"]) == (False, False, ["a", "b", "c"])


def test_predicting_reverses_whatever_stands_there(open_page: Open) -> None:
    at = open_page("permutation", permutation_tokens="a b c d")
    at.pills(key="_permutation_option").set_value("The same")
    at.run()
    assert boards(at)[1]["order"] == [3, 2, 1, 0]
    assert "The tensor agrees" in text(at)


def test_half_precision_says_why_all_may_be_zero(open_page: Open) -> None:
    assert "added up in float32" in text(open_page("permutation", dtype="float16"))
    assert "added up in float32" not in text(open_page("permutation"))


def test_tokens_with_white_space_stay_one_token() -> None:
    assert as_sentence(("New York", "\u00a0", "a")) == "New_York _ a"
    assert as_sentence(("a", "b")).split() == ["a", "b"]
