"""What is written on the screen, made literal and cut."""

import pytest

from pages._shared.core.text import escape_markdown, plain_markdown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("Drag the words", 14, "Drag the words"),
        ("Drag the words", 13, "Drag the…"),
        ("Drag the, words", 12, "Drag the…"),
        ("Dragthewords", 5, "Drag…"),
        ("拖动这些词", 4, "拖动这…"),
        ("a *b* [c]", 20, r"a \*b\* \[c\]"),
    ],
)
def test_a_text_of_ours_ends_between_words_where_it_is_cut(text: str, limit: int, shown: str) -> None:
    assert plain_markdown(text, limit) == shown


@pytest.mark.parametrize(("text", "limit", "shown"), [("a_b", 3, r"a\_b"), ("a_bc", 3, r"a\_…"), ("$x", 9, r"\$x")])
def test_what_people_typed_appears_as_it_is(text: str, limit: int, shown: str) -> None:
    assert escape_markdown(text, limit) == shown
