"""Panels on paper: what is drawn is what the panel holds, text is only text, and nothing is asked from elsewhere."""

import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given

from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    Edges,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Nodes,
    Panel,
    Series,
    Sweep,
)
from attention_core.figures.svg import panel_svg, view_svgs
from attention_core.figures.svg_matrix import ink_on
from attention_core.figures.svg_pen import LEFT, TOP, shown
from attention_core.figures.text import fit_for_xml
from attention_core.figures.theme import HIDDEN, SCALES
from tests.strategies import hostile_text
from tests.texts import TOKENS

EVIL = TOKENS[1]
WORDS = Axis(title="key", labels=("the", EVIL, "cat"), role="key")
QUERIES = Axis(title="query", labels=("a", "b"), role="query")
NAMESPACE = {"svg": "http://www.w3.org/2000/svg"}


def matrix(values: object, hidden: object = None, **more: object) -> MatrixPanel:
    kind = {"scale": "sequential", "cells": "weight"} | more
    return MatrixPanel(
        title=EVIL, values=np.array(values), rows=QUERIES, columns=WORDS, quantity="weight",
        hidden=None if hidden is None else np.array(hidden), **kind,  # type: ignore[arg-type]
    )  # fmt: skip


PANELS: tuple[Panel, ...] = (
    matrix([[0.0, 0.5, 1.0], [1.0, 0.25, np.nan]]),
    BarsPanel(title=EVIL, values=np.array([1.0, -2.0, 0.5]), labels=WORDS, quantity=EVIL),
    BarsPanel(
        title="histogram", values=np.array([1.0, 3.0]), labels=Axis(title="score", labels=()), quantity="count",
        edges=np.array([0.0, 1.0, 2.0]), overlay=(np.array([0.0, 2.0]), np.array([1.0, 2.0])), overlay_name="normal",
    ),
    LinesPanel(
        title="curve", x=np.array([1.0, 10.0, 100.0]), x_title="d", y_title="y", log_x=True, log_y=True,
        series=(
            Series(name=EVIL, values=np.array([1.0, 0.0, 100.0]), band=(np.ones(3), np.full(3, 9.0))),
            Series(name="points", values=np.array([np.nan, 5.0, np.nan]), crosses=True),
        ),
    ),
    GraphPanel(
        title="graph", values=np.zeros((2, 3)), layers=Axis(title="layer", labels=("0", "1")), tokens=WORDS,
        quantity="weight", edges=(Edges(ends=np.array([[1, 2, 0]]), name="looks at", lit=True),),
        nodes=(Nodes(at=np.array([[1, 2]]), large=True),),
    ),
)  # fmt: skip


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: type(panel).__name__)
def test_a_panel_is_well_formed_and_its_text_is_only_text(panel: Panel) -> None:
    drawn = panel_svg(panel)
    root = ElementTree.fromstring(drawn)
    assert "<script" not in drawn
    assert panel.title in ["".join(text.itertext()) for text in root.iterfind(".//svg:text", NAMESPACE)]
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", drawn)
    assert not re.search(r'="[^"]*nan', re.sub(r'aria-label="[^"]*"|href="[^"]*"', "", drawn.lower()))


def unmarked(title: str) -> str:
    """A title without the marks of formulas, which are set and not written."""
    return re.sub(r"[_^(){}]", "", title)


@given(hostile_text())
def test_every_character_that_xml_can_hold_comes_back_and_no_other_breaks_it(text: str) -> None:
    axis, wanted = Axis(title=text, labels=(text,) * 3), fit_for_xml(text)
    said = {"title": text, "note": text}
    measured = {"quantity": text, "unit": text}
    one = Series(name=text, values=np.ones(1))
    for panel, labels in (
        (MatrixPanel(values=np.eye(3), rows=axis, columns=axis, scale="sequential", **said, **measured), 6),
        (BarsPanel(values=np.ones(3), labels=axis, **said, **measured), 3),
        (LinesPanel(x=np.ones(1), x_title=text, y_title=text, series=(one,), **said), 1),
        (GraphPanel(values=np.eye(3), layers=axis, tokens=axis, quantity=text, **said), 6),
    ):
        root = ElementTree.fromstring(panel_svg(panel))
        assert root.attrib["aria-label"] == wanted
        title, *others = ("".join(drawn.itertext()) for drawn in root.iterfind(".//svg:text", NAMESPACE))
        assert unmarked(title) == unmarked(wanted)
        if isinstance(panel, LinesPanel):  # names of curves are ours, and their formulas are set
            assert [unmarked(other) for other in others].count(unmarked(wanted)) >= labels
        else:
            assert others.count(wanted) >= labels


def pixels(drawn: str) -> np.ndarray:
    """(rows, columns, 3) bytes of the first image in an SVG."""
    found = re.search(r"data:image/png;base64,([^\"]+)", drawn)
    assert found
    data = base64.b64decode(found[1])
    columns, rows = struct.unpack(">II", data[16:24])
    content = zlib.decompress(data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8])
    return np.frombuffer(content, np.uint8).reshape(rows, 1 + 3 * columns)[:, 1:].reshape(rows, columns, 3)


def colour(code: str) -> list[int]:
    return [int(code[i : i + 2], 16) for i in (1, 3, 5)]


def test_the_cells_have_the_colours_of_their_numbers() -> None:
    drawn = pixels(panel_svg(matrix([[0, 0.5, 1], [1, 0, 0]], [[0, 0, 0], [0, 0, 1]])))
    stops = SCALES["light"]["sequential"]
    assert drawn[0, 0].tolist() == colour(stops[0])
    assert drawn[0, 2].tolist() == colour(stops[-1])
    assert drawn[0, 1].tolist() == colour(stops[3])
    assert drawn[1, 0].tolist() == colour(stops[-1])
    assert drawn[1, 2].tolist() == colour(HIDDEN["light"])
    assert pixels(panel_svg(matrix([[0, np.nan, 1], [1, 0, 0]])))[0, 1].tolist() == [255, 255, 255]


def test_a_curve_on_log_axes_is_broken_where_a_value_is_not_above_0() -> None:
    root = ElementTree.fromstring(panel_svg(PANELS[3]))
    paths = root.findall("svg:path", NAMESPACE)
    curve = [path.attrib["d"] for path in paths if path.attrib.get("stroke-width") == "1.8"]
    assert [len(re.findall("[ML]", one)) for one in curve] == [2]
    assert curve[0].count("M") == 2


def test_a_view_gives_each_panel_at_the_first_step_of_its_sweep() -> None:
    swept = MatrixView(
        panels=(matrix([[[0, 0, 0], [0, 0, 1]], [[1, 1, 1], [1, 1, 1]]]),),
        summary="x", sweep=Sweep(name="d", label="d", values=("1", "2")),
    )  # fmt: skip
    (drawn,) = view_svgs(swept)
    assert pixels(drawn)[0, 0].tolist() == colour(SCALES["light"]["sequential"][0])


def test_a_number_in_a_cell_can_be_read_on_every_grey_and_every_colour_of_the_cube() -> None:
    def luminance(colour: np.ndarray) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour / 255]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    steps = np.arange(0, 256, 17)
    cube = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    for colour in [*np.repeat(np.arange(256), 3).reshape(-1, 3), *cube]:
        light = luminance(colour) + 0.05
        assert (1.05 / light if ink_on(colour) == "#FFFFFF" else light / 0.05) >= 4.5, colour


def written(values: object, **more: object) -> list[str]:
    """What stands in the cells: all of it is white or black, and nothing else is."""
    return re.findall(r'fill="#(?:FFFFFF|000000)" font-weight="400">([^<]*)<', panel_svg(matrix(values, **more)))


def test_cells_are_written_by_their_kind_all_alike_and_blank_where_there_is_nothing() -> None:
    assert written([[1e-17, -2e-17, 0], [0, 0, 0]], cells="score") == [], "rounding is no glance"
    assert written([[-12345.6, 0.1, 0], [0, 0, 0]], cells="score") == ["−12346", "0"]
    assert written([[1e9, 0.1, 0], [0, 0, 0]], cells="score") == [], "one that does not fit leaves all out"


def test_what_a_mask_hides_is_hatched_and_what_it_allows_has_a_dot() -> None:
    hidden = [[0, 1, 1], [0, 0, 1]]
    drawn = panel_svg(matrix([[1.0, 0, 0], [0.25, 1, 0]], np.array(hidden, bool), cells="allowed"))
    assert pixels(drawn)[0, 0].tolist() == [255, 255, 255]
    root = ElementTree.fromstring(drawn)
    radii = [float(dot.attrib["r"]) for dot in root.findall("svg:circle", NAMESPACE)]
    assert radii[0] == radii[2] == pytest.approx(2 * radii[1], abs=0.1)
    lines, _key = [path.attrib["d"] for path in root.findall("svg:path", NAMESPACE)]
    points = np.array(re.findall(r"[ML]([\d.]+) ([\d.]+)", lines), float)
    cells = ((points[:, ::-1].reshape(-1, 2, 2).mean(1) - [TOP, LEFT]) // 34).astype(int)
    assert {tuple(cell) for cell in cells.tolist()} == {(0, 1), (0, 2), (1, 2)}, (
        "middles of lines lie in hidden cells"
    )


@pytest.mark.parametrize(("labels", "written"), [(1, 1), (24, 24), (25, 13), (48, 24), (49, 17)])
def test_of_many_labels_evenly_so_many_are_written(labels: int, written: int) -> None:
    assert len(shown([""] * labels)) == written
