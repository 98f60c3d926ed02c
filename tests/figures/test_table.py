"""Tables to take along: CSV and JSON hold the numbers, and JSON says where they come from."""

import csv
import io
import json
import math

from attention_core.experiments.permutation import ShuffleConfig, run_shuffle
from attention_core.figures.table import Table, table_csv, table_json

CONFIG = ShuffleConfig(tokens=("=1+1", "<b>", "c"), query_order=(2, 1, 0), seed=4)
TABLE = Table(("name", "value"), (("=1+1", 0.1), ("-x", math.nan), ("ok", math.inf)))


def test_csv_begins_with_its_columns_and_disarms_formulas() -> None:
    rows = list(csv.reader(io.StringIO(table_csv(TABLE))))
    assert rows == [["name", "value"], ["'=1+1", "0.1"], ["'-x", "nan"], ["ok", "inf"]]


def test_json_holds_everything_and_is_valid_json() -> None:
    content = json.loads(table_json(TABLE, CONFIG, run_shuffle(CONFIG)))
    assert content["config"]["tokens"] == ["=1+1", "<b>", "c"]
    assert content["rows"] == [["=1+1", 0.1], ["-x", "nan"], ["ok", "inf"]]
    assert content["verdicts"][0]["holds"] is True
    assert content["provenance"]["seed"] == 4


def test_columns() -> None:
    assert TABLE.as_columns()["name"] == ["=1+1", "-x", "ok"]
