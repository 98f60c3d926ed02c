"""Bars that lie, parts of a whole, arcs and switches, boxes and gauges: what they refuse, and how they look."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.experiments.number_format import percent
from attention_core.figures.charts import panel_figure
from attention_core.figures.matrix import Arcs, Axis, BarsPanel, Edges, Gauge, GraphPanel, MatrixPanel, Nodes, Whole
from attention_core.figures.svg import panel_svg

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


def widths(svg: str, height: int) -> list[float]:
    """Of the rectangles of a height, from the first."""
    return [float(one) for one in re.findall(rf'<rect [^>]*width="([\d.]+)"[^>]* height="{height}"', svg)]


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


def test_lying_bars_are_as_long_as_their_numbers_and_outlined_where_they_were() -> None:
    panel = BarsPanel(**LYING, before=np.array([0.4, 0.2]), percent=True)
    assert panel.height_limits == (0.0, pytest.approx(0.4))
    svg = panel_svg(panel)
    first, was, second, then = widths(svg, 12)
    assert (second / first, was / first, second / then) == pytest.approx((4, 4, 2), rel=0.01)
    assert ">10%<" in svg
    assert ">40%<" in svg
    bars, before = panel_figure(panel).data
    assert (bars.orientation, list(bars.x)) == ("h", pytest.approx([0.1, 0.4]))
    assert list(before.x) == pytest.approx([0.4, 0.2])


def test_parts_share_one_bar_and_what_they_had_is_below_it() -> None:
    svg = panel_svg(BarsPanel(**LYING, whole=WHOLE))
    plural, other = widths(svg, 22)
    assert (plural + 1) / (other + 1) == pytest.approx(3, rel=0.01)
    assert len(set(widths(svg, 5))) == 1, "half and half"
    assert ">plural 75%<" in svg


def test_arcs_go_to_what_has_weight_and_a_row_that_is_off_has_the_largest_alone() -> None:
    values = np.array([[0.3, 0.001, 0.6, 0.099]])
    axes = {"rows": Axis(title="head", labels=("1",)), "columns": Axis(title="key", labels=tuple("abcd"))}
    arcs = Arcs(row=0, column=3, label="head 1: 60% on “c”")
    panel = MatrixPanel(**HEADS | {"values": values} | axes, arcs=arcs, switches=(True,))
    found = re.findall(r'<path d="M[^"]*C[^"]*" fill="none" stroke-width="([\d.]+)"', panel_svg(panel))
    assert [float(one) for one in found] == pytest.approx([2.1, 4.2], abs=0.06)
    assert "head 1: 60% on “c”" in panel_svg(panel)
    off = panel_svg(replace(panel, arcs=replace(arcs, off=True), switches=(False,)))
    assert len(re.findall(r'<path d="M[^"]*C', off)) == 1
    assert panel_svg(panel).count("<circle") == 1, "a switch"


def test_a_graph_of_boxes_has_only_what_is_there_at_the_step() -> None:
    panel = GraphPanel(
        **WIRES,
        edges=tuple(Edges(ends=np.array([[1, 0, at]]), lit=True, step=step) for step, at in enumerate((1.5, 2))),
        nodes=tuple(
            Nodes(at=np.array([[0, at]]), boxes=("key", "value"), step=step) for step, at in enumerate((1.5, 2))
        ),
        gauge=Gauge(values=np.array([1.0, 2.0]), most=2.0, says=("one", "two")),
    )
    assert panel.steps == 2
    assert (panel.has_boxes, panel.at(1).steps) == (True, None)
    svg = panel_svg(panel.at(1))
    assert "<circle" not in svg
    assert ">two<" in svg
    assert ">one<" not in svg
    assert panel.numbered(panel.nodes[0].at).tolist() == [1.5]
    boxes = panel_figure(panel, 0).data[-1]
    assert list(boxes.x) == [1.5]
