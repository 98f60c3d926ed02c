"""Views, proofs and tables as a few long lines, to be approved: what is as it would be anyway is left out."""

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView
from attention_core.figures.proof import ProofStep
from attention_core.figures.table import Table
from tests.approved import RESIDUAL, lines

_OWN_LINES: Final = ("panels", "series", "areas", "edges", "nodes")  # of which each has a line of its own
_MOST_LABELS: Final = 8
_NUMBER: Final = re.compile(r"(?<!\w)[−-]?(?:\d+(?:,\d{3})*(?:\.\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?%?|NaN)")


def outline(view: MatrixView, *, numbers: bool = True) -> str:
    """A view: what it says, what it is, and a line for each panel, curve, area, and group of edges or of nodes.

    Args:
        view: What is drawn.
        numbers: Whether its numbers stand there. Those of float32 and of training are not the same on all machines.
    """
    text = "\n".join((lines(view.summary), *_outline(dataclasses.replace(view, summary="-"), 0, numbers)))
    return text if numbers else without_numbers(text)


def without_numbers(text: str) -> str:
    """``text`` with a # for every number."""
    return re.sub(r"#(?:(?: \| | )#)+", "#…", _NUMBER.sub("#", text))


def _outline(what: Any, depth: int, numbers: bool) -> Iterator[str]:
    fields = {field.name: (getattr(what, field.name), field.default) for field in dataclasses.fields(what)}
    own = [name for name in _OWN_LINES if name in fields and isinstance(fields[name][0], tuple)]
    line = _inline(what, numbers, leave_out=("summary", *own))
    if isinstance(what, MatrixPanel):
        line += f" {what.palette} {_inline(what.colour_limits, numbers)}"
    yield "  " * depth + line
    for name in own:
        for one in fields[name][0]:
            yield from _outline(one, depth + 1, numbers)


def _inline(value: Any, numbers: bool, leave_out: tuple[str, ...] = ()) -> str:
    match value:
        case Axis():
            return _axis(value)
        case np.ndarray():
            return f"[{lines(_exact(value))}]" if numbers else f"[{'×'.join(map(str, value.shape))}]"
        case list() | tuple():
            return f"({' | '.join(_inline(one, numbers) for one in value)})"
        case float():
            return lines(0.0 if abs(value) < RESIDUAL else value)
        case _ if dataclasses.is_dataclass(value):
            said = (
                f"{field.name}={_inline(one, numbers)}" for field in dataclasses.fields(value)
                if field.name not in leave_out and not _is_usual(one := getattr(value, field.name), field.default)
            )  # fmt: skip
            return f"{type(value).__name__}({', '.join(said)})"
    return lines(value)


def _exact(values: np.ndarray) -> np.ndarray:
    """Without what rounding leaves, which is exactly 0 on another machine."""
    return np.where(np.abs(values) < RESIDUAL, 0, values).astype(values.dtype) if values.dtype.kind == "f" else values


def _axis(axis: Axis) -> str:
    """Its title, its labels, of many the first and the last, and what else there is of it."""
    labels, many = axis.labels, len(axis.labels)
    said = " | ".join(labels if many <= _MOST_LABELS else (*labels[:3], f"… of {many}", labels[-1]))
    more = {"role": axis.role, "groups": axis.groups, "formulas": axis.formulas, "pale": axis.pale}
    return f"{axis.title}: {said}{''.join(f' {name}={one}' for name, one in more.items() if one)}"


def _is_usual(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):
        return False
    return (type(value) is type(default) and value == default) or value == "hidden by the mask"


def proof_lines(steps: Iterable[ProofStep]) -> str:
    """A proof: a line for each argument, and below it one for each line of its numbers."""
    said = ((step.text, *(f"    {one}" for one in lines(step.measured).split("\n"))) for step in steps)
    return "\n".join(line for step in said for line in step)


def table_lines(table: Table) -> str:
    """A table: how long it is and its columns, and its first, middle and last row."""
    size, rows = len(table.rows), table.rows
    kept = (_inline(rows[at], numbers=True) for at in sorted({0, size // 2, size - 1}))
    return "\n".join((f"{size} × {' | '.join(table.columns)}", *kept))
