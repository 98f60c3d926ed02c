"""The numbers of a picture as a table, and this as files: plain CSV, and JSON with their provenance."""

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from attention_core.figures.matrix import AreasPanel, BarsPanel, GraphPanel, LinesPanel, MatrixPanel, Panel
from attention_core.figures.panels import Array
from attention_core.figures.text import csv_text, told_apart
from attention_core.measuring.verdict import Result


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of plain values.

    Attributes:
        columns: The columns' names; repeated ones are told apart, since a table has each column once.
        rows: One tuple a row, in the columns' order; a zero has no sign.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", told_apart(self.columns))
        object.__setattr__(self, "rows", tuple(tuple(map(_signed, row)) for row in self.rows))

    def as_columns(self) -> dict[str, list[Any]]:
        """Each column's values by its name."""
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}


def _signed(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value  # -0.0 + 0.0 is 0.0


def panel_table(panel: Panel, step: int | None = None) -> Table:
    """The numbers that a panel draws.

    Args:
        panel: What is drawn.
        step: Which step of a sweep; the first unless given.
    """
    match panel:
        case MatrixPanel(rows=rows, columns=columns, hidden=hidden):
            values = _at(panel.values, step, 2)
            if hidden is not None:
                values = np.where(hidden, "hidden", values.astype(object))
            return Table((f"{rows.title} / {columns.title}", *columns.labels), _led(rows.labels, values))
        case BarsPanel(labels=labels, edges=edges):
            names = labels.labels
            if edges is not None:
                names = tuple(
                    f"{low + 0.0:.4g} to {high + 0.0:.4g}" for low, high in pairwise(_at(edges, step, 1).tolist())
                )
            return Table((labels.title, panel.quantity), _led(names, _at(panel.values, step, 1)[:, None]))
        case LinesPanel():
            names, values = [panel.x_title], [panel.x.tolist()]
            for one in panel.series:
                low_high = one.band or ()
                names += [
                    one.name,
                    *(f"{one.name}, {end}" for end, _ in zip(("low", "high"), low_high, strict=False)),
                ]
                values += [numbers.tolist() for numbers in (one.values, *low_high)]
            return Table(tuple(names), tuple(zip(*values, strict=True)))
        case GraphPanel(tokens=tokens, layers=layers):
            return Table((tokens.title, *layers.labels), _led(tokens.labels, panel.values.T))
        case AreasPanel(labels=labels):
            still = panel if panel.steps is None else panel.at(step or 0)
            rows = (
                (one.name, labels.labels[at] if labels.labels else f"{low + 0.0:.4g} to {high + 0.0:.4g}", value)
                for one in still.areas
                for at, ((low, high), value) in enumerate(
                    zip(pairwise(one.edges.tolist()), one.values.tolist(), strict=True)
                )
            )
            return Table((panel.title, labels.title, panel.quantity), tuple(rows))


def _at(values: Array, step: int | None, dimensions: int) -> Array:
    return values if values.ndim == dimensions else values[step or 0]


def _led(labels: Sequence[str], values: Array) -> tuple[tuple[Any, ...], ...]:
    return tuple((label, *row) for label, row in zip(labels, values.tolist(), strict=True))


def table_csv(table: Table) -> str:
    """The table as ``csv_text``; where the numbers come from stands in the JSON of the same name."""
    return csv_text(table.columns, table.rows)


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


class Format(NamedTuple):
    """A kind of file that a table is made into.

    Attributes:
        label: What it is called.
        ending: The ending of its name.
        mime: Its media type.
        make: From the table, the config, and the result of which the numbers are, to what the file holds.
    """

    label: str
    ending: str
    mime: str
    make: Callable[[Table, Any, Result], str | bytes]


FORMATS: Final = (
    Format("CSV", "csv", "text/csv", lambda table, _config, _result: table_csv(table)),
    Format("JSON", "json", "application/json", table_json),
)
