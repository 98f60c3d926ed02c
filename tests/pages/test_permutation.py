"""Permutation through the app: orders live in the link and on the boards, and Home judges what is shown."""

import pytest

from pages._shared.lessons.lesson import Lesson
from tests.pages.conftest import lesson_text, open_page
from tests.pages.read import boards, notices, outcome, said, verdicts

SENTENCE = ["the", "cat", "sat", "on", "a", "mat"]


def test_the_board_stands_in_the_order_of_the_link_and_gives_way_to_other_tokens() -> None:
    at = open_page("permutation", permutation_order="5-4-3-2-1-0")
    (board,) = boards(at)
    assert (board["order"], board["role"], board["locked"]) == ([5, 4, 3, 2, 1, 0], "both", False)
    assert board["tokens"] == SENTENCE
    at.text_input(key="permutation_tokens").set_value("one two three").run()
    assert not [*at.warning, *notices(at), *at.error]
    assert sorted(boards(at)[0]["order"]) == [0, 1, 2]


@pytest.mark.parametrize("order", ["0-0-1-2-3-4", "abc", "5,4,3,2,1,0", "9" * 4000])
def test_an_order_that_is_none_is_named_once_and_another_used(order: str) -> None:
    at = open_page("permutation", permutation_order=order)
    assert not at.exception
    assert ["Order" in one for one in notices(at)] == [True]
    assert sorted(boards(at)[0]["order"]) == list(range(6))
    assert "permutation_order" not in at.query_params


def test_one_side_and_a_second_sentence_have_two_boards() -> None:
    at = open_page("permutation", permutation_shuffle="keys")
    assert [(board["role"], board["locked"]) for board in boards(at)] == [("query", True), ("key", False)]
    at = open_page("permutation", permutation_context="x y", permutation_key_order="1-0")
    assert [(board["role"], board["locked"]) for board in boards(at)] == [("query", False), ("key", False)]
    assert (boards(at)[1]["tokens"], boards(at)[1]["order"]) == (["x", "y"], [1, 0])


@pytest.mark.parametrize("typed", ["one", "same same same"])
def test_one_token_and_equal_tokens_are_as_theory_says(typed: str) -> None:
    at = open_page("permutation")
    at.text_input(key="permutation_tokens").set_value(typed).run()
    assert not at.error
    assert "surprises" not in {one.outcome for one in verdicts(at)}
    assert outcome(at, "perm-self") == "undecided", "no order differs from another"


def test_blocks_go_through_and_say_what_does_not_fit() -> None:
    at = open_page("permutation", permutation_model="two", permutation_mask="causal")
    assert not at.error
    assert outcome(at, "perm-block") == "fails"
    at = open_page("permutation", permutation_model="pre")
    at.selectbox(key="permutation_shuffle").set_value("queries").run()
    assert ["in a block the same tokens" in error.value for error in at.error] == [True]


def test_a_lesson_locks_the_board_it_fixes() -> None:
    for fixed, locked, tokens in (({"order": "1-0-2-3-4-5"}, True, SENTENCE), ({"tokens": "a b c"}, False, [*"abc"])):
        lesson = Lesson(fixed={f"permutation_{name}": text for name, text in fixed.items()})
        (board,) = boards(open_page("permutation", course=lesson_text("permutation", lesson)))
        assert (board["locked"], board["tokens"]) == (locked, tokens)
        assert not locked or board["order"] == [1, 0, 2, 3, 4, 5]


def test_half_precision_says_why_all_may_be_zero() -> None:
    assert "added up in float32" in said(open_page("permutation", dtype="float16"))
    assert "added up in float32" not in said(open_page("permutation"))


def test_home_judges_the_order_that_is_shown_and_keeps_its_picture_without_a_word() -> None:
    still = open_page("home", home_positions="true", home_shuffle="false")
    assert not verdicts(still), "with nothing shuffled nothing is judged"
    for link, wanted in (({"positions": "true"}, "fails"), ({}, "holds")):
        at = open_page("home", **{f"home_{name}": text for name, text in link.items()})
        assert outcome(at, "perm-self") == wanted
    at.text_input(key="home_tokens").set_value("").run()
    assert ["The last good picture is kept" in error.value for error in at.error] == [True]
    assert outcome(at, "perm-self") == "holds"
