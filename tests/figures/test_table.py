"""Tables to take along: CSV and JSON hold the numbers, and JSON says where they come from."""

import csv
import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.permutation import ShuffleConfig, run_shuffle
from attention_core.figures.matrix import Axis, BarsPanel, GraphPanel, LinesPanel, MatrixPanel, Panel, Series
from attention_core.figures.table import Table, panel_table, table_csv, table_json

CONFIG = ShuffleConfig(tokens=("=1+1", "<b>", "c"), query_order=(2, 1, 0), seed=4)
TABLE = Table(("name", "value"), (("=1+1", 0.1), ("-x", math.nan), ("ok", math.inf)))


def test_csv_begins_with_its_columns_and_disarms_formulas() -> None:
    rows = list(csv.reader(io.StringIO(table_csv(TABLE).removeprefix("\ufeff"))))
    assert rows == [["name", "value"], ["'=1+1", "0.1"], ["'-x", "nan"], ["ok", "inf"]]


def test_json_holds_everything_and_is_valid_json() -> None:
    content = json.loads(table_json(TABLE, CONFIG, run_shuffle(CONFIG)))
    assert content["config"]["tokens"] == ["=1+1", "<b>", "c"]
    assert content["rows"] == [["=1+1", 0.1], ["-x", "nan"], ["ok", "inf"]]
    assert content["verdicts"][0]["holds"] is True
    assert content["provenance"]["seed"] == 4


def test_columns() -> None:
    assert TABLE.as_columns()["name"] == ["=1+1", "-x", "ok"]


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


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "a (2) (2)"])))
def test_a_table_has_all_of_its_columns_whatever_they_are_called(names: list[str]) -> None:
    table = Table(tuple(names), (tuple(range(len(names))),))
    assert list(table.as_columns().values()) == [[i] for i in range(len(names))]
