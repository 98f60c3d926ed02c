"""The picture of every page: panels on one canvas component, with cells to choose and a sweep to scrub."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages._shared.components.loader import COLOURS, component
from pages._shared.components.matrix_view.payload import axes, describe
from attention_core.figures.matrix import MatrixView
from attention_core.figures.theme import Role

Cell = tuple[int, int, int]

HEIGHT_PX = 336
_component = component("matrix_view/view.js")
_LAST = "matrix_view:last"


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a view."""

    step: int = 0  # the step of the sweep; 0 without one
    cell: Cell | None = None  # panel, row and column of the chosen cell; None while none is


@dataclass(frozen=True, slots=True)
class _Order:
    """A position that the page has ordered; the browser reports later moves under its number."""

    number: int
    position: Position


def _is_index(value: object) -> bool:
    return type(value) is int  # JSON's true is an int to isinstance


def reported_position(sent: object, view: MatrixView, order: int, requested: Position) -> Position:
    """The position that the browser reports; each part that cannot be used is the requested one.

    Args:
        sent: The component's state as it arrived; a browser can send anything.
        view: What the browser was shown.
        order: Number of the order the report must answer to; other reports are outdated.
        requested: The position of that order.
    """
    state = sent if isinstance(sent, Mapping) else {}
    step, cell = requested.step if 0 <= requested.step < view.steps else 0, requested.cell
    match state.get("step"):
        case [number, moved] if number == order and _is_index(moved) and 0 <= moved < view.steps:
            step = moved
    match state.get("cell"):
        case [number] if number == order:
            cell = None
        case [number, *place] if number == order and len(place) == 3 and all(map(_is_index, place)):
            cell = (place[0], place[1], place[2])
    return Position(step, cell if cell and view.cell_exists(*cell) else None)


def matrix_view(
    view: MatrixView, *, key: str, selected: Cell | None = None,
    on_select: Callable[[Cell | None], None] | None = None, step: int | None = None,
    on_step: Callable[[int], None] | None = None, height: int = HEIGHT_PX, hover_group: str | None = None,
    hover_panel: int = 0, follows: tuple[Role, ...] = (), replay: bool = False,
) -> Position:  # fmt: skip
    """Draw a view and return its position, checked against the view.

    With ``on_step`` the page owns the step: the view goes to ``step`` whenever the two differ, so the callback keeps
    what it is given. Without it ``step`` is only where the view starts. ``selected`` and ``on_select`` alike.

    Args:
        view: What is shown.
        key: Name of this view, unique in the app.
        selected: Panel, row and column of the chosen cell.
        on_select: Called with the chosen cell, or None, before the page runs again.
        step: The step of the sweep.
        on_step: Called with the step when the slider is let go, before the page runs again.
        height: Most pixels a matrix's cells take from top to bottom.
        hover_group: Views and token boards of one group light each other's rows and columns.
        hover_panel: The panel whose rows and columns the group counts, where panels show one set of tokens in
            different orders; in the others the same tokens are lit.
        follows: Roles of the sides of ``hover_panel`` that another order only reorders: while a chip of them is held,
            rows and columns already stand where it would bring them.
        replay: Whether a sweep that nobody has seen yet walks to its last step by itself first.
    """
    order_key = f"{key}:order"
    start = _Order(0, reported_position({}, view, 0, Position(step or 0, selected)))
    order, had_report = st.session_state.get(order_key, (start, False))
    sent = st.session_state.get(key)
    reported = reported_position(sent, view, order.number, order.position)
    wanted = Position(
        step if on_step and step is not None and 0 <= step < view.steps else reported.step,
        (selected if selected and view.cell_exists(*selected) else None) if on_select else reported.cell,
    )
    # Streamlit forgets the report of a view that was not on the page for a run, and the browser does not.
    if wanted != reported or (had_report and not sent):
        order = _Order(order.number + 1, wanted)
    st.session_state[order_key] = (order, bool(sent))

    def report(callback: Callable[[Any], None] | None, part: str) -> Callable[[], None]:
        def moved() -> None:
            if callback:
                callback(
                    getattr(reported_position(st.session_state.get(key), view, order.number, order.position), part)
                )

        return moved

    at = {"order": order.number, "step": order.position.step, "cell": order.position.cell}
    data = describe(view) | {
        "id": key,
        "replay": replay,
        "at": at,
        "height": height,
        "group": hover_group,
        "leads": axes(view, hover_panel),
        "follows": {"panel": hover_panel, "roles": list(follows)},
        "colours": COLOURS,
    }
    _component(key=key, data=data, on_step_change=report(on_step, "step"), on_cell_change=report(on_select, "cell"))
    st.session_state[_LAST] = (wanted.step if view.sweep else None, wanted.cell)
    return wanted


def last_position() -> tuple[int | None, Cell | None]:
    """The step and the chosen cell of the view drawn since the last call.

    Each is None where there is none.
    """
    return st.session_state.pop(_LAST, (None, None))
