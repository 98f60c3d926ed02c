"""What a view takes from a browser, and what it says to it."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages._shared.components.matrix_view import Position, reported_position
from pages._shared.components.matrix_view.payload import describe
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    Edges,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Nodes,
    Series,
    Sweep,
)
from tests.processes import PATIENCE_S

STEPS = 4
X = np.array([1.0, 2.0, 4.0, 8.0])
MATRIX = MatrixPanel(
    title="Weights",
    values=np.random.default_rng(0).normal(size=(STEPS, 2, 3)),
    rows=Axis(title="query", labels=("a", "b"), role="query"),
    columns=Axis(title="key", labels=("<b>", "y", "z"), role="key"),
    quantity="weight",
    scale="diverging",
    hidden=np.array([[False, True, False], [False, False, False]]),
)
BARS = BarsPanel(
    title="Scores",
    values=np.ones((STEPS, 5)),
    labels=Axis(title="score", labels=()),
    quantity="count",
    edges=np.arange(6.0),
    overlay=(np.array([0.0, 1.0]), np.full((STEPS, 2), 0.5)),
    overlay_name="N(0, 1)",
)
LINES = LinesPanel(
    title="Curve",
    x=X,
    x_title="d",
    y_title="y",
    log_y=True,
    series=(Series(name="s", values=X, band=(X / 2, X * 2)),),
)
VIEW = MatrixView(
    panels=(MATRIX, BARS, LINES),
    summary="All three.",
    sweep=Sweep(name="d", label="Size", values=("1", "2", "4", "8")),
)
ASKED = Position(1, (0, 1, 1))


def position(step=None, cell=None, order=7):
    return reported_position({"step": step, "cell": cell}, VIEW, order, ASKED)


def test_a_report_under_the_current_order_is_taken():
    assert position([7, 3], [7, 0, 1, 2]) == Position(3, (0, 1, 2))


def test_no_cell_is_a_report_too():
    assert position([7, 3], [7]) == Position(3, None)


def test_a_report_under_another_order_is_outdated():
    assert position([6, 3], [8, 0, 0, 0]) == ASKED


@pytest.mark.parametrize(
    "step",
    [
        None,
        3,
        [3],
        [7],
        [7, 4],
        [7, -1],
        [7, 10**30],
        [7, 2.0],
        [7, "2"],
        [7, True],
        [7, [2]],
        [7, 2, 2],
        "72",
        {"7": 2},
    ],
)
def test_a_step_that_is_none_leaves_the_view_where_it_was_asked_to_be(step):
    assert position(step).step == ASKED.step


@pytest.mark.parametrize(
    "cell",
    [3, [7, 0, 1], [7, 0, 1, 1, 1], [7, 0, 1.0, 1], [7, 0, True, 1], [7, "0", 1, 1], [[7], 0, 1, 1], "70112", {}],
)
def test_a_cell_that_is_none_leaves_the_chosen_one(cell):
    assert position(cell=cell).cell == ASKED.cell


@pytest.mark.parametrize(
    "cell", [[7, 0, 2, 0], [7, 0, 0, 3], [7, 0, -1, 0], [7, 1, 0, 0], [7, 2, 0, 0], [7, 9, 0, 0]]
)
def test_a_cell_outside_the_view_is_no_cell(cell):
    assert position(cell=cell).cell is None


def test_a_position_that_a_smaller_view_does_not_have_is_none():
    small = MatrixView(panels=(LINES,), summary="s")
    assert reported_position({}, small, 0, Position(3, (0, 1, 1))) == Position(0, None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["step", "cell", "other"]), json_values) | json_values)
def test_whatever_arrives_the_position_is_one_of_the_view(state):
    stands = reported_position(state, VIEW, 0, ASKED)
    assert 0 <= stands.step < STEPS
    assert stands.cell is None or VIEW.cell_exists(*stands.cell)


# ---- what the browser is told ----


def block(described) -> np.ndarray:
    return np.frombuffer(base64.b64decode(described["block"]), "<f4")


def part(described, where) -> np.ndarray:
    return block(described)[where["start"] : where["start"] + where["length"]]


def test_the_block_holds_exactly_the_panels_numbers():
    described = describe(VIEW)
    matrix, bars, lines = described["panels"]
    np.testing.assert_array_equal(part(described, matrix["values"]), MATRIX.values.ravel())
    np.testing.assert_array_equal(part(described, bars["values"]), BARS.values.ravel())
    np.testing.assert_array_equal(part(described, bars["edges"]), np.arange(6.0))
    np.testing.assert_array_equal(part(described, bars["overlay"][1]), np.full(8, 0.5))
    np.testing.assert_array_equal(part(described, lines["x"]), X)
    np.testing.assert_array_equal(part(described, lines["series"][0]["band"][1]), X * 2)
    assert (matrix["values"]["swept"], bars["edges"]["swept"], bars["overlay"][1]["swept"]) == (True, False, True)


def test_words_limits_and_hidden_cells_are_told_as_they_are():
    described = describe(VIEW)
    matrix, bars, lines = described["panels"]
    assert described["summary"] == "All three."
    assert matrix["columns"] == {
        "title": "key",
        "labels": ["<b>", "y", "z"],
        "role": "key",
        "groups": [],
        "formulas": False,
        "pale": [],
    }
    assert (matrix["limits"], bars["limits"], lines["limits"]) == (
        MATRIX.colour_limits,
        BARS.height_limits,
        LINES.y_limits,
    )
    assert list(base64.b64decode(matrix["hidden"])) == [0, 1, 0, 0, 0, 0]
    assert matrix["hidden_as"] == "hidden by the mask"
    assert described["sweep"] == {"label": "Size", "values": ["1", "2", "4", "8"]}


def test_a_graph_is_told_in_numbers_that_name_its_nodes_and_edges():
    tokens, layers = 256, 9
    far = np.array([[8, 255, 254], [1, 0, 255]])
    panel = GraphPanel(
        title="Graph",
        values=np.zeros((layers, tokens)),
        layers=Axis(title="layer", labels=tuple(map(str, range(layers)))),
        tokens=Axis(title="token", labels=tuple(map(str, range(tokens)))),
        quantity="count",
        edges=(Edges(ends=far, name="looks at", role="key", lit=True),),
        nodes=(Nodes(at=far[:, :2], large=True),),
    )
    described = describe(MatrixView(panels=(panel,), summary="s"))
    (graph,) = described["panels"]
    assert graph["window"] == (0, 255)
    edges = part(described, graph["edges"][0]["ends"]).astype(int)
    assert np.stack((edges // tokens**2, edges // tokens % tokens, edges % tokens), 1).tolist() == far.tolist()
    nodes = part(described, graph["nodes"][0]["at"]).astype(int)
    assert np.stack(np.divmod(nodes, tokens), 1).tolist() == far[:, :2].tolist()
    assert (graph["edges"][0]["role"], graph["edges"][0]["lit"], graph["nodes"][0]["large"]) == ("key", True, True)


def app(first: dict, second: dict) -> None:
    import numpy as np
    import streamlit as st

    from pages._shared.components.matrix_view import matrix_view
    from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView, Sweep

    axis = Axis(title="t", labels=("a", "b"))
    panel = MatrixPanel(
        title="M", values=np.zeros((3, 2, 2)), rows=axis, columns=axis, quantity="q", scale="sequential"
    )
    view = MatrixView(panels=(panel,), summary="s", sweep=Sweep(name="d", label="d", values=("1", "2", "3")))
    given = second if st.session_state.get("again") else first
    owned = {"on_step": lambda _: None, "on_select": lambda _: None} if given.pop("owned", True) else {}
    st.session_state["result"] = matrix_view(view, key="view", **given, **owned)


def run(first: dict, second: dict) -> tuple[Position, Position, bool]:
    """Both results, and whether the description sent to the browser changed in between."""
    at = AppTest.from_function(app, args=(first, second), default_timeout=PATIENCE_S).run()
    before, sent = at.session_state["result"], at.get("bidi_component")[0].proto.json
    at.session_state["again"] = True
    at.run()
    return before, at.session_state["result"], at.get("bidi_component")[0].proto.json != sent


def test_a_page_that_owns_the_step_moves_the_view_and_only_a_move_changes_the_description():
    assert run({"step": 1}, {"step": 2}) == (Position(1, None), Position(2, None), True)
    assert run({"step": 1}, {"step": 1}) == (Position(1, None), Position(1, None), False)
    assert run({"selected": (0, 1, 1)}, {"selected": None}) == (Position(0, (0, 1, 1)), Position(0, None), True)


def test_without_a_callback_step_and_cell_are_where_the_view_starts():
    first, second = {"step": 1, "selected": (0, 0, 0), "owned": False}, {"step": 2, "owned": False}
    assert run(first, second) == (Position(1, (0, 0, 0)), Position(1, (0, 0, 0)), False)


def test_what_a_page_asks_for_is_checked_too():
    assert run({"step": 99, "selected": (0, 9, 9)}, {"step": -1}) == (Position(), Position(), False)
