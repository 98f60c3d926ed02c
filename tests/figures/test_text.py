"""Text for other programs: names told apart, no formula in a spreadsheet, no character that XML cannot hold."""

import csv
import io
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.figures.text import csv_text, escape_xml, fit_for_xml, told_apart

ANY = st.text(st.characters(exclude_categories=()))  # lone surrogates too
FORMULAS = (
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", "\tx", "\rx", " =1+1", "\u00a0=1+1", "\u3000@x",
    "＝1+1", "＋1", "－1", "＠x", '=HYPERLINK("http://x","y")',
)  # fmt: skip
WORDS = ("a", "1+1", "'=1", "a=b", "−1", "‖b_K‖", " a", "", "the cat", 'say "hi"', "a,b", "a\r\nb", "日本")


def read(text: str) -> list[list[str]]:
    """What a program reads that knows a byte-order mark: the bytes as they go into a file."""
    written = text.encode("utf-8", "surrogatepass")
    assert written.startswith(b"\xef\xbb\xbf")
    assert not written.startswith(b"\xef\xbb\xbf" * 2)
    return list(csv.reader(io.StringIO(written[3:].decode("utf-8", "surrogatepass"), newline="")))


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_is_disarmed_in_names_and_in_cells(formula: str) -> None:
    assert read(csv_text(["a", formula], [[formula, 1]])) == [["a", f"'{formula}"], [f"'{formula}", "1"]]


@pytest.mark.parametrize("word", WORDS)
def test_words_and_numbers_stay_as_they_are(word: str) -> None:
    assert read(csv_text(["x", word], [[word, -1.5], [-2, word]])) == [["x", word], [word, "-1.5"], ["-2", word]]


def test_names_that_are_told_apart_by_an_apostrophe_alone_still_differ() -> None:
    assert read(csv_text(["=a", "'=a"], [])) == [["'=a", "'=a (2)"]]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), ()),
        (("a", "b"), ("a", "b")),
        (("a", "a", "a"), ("a", "a (2)", "a (3)")),
        (("a", "a (2)", "a"), ("a", "a (2)", "a (3)")),
        (("a", "a", "a (2)"), ("a", "a (3)", "a (2)")),
        (("a", "a", "a (2)", "a (2)"), ("a", "a (3)", "a (2)", "a (2) (2)")),
        (("", ""), ("", " (2)")),
    ],
)
def test_repeated_names_are_told_apart(names: tuple[str, ...], told: tuple[str, ...]) -> None:
    assert told_apart(names) == told


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "a (2) (2)", "=a", "'=a", "'=a (2)"])))
def test_no_two_names_are_alike_and_the_first_of_each_is_kept(names: list[str]) -> None:
    told = told_apart(names)
    assert len(set(told)) == len(told) == len(names)
    assert all(told[names.index(name)] == name for name in names)
    assert all(one.startswith(name) for one, name in zip(told, names, strict=True))
    (line,) = read(csv_text(["x", *names], []))
    assert len(set(line)) == len(names) + 1


def held(character: str) -> bool:
    """Whether XML holds a character: production 2 of XML 1.0."""
    code = ord(character)
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def test_a_parser_reads_every_character_that_xml_holds_and_fffd_for_every_other() -> None:
    every = "".join(map(chr, range(0x110000)))
    wanted = "".join(character if held(character) else "\ufffd" for character in every)
    root = ElementTree.fromstring(f'<a b="{escape_xml(every)}">{escape_xml(every)}</a>')
    assert root.text == root.attrib["b"] == fit_for_xml(every) == wanted


@given(ANY)
def test_text_comes_back_from_a_parser(text: str) -> None:
    root = ElementTree.fromstring(f'<a b="{escape_xml(text)}">{escape_xml(text)}</a>')
    assert (root.text or "") == root.attrib["b"] == fit_for_xml(text)
