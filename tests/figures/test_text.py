"""Text for other programs, and tables of it: no formula in a spreadsheet, no character that XML cannot hold."""

import csv
import io
import json
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.figures.matrix import Axis, BarsPanel, GraphPanel, LinesPanel, MatrixPanel, Panel, Series
from attention_core.figures.table import FORMATS, Format, Table, panel_table, table_csv, table_json
from attention_core.figures.text import csv_text, escape_xml, fit_for_xml, told_apart
from attention_core.studies.permutation import ShuffleConfig, run_shuffle
from tests.strategies import hostile_text

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
        ((), ()), (("a", "b"), ("a", "b")), (("a", "a", "a"), ("a", "a (2)", "a (3)")),
        (("a", "a (2)", "a"), ("a", "a (2)", "a (3)")), (("a", "a", "a (2)"), ("a", "a (3)", "a (2)")),
        (("a", "a", "a (2)", "a (2)"), ("a", "a (3)", "a (2)", "a (2) (2)")), (("", ""), ("", " (2)")),
    ],
)  # fmt: skip
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


@given(hostile_text(max_size=99))
def test_text_comes_back_from_a_parser(text: str) -> None:
    root = ElementTree.fromstring(f'<a b="{escape_xml(text)}">{escape_xml(text)}</a>')
    assert (root.text or "") == root.attrib["b"] == fit_for_xml(text)


# ---- tables to take along ----


CONFIG = ShuffleConfig(tokens=("=1+1", "<b>", "c"), query_order=(2, 1, 0), seed=4)
TABLE = Table(("name", "value"), (("=1+1", 0.1), ("-x", math.nan), ("ok", math.inf)))


def test_csv_begins_with_its_columns_and_disarms_formulas() -> None:
    rows = list(csv.reader(io.StringIO(table_csv(TABLE).removeprefix("\ufeff"))))
    assert rows == [["name", "value"], ["'=1+1", "0.1"], ["'-x", "nan"], ["ok", "inf"]]
    assert TABLE.as_columns()["name"] == ["=1+1", "-x", "ok"]


def test_json_holds_everything_and_is_valid_json() -> None:
    content = json.loads(table_json(TABLE, CONFIG, run_shuffle(CONFIG)))
    assert content["config"]["tokens"] == ["=1+1", "<b>", "c"]
    assert content["rows"] == [["=1+1", 0.1], ["-x", "nan"], ["ok", "inf"]]
    assert content["verdicts"][0]["holds"] is True
    assert content["provenance"]["seed"] == 4


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.label)
def test_a_file_holds_all_names_and_numbers_and_no_other_file_is_called_so(one: Format) -> None:
    table = Table(("name", "some value"), (("the first", 0.1), ("another", 7.250123456789)))
    made = one.make(table, CONFIG, run_shuffle(CONFIG))
    assert made
    if isinstance(made, str):
        assert all(each in made for each in (*table.columns, "the first", "another", "0.1", "7.250123456789"))
    assert re.fullmatch(r"\w+", one.ending)
    assert re.fullmatch(r"\w+/[\w.+-]+", one.mime)
    assert not {one.label, one.ending} & {"SVG", "svg", "HTML", "html", "PNG", "png"}
    for other in FORMATS:
        assert other is one or {one.label, one.ending}.isdisjoint((other.label, other.ending))


WORDS = Axis(title="key", labels=("=1", "a", "a (2)", "a", "query / key"), role="key")
ONE = Axis(title="query", labels=("a",))
DUPLICATES: tuple[tuple[Panel, tuple[str, ...]], ...] = (
    (
        MatrixPanel(title="", values=np.ones((1, 5)), rows=ONE, columns=WORDS, quantity="w", scale="sequential"),
        ("query / key", "=1", "a", "a (2)", "a (3)", "query / key (2)"),
    ),
    (BarsPanel(title="", values=np.ones(5), labels=WORDS, quantity="key"), ("key", "key (2)")),
    (
        LinesPanel(
            title="", x=np.ones(1), x_title="one", y_title="y",
            series=(
                Series(name="one", values=np.ones(1), band=(np.ones(1), np.ones(1))),
                Series(name="one, low", values=np.ones(1)),
                Series(name="one (2)", values=np.ones(1)),
            ),
        ),
        ("one", "one (3)", "one, low", "one, high", "one, low (2)", "one (2)"),
    ),
    (
        GraphPanel(
            title="", values=np.ones((5, 1)), layers=WORDS, tokens=Axis(title="a", labels=("x",)), quantity="w",
        ),
        ("a", "=1", "a (3)", "a (2)", "a (4)", "query / key"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(("panel", "columns"), DUPLICATES, ids=[type(panel).__name__ for panel, _ in DUPLICATES])
def test_no_two_columns_have_one_name(panel: Panel, columns: tuple[str, ...]) -> None:
    table = panel_table(panel)
    assert table.columns == columns
    assert [len(values) for values in table.as_columns().values()] == [len(table.rows)] * len(columns)
    (names, *_) = csv.reader(io.StringIO(table_csv(table).removeprefix("\ufeff")))
    assert names == [name.replace("=1", "'=1") for name in columns]


def test_a_zero_of_a_table_has_no_sign() -> None:
    table = Table(("name", "value"), (("below", -0.0), ("−0", -0.5)))
    assert [str(value) for _, value in table.rows] == ["0.0", "-0.5"]
    assert "-0.0" not in table_csv(table)
