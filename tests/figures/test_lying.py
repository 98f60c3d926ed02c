"""Bars that lie, parts of a whole, arcs and switches, boxes and gauges: what they refuse, and how they look."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.figures.matrix import Arcs, Axis, BarsPanel, Gauge, GraphPanel, MatrixPanel, Nodes, Whole
from attention_core.measuring.number_format import percent

WHOLE = Whole(names=("plural", "other"), values=np.array([0.75, 0.25]), before=np.array([0.5, 0.5]))
LYING: dict[str, Any] = {
    "title": "Next", "values": np.array([0.1, 0.4]), "labels": Axis(title="word", labels=("are", "is")),
    "quantity": "probability", "lying": True,
}  # fmt: skip
HEADS: dict[str, Any] = {
    "title": "Looks", "values": np.array([[0.1, 0.9], [0.6, 0.4]]), "rows": Axis(title="head", labels=("1", "2")),
    "columns": Axis(title="key", labels=("a", "b")), "quantity": "weight", "scale": "sequential",
}  # fmt: skip
WIRES: dict[str, Any] = {
    "title": "Wires", "values": np.zeros((2, 4)), "layers": Axis(title="heads of", labels=("keys", "queries")),
    "tokens": Axis(title="head", labels=tuple("1234")), "quantity": "head",
}  # fmt: skip


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0%"), (0.754, "75%"), (0.0149, "1%"), (0.0031, "0.3%"), (2e-5, "0.002%"), (1e-6, "<0.001%")],
)
def test_a_share_is_written_in_whole_percent_and_below_one_with_one_digit(share: float, said: str) -> None:
    assert percent(share) == said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BarsPanel(**LYING, log_y=True), "no log axis"),
        (lambda: BarsPanel(**LYING, edges=np.arange(3)), "no bins"),
        (lambda: BarsPanel(**LYING, before=np.zeros(3)), "before"),
        (lambda: replace(WHOLE, values=np.array([1.0])), "a share each"),
        (lambda: replace(WHOLE, values=np.array([1.5, -0.5])), "of 0 or more"),
        (lambda: MatrixPanel(**HEADS, switches=(True,)), "1 switches for 2 rows"),
        (lambda: MatrixPanel(**HEADS, arcs=Arcs(row=2, column=0, label="")), "row 2"),
        (lambda: Gauge(values=np.array([3.0]), most=2.0, says=("3",)), "to be the most"),
        (lambda: Gauge(values=np.array([1.0]), most=2.0, says=()), "needs words"),
        (lambda: GraphPanel(**WIRES, nodes=(Nodes(at=np.array([[0, 1.25]])),)), "half-way"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()
