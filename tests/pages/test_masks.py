"""The masks page: each view says what it shows, and sentences are cut at bars."""

import pytest

from attention_core.studies.masks.draw import CONVENTION_ROWS, VIEWS
from tests.pages.conftest import open_page
from tests.pages.read import notices, pictures, plain, verdicts

SAYS = {"additive": "hides a key as −∞ does", "empty": "gives the row zeros", "conventions": "Libraries disagree"}
SAYS |= {"forcing": "a pass over the words so far", "length": "stops there"}


@pytest.mark.parametrize("stack", ["encoder", "encoder-decoder"])
def test_each_view_says_what_it_shows(stack: str) -> None:
    at = open_page("masks", masks_stack=stack)
    for view in VIEWS:
        at.segmented_control(key="masks_show").set_value(view).run()
        assert SAYS.get(view, "in its place") in plain(at)
        assert not [*at.exception, *at.warning, *notices(at), *at.error]


def test_the_table_of_conventions_is_shown_as_it_is_tested() -> None:
    at = open_page("masks", masks_show="conventions")
    assert not pictures(at), "nothing stands above it"
    table = at.table[0].value
    assert list(table["argument"]) == [row[2] for row in CONVENTION_ROWS]
    assert list(table["True means"]) == [row[1] for row in CONVENTION_ROWS]


@pytest.mark.parametrize("typed", ["a dog ||| birds", "||| a dog | | birds ||"])
def test_bars_that_stand_together_are_no_word_and_empty_sentences_are_left_out(typed: str) -> None:
    at = open_page("masks", masks_sentences=typed)
    assert not notices(at)
    assert at.text_input(key="masks_sentences").value == "a dog | birds"


def test_too_few_or_too_many_sentences_are_refused_in_words() -> None:
    at = open_page("masks", masks_sentences="just one")
    assert all("(1 sentence)" in one.line for one in verdicts(at)[:1])
    for typed in ("a|b | c | d | e | f | g | h", " | | ", "|||"):
        at.text_input(key="masks_sentences").set_value(typed).run()
        at.run()  # the move ran alone what it changes, and left other controls out of what this test sees
        assert ["1 to 6 sentences" in error.value for error in at.error] == [True]
        assert at.text_input(key="masks_sentences").value == typed
    assert len(notices(open_page("masks", masks_sentences=" | | "))) == 1
    at = open_page("masks", masks_sentences="<b> | :red[x] $y$", masks_show="pad test")
    assert not [*at.exception, *at.error]
