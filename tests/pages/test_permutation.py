"""Permutation through the app: orders live in the link and on the boards, and Home judges what is shown."""

import pytest

from pages._shared.lessons.lesson import Lesson
from tests.pages.conftest import lesson_text, open_page
from tests.pages.read import boards, notices, outcome, said, sent, verdicts

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
    still = open_page("home", home_positions="true")
    assert not verdicts(still), "with nothing shuffled nothing is judged"
    for link, wanted in (({"positions": "true"}, "fails"), ({}, "holds")):
        at = open_page("home", home_order="2-0-1-3-4-5", **{f"home_{name}": text for name, text in link.items()})
        assert outcome(at, "perm-self") == wanted
    at.text_input(key="home_tokens").set_value("").run()
    assert ["The last good picture is kept" in error.value for error in at.error] == [True]
    assert outcome(at, "perm-self") == "holds"


def test_home_begins_as_written_and_asks_its_chips_to_move_until_something_has_moved() -> None:
    at = open_page("home")
    (board,) = boards(at)
    assert board["order"] == [0, 1, 2, 3, 4, 5]
    assert sorted(board["invites"]) == [0, 1, 2, 3, 4, 5]
    assert board["invites"] != board["order"]
    assert "home_order" not in at.query_params
    at.toggle(key="home_positions").set_value(True).run()
    assert boards(at)[0]["invites"], "nothing has moved yet"
    at.button(key="_home_shuffle").click().run()
    (board,) = boards(at)
    assert board["order"] != [0, 1, 2, 3, 4, 5]
    assert board["invites"] == []
    assert at.query_params["home_order"] == "-".join(map(str, board["order"]))
    at.button(key="_home_restore").click().run()
    (board,) = boards(at)
    assert (board["order"], board["invites"]) == ([0, 1, 2, 3, 4, 5], []), "put back, it stays so"


@pytest.mark.parametrize("order", ["5-4-3-2-1-0", "0-1-2-3-4-5"])
def test_where_a_link_says_an_order_nothing_moves_by_itself(order: str) -> None:
    (board,) = boards(open_page("home", home_order=order))
    assert (board["order"], board["invites"]) == ([int(at) for at in order.split("-")], [])


@pytest.mark.parametrize(("typed", "count"), [("one two three", 3), ("one", 1), ("a b c d e f g h", 8)])
def test_home_takes_its_order_along_to_other_words(typed: str, count: int) -> None:
    at = open_page("home", home_order="5-4-3-2-1-0")
    at.text_input(key="home_tokens").set_value(typed).run()
    assert not [*at.error, *at.exception, *notices(at)]
    assert sorted(boards(at)[0]["order"]) == list(range(count))


def test_home_counts_the_same_numbers_with_positions_and_without() -> None:
    shown = [open_page("home", home_order="2-0-1-3-4-5", home_positions=told) for told in ("false", "true")]
    tallies = [sent(at, "matrix_view/view")[0]["tally"] for at in shown]
    assert [one["same"] for one in tallies] == [["1" * 6] * 6, ["0" * 6] * 6]
    assert [(one["other"], one["other_same"]) for one in tallies] == [
        ("with positions", 0),
        ("without positions", 36),
    ]


def test_permutation_opens_on_two_matrices_and_shows_the_others_where_asked() -> None:
    at = open_page("permutation")
    (view, *_) = sent(at, "matrix_view/view")
    assert [panel["title"] for panel in view["panels"]] == ["As written", "After the shuffle"]
    assert sorted(view["bands"]) == [0, 1, 2, 3, 4, 5]
    assert view["tally"]["other_same"] == 0
    at.toggle(key="permutation_undone").set_value(True).run()
    (view, *_) = sent(at, "matrix_view/view")
    assert [panel["title"] for panel in view["panels"]][2:] == ["Put back in order", "Difference after undoing"]
    assert list(view["bands"]) == []


def test_the_four_terms_stand_in_the_order_of_the_chips_and_places_stay() -> None:
    link = {"permutation_show": "terms", "permutation_positions": "sinusoidal", "permutation_order": "2-0-1-3-4-5"}
    at = open_page("permutation", **link)
    (view, *_) = sent(at, "matrix_view/view")
    assert [panel["title"] for panel in view["panels"]] == [
        "word·word", "word·place", "place·word", "place·place", "Scores of word + place",
    ]  # fmt: skip
    assert view["signs"] == ["+", "+", "+", "="]
    moved, places = ["sat", "the", "cat", "on", "a", "mat"], ["p₁", "p₂", "p₃", "p₄", "p₅", "p₆"]
    sides = [(panel["rows"]["labels"], panel["columns"]["labels"]) for panel in view["panels"]]
    assert sides == [(moved, moved), (moved, places), (places, moved), (places, places), (moved, moved)]
    assert "The words have moved, and their places have not." in view["summary"]
    at.toggle(key="permutation_without_block").set_value(True).run()
    (view, *_) = sent(at, "matrix_view/view")
    assert view["signs"][-1] == "≠"
    assert outcome(at, "pe-add") == "fails"
    (view, *_) = sent(open_page("permutation", **link, permutation_carried="true"), "matrix_view/view")
    assert view["panels"][3]["rows"]["labels"] == ["p₃", "p₁", "p₂", "p₄", "p₅", "p₆"], "they travel along"
    assert "their places have not" not in view["summary"]
