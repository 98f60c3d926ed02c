"""The numbers of a picture as a table, and as CSV and JSON with their provenance."""

import csv
import dataclasses
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_core.experiments.verdict import Result


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of plain values.

    Attributes:
        columns: The columns' names.
        rows: One tuple a row, in the columns' order.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool, ...], ...]

    def as_columns(self) -> dict[str, list[Any]]:
        """Each column's values by its name."""
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}


def table_csv(table: Table, config: Any, result: Result) -> str:
    """CSV whose first lines, each after ``#``, say where the numbers come from.

    Text that a spreadsheet would take for a formula is led by an apostrophe.
    """
    out = io.StringIO()
    for name, value in _origin(config, result).items():
        out.write(f"# {name}: {json.dumps(value, ensure_ascii=False)}\n")
    writer = csv.writer(out)
    writer.writerow(table.columns)
    writer.writerows([[_cell(value) for value in row] for row in table.rows])
    return out.getvalue()


def table_json(table: Table, config: Any, result: Result) -> str:
    """JSON with the columns, the rows, the verdicts and where the numbers come from; NaN and ∞ as text."""
    content = {
        **_origin(config, result),
        "verdicts": [_plain(dataclasses.asdict(verdict)) | {"holds": verdict.holds} for verdict in result.verdicts],
        "columns": table.columns,
        "rows": _plain(table.rows),
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def _origin(config: Any, result: Result) -> dict[str, Any]:
    provenance = _plain(dataclasses.asdict(result.provenance))
    return {"config": _plain(dataclasses.asdict(config)), "provenance": provenance}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _cell(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
