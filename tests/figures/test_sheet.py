"""A sheet holds what the screen shows: panels with labels, numbers and colours, in either theme and language."""

import base64
import re
import struct
import tomllib
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from attention_core.figures.matrix import (
    Arcs,
    Area,
    AreasPanel,
    Axis,
    BarsPanel,
    Edges,
    Flow,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Nodes,
    Panel,
    Series,
    Sweep,
    Tally,
    Whole,
)
from attention_core.figures.sheet import Shown, sheet_html, sheet_svg
from attention_core.figures.svg_pen import text_width, ticks
from attention_core.figures.theme import GREEN, PAPER, PRIMARY
from attention_core.language import using
from tests.figures.views import STUDIES, views
from tests.processes import ROOT
from tests.sweeps import some_by_day

pytestmark = pytest.mark.xdist_group("views")  # one worker draws them once for all

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("<script>alert(1)</script>", "a&b\"c'd", "مرحبا", "\ud800x", "\x00]]>")
QUERIES = Axis(title="query", labels=("the", "cat"), role="query")
KEYS = Axis(title="key", labels=("sat", "on", "mat"), role="key")
X = np.array([1.0, 2.0, 4.0])


def matrix(values: Any = ((0.1, 0.9, 0.0), (0.25, 0.5, 0.25)), **more: Any) -> MatrixPanel:
    given = {"title": "Weights", "rows": QUERIES, "columns": KEYS, "quantity": "weight", "scale": "sequential"}
    return MatrixPanel(**(given | {"values": np.array(values), "cells": "weight"} | more))


HIDDEN = matrix(hidden=np.array([[0, 0, 1], [0, 0, 0]], bool), hidden_as="a later word")
# What is written on it, and its colours, light and dark.
KINDS: dict[str, tuple[Panel, set[str], str, str]] = {
    "matrix": (HIDDEN, {"the", "cat", "sat", "on", "mat", ".10", ".90", ".50", "weight", "0 … 0.900", "a later word",
                        "query ↓", "key →"}, "#0072B2 #B84A00", "#56B4E9 #FF8F4D"),
    "arcs": (matrix(arcs=Arcs(row=1, column=0, label="50% on “on”"), switches=(True, False), cells="percent"),
             {"10%", "90%", "25%", "50% on “on”", "on", "weight"}, "#4B3BA3 #5A6270", "#8F7FF0 #A4ABBA"),
    "bars": (BarsPanel(title="Bars", values=X, labels=KEYS, quantity="height", unit="ms",
                       role=("value", None, "ink")),
             {"sat", "on", "mat", "height (ms)", "key →", "0", "2", "4"}, "#007A5A #1B1F27", "#2BC497 #E8EAF0"),
    "rows": (BarsPanel(title="Words", values=X / 4, labels=KEYS, quantity="p", lying=True, percent=True, whole=Whole(
        names=("verbs", "others"), values=np.array([0.6, 0.4]), role=("accent", None))),
        {"sat", "on", "mat", "25%", "50%", "100%", "verbs 60%", "others 40%"}, "#4B3BA3", "#8F7FF0"),
    "lines": (LinesPanel(title="Curves", x=X, x_title="d_head", y_title="error", log_x=True, series=(
        Series(name="of keys", values=X, role="key", band=(X / 2, X)),
        Series(name="bound", values=X * 2, dashed=True))),
        {"dhead →", "error", "of keys", "bound", "1", "2", "4"}, "#B84A00 #5A6270", "#FF8F4D #A4ABBA"),
    "areas": (AreasPanel(
        title="Scores", labels=Axis(title="score", labels=()), span=(0.0, 2.0), quantity="count",
        areas=(Area(name="all", values=[1, 2], edges=[0, 1, 2], role="muted", said=("σ = 1",), bracket=[0.5, 1.5]),)),
        {"score →", "count", "σ = 1", "0", "1", "2"}, "#5A6270 #1B1F27", "#A4ABBA #E8EAF0"),
    "graph": (GraphPanel(
        title="Graph", values=np.zeros((2, 3)), layers=Axis(title="layer", labels=("inputs", "1")), tokens=KEYS,
        quantity="reach", counts=("3", "1"), edges=(Edges(ends=np.array([[1, 2, 0]]), name="looks at", lit=True,
        role="key"),), nodes=(Nodes(at=np.array([[1, 2]]), name="chosen", role="query"),)),
        {"layer ↑", "key →", "inputs", "1", "sat", "on", "mat", "3", "looks at", "chosen"},
        "#B84A00 #0072B2", "#FF8F4D #56B4E9"),
}  # fmt: skip


def drawn(*panels: Panel, mode: Any = "light", cell: Any = None, step: int = 0, **more: Any) -> ElementTree.Element:
    view = MatrixView(panels=panels, summary=more.pop("summary", "What is seen."), **more)
    return ElementTree.fromstring(sheet_svg([Shown(view, step, cell)], mode=mode))


def written(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def colours(root: ElementTree.Element) -> set[str]:
    return {
        value
        for one in root.iter()
        for name, value in one.attrib.items()
        if name in ("fill", "stroke") and value != "none"
    }


def pixels(root: ElementTree.Element) -> np.ndarray:
    """(rows, columns, 3) bytes of its first image."""
    data = base64.b64decode(next(root.iter(f"{SVG}image")).attrib["href"].partition("base64,")[2])
    wide, high = struct.unpack(">II", data[16:24])
    content = zlib.decompress(data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8])
    return np.frombuffer(content, np.uint8).reshape(high, 1 + 3 * wide)[:, 1:].reshape(high, wide, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_panel_has_its_title_labels_numbers_and_the_colours_of_the_theme(kind: str) -> None:
    panel, words, light, dark = KINDS[kind]
    for mode, worn, other in (("light", light, dark), ("dark", dark, light)):
        root = drawn(panel, mode=mode)
        assert words | {panel.title, "What is seen."} <= set(written(root))
        assert set(worn.split()) <= colours(root)
        assert not set(other.split()) & colours(root), "nothing of the other theme"


@pytest.mark.parametrize(("mode", "paper", "least", "most", "hidden"), [
    ("light", "#FFFFFF", "F6F5FB", "170645", "E9EBF0"), ("dark", "#12151C", "1B1E29", "FAF8FF", "272B35"),
])  # fmt: skip
def test_cells_paper_and_what_is_hidden_have_the_colours_of_the_theme(
    mode: str, paper: str, least: str, most: str, hidden: str
) -> None:
    root = drawn(matrix([[0, 1, 0], [0.5, 0, 1]], hidden=np.array([[0, 0, 1], [0, 0, 0]], bool)), mode=mode)
    assert next(root.iter(f"{SVG}rect")).attrib["fill"] == paper, "it is drawn on"
    cells = [[bytes(cell).hex().upper() for cell in row] for row in pixels(root)]
    assert cells[0] == [least, most, hidden]
    assert cells[1][1:] == [least, most]


def test_paper_and_what_is_chosen_are_those_of_the_app() -> None:
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
    for mode in ("light", "dark"):
        wanted = [theme[mode][f"{name}Color"] for name in ("background", "primary", "greenText")]
        assert [PAPER[mode], PRIMARY[mode], GREEN[mode]] == wanted


# ---- what stands where ----


def origins(root: ElementTree.Element, *titles: str) -> list[tuple[float, float]]:
    """Where panels begin: what the groups around their titles add up to."""
    found: dict[str, tuple[float, float]] = {}

    def walk(element: ElementTree.Element, x: float, y: float) -> None:
        if moved := re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", element.attrib.get("transform", "")):
            x, y = x + float(moved[1]), y + float(moved[2])
        if element.tag == f"{SVG}text":
            found.setdefault("".join(element.itertext()), (x, y))
        for one in element:
            walk(one, x, y)

    walk(root, 0, 0)
    return [found[title] for title in titles]


def test_the_picture_is_one_line_and_a_second_look_stands_below_it() -> None:
    panels = [matrix(title=title) for title in "ABCDE"]
    one, two, three, four, five = origins(drawn(*panels, front=2, second=3), *"ABCDE")
    assert one[0] < two[0]
    assert one[1] == two[1] < three[1] == four[1] == five[1]
    assert three[0] < four[0] < five[0]
    few = origins(drawn(*panels[:3], front=2), *"ABC")
    assert len({y for _, y in few}) == 1, "on a screen all that can be read stands in the picture"


def test_what_reads_as_one_line_is_one_with_its_signs_and_names_its_rows_once() -> None:
    root = drawn(*(matrix(title=title) for title in "ABCDEF"), front=2, signs=("+", "+", "+", "=", "→"))
    places = origins(root, *"ABCDEF")
    assert len({y for _, y in places}) == 1
    assert [x for x, _ in places] == sorted({x for x, _ in places})
    words = written(root)
    assert [words.count(one) for one in ("+", "=", "→", "cat", "mat")] == [3, 1, 1, 1, 6]


def test_a_flow_has_its_columns_and_a_way_for_each_row() -> None:
    parts = [matrix(title=title, rows=Axis(title="token", labels=("the", "cat"))) for title in "ABCD"]
    flow = Flow(columns=(0, 1, 1, 2), ribbons=((0, 1, "query"), (0, 2, "key"), (1, 3, None)))
    root = drawn(*parts, flow=flow)
    one, two, three, four = origins(root, *"ABCD")
    assert one[0] < two[0] == three[0] < four[0]
    assert two[1] < three[1]
    ways = [path.attrib["fill"] for path in root.iter(f"{SVG}path") if path.attrib.get("fill-opacity") == "0.3"]
    assert ways == ["#0072B2"] * 2 + ["#B84A00"] * 2 + ["#4B3BA3"] * 2


def test_bands_lead_from_each_row_to_where_it_stands() -> None:
    root = drawn(matrix(title="Before"), matrix(title="After"), bands=(1, 0))
    ways = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.attrib.get("stroke-opacity") == "0.16"]
    ends = [[float(one) for one in re.findall(r"[\d.]+", way)] for way in ways]
    (_, left, *_, first), (_, other, *_, second) = ends
    assert (left, first) == (second, other), "each ends where the other begins"
    assert left > first


@pytest.mark.parametrize(("same", "other", "said"), [
    ([[1, 1], [1, 0]], 2, ["3", "of 4 the same", "2", "of 4"]), (None, None, ["?", "?"]),
    ([[1, 1], [1, 1]], 0, ["4", "of 4 the same", "0", "of 4"]),
])  # fmt: skip
def test_a_tally_counts_and_draws_a_square_for_each_number(same: Any, other: int | None, said: list[str]) -> None:
    tally = Tally(same=None if same is None else np.array(same, bool), other="with positions", other_same=other)
    for mode in ("light", "dark"):
        root = drawn(matrix(), tally=tally, mode=mode)
        words = written(root)
        assert [one for one in words if one in said] == said
        assert "with positions" in words
        squares = [one.attrib["fill"] for one in root.iter(f"{SVG}rect") if one.attrib.get("rx") == "1"]
        assert squares.count(GREEN[mode]) == int(np.sum(same or 0))
        assert len(squares) == (4 if same else 0)


def test_a_sweep_shows_its_step_alone() -> None:
    swept = matrix([[[0.1] * 3] * 2, [[0.7] * 3] * 2])
    unfolding = LinesPanel(
        title="Loss", x=np.array([0.0, 5.0]), x_title="step", y_title="nats", unfolds=True,
        series=(Series(name="model", values=np.array([3.0, 2.0]), pointed=True),),
    )  # fmt: skip
    sweep = Sweep(name="d_head", label="Size, d_head", values=("16", "32"))
    for step, seen, other, value, said in ((0, ".10", ".70", "16", "model: 3"), (1, ".70", ".10", "32", "model: 2")):
        words = written(drawn(swept, unfolding, sweep=sweep, step=step))
        assert {seen, f"Size, dhead{value}", said} <= set(words)
        assert other not in words


def test_a_pinned_pair_stands_side_by_side_each_with_its_name_summary_and_step() -> None:
    now, pinned = (
        MatrixView(panels=(matrix([[value] * 3] * 2, title=title),), summary=f"{title} is seen.")
        for title, value in (("New", 0.2), ("Old", 0.4))
    )
    root = ElementTree.fromstring(sheet_svg([Shown(now, name="Now"), Shown(pinned, name="Pinned")]))
    assert {"Now", "Pinned", "New is seen.", "Old is seen.", ".20", ".40"} <= set(written(root))
    one, other = origins(root, "New", "Old")
    assert one[0] < other[0]
    assert one[1] == other[1]
    assert root.attrib["aria-label"] == "New is seen. Old is seen."


def test_curves_below_the_picture_stand_below_it_and_have_their_table() -> None:
    shown = [Shown(MatrixView(panels=(matrix(title="A"),), summary="A is seen."))]
    below = [Shown(MatrixView(panels=(KINDS["lines"][0],), summary="Curves are seen."))]
    root = ElementTree.fromstring(sheet_svg(shown, below=below))
    one, other = origins(root, "A", "Curves")
    assert one[0] == other[0]
    assert one[1] + 300 < other[1]
    assert root.attrib["aria-label"] == "A is seen. Curves are seen."
    read = Page()
    read.feed(sheet_html(shown, below=below))
    assert read.summaries == ["A", "Curves"]


def test_the_chosen_cell_or_node_wears_a_ring_and_no_other_does() -> None:
    def rings(root: ElementTree.Element) -> list[dict[str, str]]:
        return [one.attrib for one in root.iter() if one.attrib.get("stroke") == "#4B3BA3"]

    graph = KINDS["graph"][0]
    assert rings(drawn(matrix(), graph)) == []
    (cell,) = rings(drawn(matrix(), graph, cell=(0, 1, 2)))
    assert float(cell["x"]) - 64 == pytest.approx(2 * float(cell["width"]), abs=0.1)
    assert float(cell["y"]) - 66 == pytest.approx(float(cell["height"]), abs=0.1)
    (node,) = rings(drawn(matrix(), graph, cell=(1, 1, 2)))
    assert "r" in node
    assert rings(drawn(matrix(), graph, cell=(0, 7, 7))) == [], "one that is not there"


# ---- as a file ----


def test_the_typeface_goes_along_and_the_italic_where_something_is_italic() -> None:
    upright, italic = "@font-face { /* upright */ }", "@font-face { /* italic */ }"
    plain = MatrixView(panels=(matrix(),), summary="Seen.")
    formula = MatrixView(panels=(matrix(title="Scores q_i"),), summary="Seen.")
    styles = [sheet_svg([Shown(one)], faces=(upright, italic)).partition("<style>")[2] for one in (plain, formula)]
    assert styles[0].startswith(f"{upright}</style>")
    assert styles[1].startswith(f"{upright}{italic}</style>")


@pytest.mark.parametrize("text", HOSTILE)
def test_what_somebody_typed_is_text_in_svg_and_html(text: str) -> None:
    axis = Axis(title="key", labels=(text, "b", "c"))
    view = MatrixView(
        panels=(
            matrix(title=text, columns=axis, note=text),
            BarsPanel(title="B", values=X, labels=axis, quantity=text),
        ),
        summary=text, sweep=Sweep(name="n", label=text, values=(text,)),
    )  # fmt: skip
    shown = [Shown(view, name=text)]
    root = ElementTree.fromstring(sheet_svg(shown))
    fit = re.sub("[\x00\ud800]", "\ufffd", text)
    assert root.attrib["aria-label"] == fit
    assert fit in written(root)
    page = sheet_html(shown)
    assert {element.tag for element in root.iter()} <= {f"{SVG}{tag}" for tag in (
        "svg", "g", "path", "rect", "circle", "line", "image", "text", "tspan", "title", "style")}  # fmt: skip
    assert "<script" not in page.lower()
    page.encode("utf-8")
    read = Page()
    read.feed(page)
    assert fit in read.cells


class Page(HTMLParser):
    """What the tables of a page hold."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.summaries: list[str] = []
        self.into: list[str] | None = None

    def handle_starttag(self, tag: str, _attrs: Any) -> None:
        self.into = {"td": self.cells, "th": self.cells, "summary": self.summaries}.get(tag)

    def handle_data(self, data: str) -> None:
        if self.into is not None:
            self.into.append(data)

    def handle_endtag(self, _tag: str) -> None:
        self.into = None


def test_the_page_has_the_same_picture_and_the_numbers_of_the_step_that_is_seen() -> None:
    swept = matrix([[[0.1] * 3] * 2, [[0.7, 0.125, 0.0]] * 2])
    view = MatrixView(panels=(swept,), summary="S", sweep=Sweep(name="n", label="n", values=("1", "2")))
    shown = [Shown(view, 1)]
    page = sheet_html(shown, mode="dark")
    assert sheet_svg(shown, mode="dark") in page
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert "background: #12151C" in page
    read = Page()
    read.feed(page)
    assert read.summaries == ["Weights"]
    assert read.cells == [
        "query / key",
        "sat",
        "on",
        "mat",
        "the",
        "0.700",
        "0.125",
        "0",
        "cat",
        "0.700",
        "0.125",
        "0",
    ]


def test_a_sheet_is_worded_in_the_language_that_it_is_made_in() -> None:
    tally = Tally(same=np.ones((2, 2), bool), other="x", other_same=0)
    with using("zh"):
        words = written(drawn(matrix(hidden=np.eye(2, 3, dtype=bool)), tally=tally, summary="看"))
        page = sheet_html([Shown(MatrixView(panels=(matrix(),), summary="看"))])
    assert {"/ 4 个数相同", "/ 4"} <= set(words)
    assert not any(english in one for english in ("hidden by", "the same") for one in words)
    assert '<html lang="zh">' in page


@pytest.mark.parametrize(("study", "mode"), some_by_day(product(STUDIES, ["light", "dark"]), 1, of=3))
def test_every_picture_of_every_study_is_a_sheet_in_colours_of_its_theme_alone(study: str, mode: str) -> None:
    other = {
        "light": {"#E8EAF0", "#A4ABBA", "#2C313C", "#8F7FF0", "#56B4E9", "#FF8F4D", "#2BC497", "#E29BC3"},
        "dark": {"#1B1F27", "#5A6270", "#E3E6EC", "#4B3BA3", "#0072B2", "#B84A00", "#007A5A", "#9C4A7C"},
    }
    for name, view in views(study).items():
        text = sheet_svg([Shown(view, view.steps - 1)], mode=mode)  # type: ignore[arg-type]
        root = ElementTree.fromstring(text)
        assert not colours(root) & other[mode], name
        assert not re.search(r'="[^"]*\bnan\b', re.sub(r'(aria-label|href)="[^"]*"', "", text.lower())), name
        told = "".join(written(root)).replace(" ", "")
        for panel in view.panels:
            assert re.sub(r"[_^(){} ]", "", panel.title) in re.sub(r"[(){}]", "", told), (name, panel.title)
        _, _, width, height = (float(one) for one in root.attrib["viewBox"].split())
        assert max(width, height) * 1.25 * 2 < 16_000, "a browser has a canvas of twice that"


# ---- axes ----


@pytest.mark.parametrize(("limits", "count", "log", "wanted"), [
    ((0, 1), 3, False, [0, 0.5, 1]), ((-3, 3), 3, False, [-2, 0, 2]), ((0, 7), 3, False, [0, 2, 4, 6]),
    ((1, 1000), 4, True, [1, 10, 100, 1000]), ((1e-8, 10), 4, True, [1e-8, 1e-5, 1e-2, 10]),
    ((2, 7), 4, True, [2, 7]), ((5, 5), 4, False, [5]),
])  # fmt: skip
def test_an_axis_has_few_round_numbers_within_its_limits(
    limits: tuple[float, float], count: int, log: bool, wanted: list[float]
) -> None:
    assert ticks(limits, count, log=log) == pytest.approx(wanted)


def test_names_at_the_ends_of_curves_keep_clear_of_each_other() -> None:
    series = tuple(Series(name=f"{n} heads", values=X + 0.01 * n, pointed=True) for n in range(4))
    root = drawn(LinesPanel(title="C", x=X, x_title="x", y_title="y", series=series))
    at = [
        (float(one.attrib["x"]), float(one.attrib["y"]))
        for one in root.iter(f"{SVG}text")
        if "heads" in (one.text or "")
    ]
    apart = [abs(a[1] - b[1]) >= 12 or abs(a[0] - b[0]) >= 40 for i, a in enumerate(at) for b in at[:i]]
    assert len(at) == 4
    assert all(apart), at


def test_a_name_at_a_curves_point_keeps_off_the_line_that_marks_an_x() -> None:
    name = "many many heads"
    series = (Series(name=name, values=np.array([0, 0.2, 0.5, 0.7, 0.9, *[np.nan] * 4]), pointed=True),)
    panel = LinesPanel(title="C", x=np.arange(9.0), x_title="x", y_title="y", series=series, limits=(0, 1), marked=5)
    marked = drawn(panel)
    upright = [float(one.attrib["x1"]) for one in marked.iter(f"{SVG}line") if one.attrib["x1"] == one.attrib["x2"]]
    (line,) = upright
    free, beside = (
        next(float(one.attrib["x"]) for one in root.iter(f"{SVG}text") if one.text == name)
        for root in (drawn(replace(panel, marked=None)), marked)
    )
    assert free < line < free + text_width(name), "it would stand there"
    assert not beside < line < beside + text_width(name)
