"""Four maps of one head, a scatter of weight and effect, and what the cut of an edge does."""

from typing import Any

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.worth import Cell, CutResult, WorthResult
from attention_core.studies.worth.draw.words import compared, from_to, quoted

Edge = Cell | None
MAPS = (0, 1, 4, 5)  # the panels that are maps of the edges
SCATTER = 2  # that of weight and effect
HEADS = 6  # and that of all heads


def chosen_edge(result: WorthResult, edge: str, cell: tuple[int, ...]) -> Edge:
    """The edge that is cut: by the largest weight or effect, at random, or as pressed; None where none is.

    Args:
        result: What was measured.
        edge: An id of ``EDGES``.
        cell: Query and key of the pressed one.
    """
    if edge == "weight":
        return result.largest(result.weights)
    if edge == "effect":
        return result.largest(np.abs(result.effects))
    if edge == "random":
        return result.random
    if edge == "cell" and len(cell) == 2 and max(cell) < len(result.tokens) and result.felt[cell]:
        return cell[0], cell[1]
    return None


def edges_view(result: WorthResult, cut: CutResult) -> MatrixView:
    """The picture: weight and effect, their scatter, what comes next; as a second look two estimates, and all heads.

    Args:
        result: What was measured.
        cut: The edge that is cut.
    """
    weight, effect, *others = _maps(result)
    return MatrixView(
        panels=(weight, effect, _scatter(result, cut), _next(cut), *others, _heads(result)),
        summary=_summary(result, cut),
        front=3,
        second=3,
    )


def _shown(result: WorthResult) -> np.ndarray:
    """The edges that are shown: those that can be felt and chosen. The only edge of a row has all of its weight."""
    return result.choosable if result.choosable.any() else result.felt


def _rows(result: WorthResult) -> np.ndarray:
    """The queries of these edges."""
    return np.flatnonzero(_shown(result).any(-1))


def _maps(result: WorthResult) -> tuple[MatrixPanel, ...]:
    rows, shown = _rows(result), _shown(result)

    def seen(values: np.ndarray) -> np.ndarray:
        return np.where(shown, values, 0.0)[rows]

    shared: dict[str, Any] = {
        "rows": Axis(title=_("query"), labels=tuple(result.tokens[at] for at in rows), role="query"),
        "columns": Axis(title=_("key"), labels=result.tokens, role="key"), "cells": "weight", "hidden": ~shown[rows],
    }  # fmt: skip
    layer, head = (at + 1 for at in result.head)
    lead = _("fall of the lead")
    return (
        MatrixPanel(
            title=_("Where head {layer}.{head} looks", layer=layer, head=head),
            values=seen(result.weights), quantity=_("weight"), scale="sequential", limits=(0.0, 1.0), **shared,
        ),
        MatrixPanel(
            title=_("What a cut costs"), values=seen(result.effects), quantity=lead, scale="diverging",
            note=_("The lead: {leads} over {behind}.", **compared(result)),
            **shared,
        ),
        MatrixPanel(
            title=_("Weight × ‖W_O v‖"), values=seen(result.written), quantity=_("length of what it writes"),
            scale="sequential", **shared,
        ),
        MatrixPanel(
            title=_("Gradient × weight"), values=seen(result.gradients), quantity=lead, scale="diverging", **shared
        ),
    )  # fmt: skip


def _points(result: WorthResult) -> tuple[np.ndarray, list[Edge]]:
    """Each x of the scatter, ascending, and the edge that stands there: equal weights are set apart by less than can
    be seen, and some places have no edge, so that the axis has round numbers.
    """
    there = _shown(result)
    order = np.argsort(result.weights[there], kind="stable")
    edges = [(int(query), int(key)) for query, key in np.argwhere(there)[order]]
    apart = np.maximum.accumulate(result.weights[there][order]) + 1e-5 * np.arange(len(edges))
    grid = np.linspace(0, 1, 21)
    grid = grid[(np.abs(grid[:, None] - apart) > 1e-4).all(-1)]
    x, standing = np.concatenate((apart, grid)), [*edges, *(None for _ in grid)]
    at = np.argsort(x)
    return x[at], [standing[each] for each in at]


def _scatter(result: WorthResult, cut: CutResult) -> LinesPanel:
    """Weight and effect of each edge."""
    x, standing = _points(result)
    values = np.array([np.nan if edge is None else result.effects[edge] for edge in standing])
    effects = values[~np.isnan(values)]
    mine = np.array([edge is not None and edge == cut.cell for edge in standing], dtype=bool)
    series = [Series(name=_("an edge"), values=values, crosses=True, role="ink")]
    if mine.any():
        series.append(Series(name=_("cut"), values=np.where(mine, values, np.nan), crosses=True, role="accent"))
    low, high = float(effects.min()), float(effects.max())
    if 0 <= result.lead <= 2 * max(high, 1e-12):
        name = _("above: it loses the lead")
        series.append(Series(name=name, values=np.full(len(x), result.lead), dashed=True, pointed=True))
        high = max(high, result.lead)
    room = 0.05 * max(high - low, 1e-9)
    return LinesPanel(
        title=_("Weight and effect"), x=x, x_title=_("weight"), y_title=_("fall of the lead"),
        series=tuple(series), limits=(low - room, high + room),
        points=tuple("" if edge is None else from_to(result, edge) for edge in standing),
    )  # fmt: skip


def _next(cut: CutResult) -> BarsPanel:
    first = quoted(cut.next_after)
    return BarsPanel(
        title=_("Next word: {word}", word=first) if cut.cell is None else _("Cut, next word: {word}", word=first),
        values=cut.after,
        labels=Axis(title=_("word"), labels=cut.likely),
        quantity=_("probability"),
        limits=(0.0, 1.2 * float(max(cut.before.max(), cut.after.max()))),
        lying=True,
        percent=True,
        before=None if cut.cell is None else cut.before,
        note=_("Press a cell or a cross to cut that edge.") if cut.cell is None else "",
    )


def _heads(result: WorthResult) -> MatrixPanel:
    layers, heads = result.heads.shape
    return MatrixPanel(
        title=_("All heads: Σ |gradient × weight|"),
        values=result.heads,
        rows=Axis(title=_("layer"), labels=tuple(str(at + 1) for at in range(layers))),
        columns=Axis(title=_("head"), labels=tuple(str(at + 1) for at in range(heads))),
        quantity=_("sum over its edges"),
        scale="sequential",
        note=_("Press a head to look at it."),
    )


def selected(result: WorthResult, edge: Edge) -> tuple[int, int, int] | None:
    """Which cell of which panel is marked: the edge that is cut, among the weights."""
    rows = [*_rows(result)]
    return (0, rows.index(edge[0]), edge[1]) if edge and edge[0] in rows else None


def choice(result: WorthResult, at: tuple[int, int, int]) -> dict[str, Any]:
    """What a pressed cell sets: the edge that is cut, or another head.

    Args:
        result: What was measured.
        at: Panel, row and column.
    """
    panel, row, column = at
    if panel in MAPS:
        query = int(_rows(result)[row])
        return {"edge": "cell", "cell": (query, column)} if result.felt[query, column] else {}
    if panel == SCATTER:
        edge = _points(result)[1][column]
        return {"edge": "cell", "cell": edge} if edge else {}
    if panel == HEADS:
        return {"head": (row, column), "edge": "none", "cell": ()}
    return {}


def _summary(result: WorthResult, cut: CutResult) -> str:
    told = compared(result)
    if cut.cell is None:
        largest, costliest = result.largest(result.weights), result.largest(np.abs(result.effects))
        at = {"edge": from_to(result, largest), "weight": format_number(float(result.weights[largest]))}
        if largest == costliest:
            return _(
                "The largest weight, {weight}, goes from {edge}, and no other cut changes the lead as much.", **at
            )
        return _(
            "The largest weight, {weight}, goes from {edge}; the cut that changes the lead most is from {other}.",
            **at, other=from_to(result, costliest),
        )  # fmt: skip
    at = {"edge": from_to(result, cut.cell), "weight": format_number(float(result.weights[cut.cell]))}
    effect = float(result.effects[cut.cell])
    at["size"] = format_number(abs(effect))
    if cut.lead < 0 <= result.lead:
        return _(
            "Without the edge from {edge}, weight {weight}, the lead of {leads} falls by {size}: now {behind} leads.",
            **at, **told,
        )  # fmt: skip
    if effect < 0:
        return _(
            "Without the edge from {edge}, weight {weight}, the lead of {leads} over {behind} rises by {size}.",
            **at, **told,
        )  # fmt: skip
    return _(
        "Without the edge from {edge}, weight {weight}, the lead of {leads} over {behind} falls by {size}.",
        **at, **told,
    )  # fmt: skip
