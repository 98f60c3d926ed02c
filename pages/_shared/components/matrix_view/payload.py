"""A view as the browser gets it: JSON that describes it, and all its numbers as one block."""

import base64
from typing import Any

from attention_core.figures.matrix import (
    AreasPanel,
    Axis,
    BarsPanel,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Panel,
    Tally,
)
from attention_core.language import sentences


class _Block:
    """Float32 arrays one after another; the description refers to them by offset and length."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, array: Any) -> dict[str, int | bool]:
        self._parts.append(array.tobytes())
        start, self._length = self._length, self._length + array.size
        return {"start": start, "length": array.size}

    def text(self) -> str:
        return base64.b64encode(b"".join(self._parts)).decode()


def _axis(axis: Axis) -> dict[str, Any]:
    lists = {name: list(getattr(axis, name)) for name in ("labels", "groups", "pale")}
    return _fields(axis, "title", "role", "formulas") | lists


def _fields(of: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


def _matrix(panel: MatrixPanel, block: _Block) -> dict[str, Any]:
    hidden = panel.hidden
    return _fields(panel, "quantity", "cells", "role", "hidden_as", "unit") | {
        "kind": "arcs" if panel.arcs or panel.switches else "matrix" if panel.image is None else "picture",
        "scale": panel.palette,
        "decimals": panel.decimals,
        "arcs": panel.arcs and _fields(panel.arcs, "row", "column", "label", "off"),
        "switches": panel.switches,
        "image": None if panel.image is None else block.add(panel.image),
        "values": block.add(panel.values) | {"swept": panel.steps is not None},
        "rows": _axis(panel.rows),
        "columns": _axis(panel.columns),
        "limits": panel.colour_limits,
        "hidden": None if hidden is None or not hidden.any() else base64.b64encode(hidden.tobytes()).decode(),
    }


def _bars(panel: BarsPanel, block: _Block) -> dict[str, Any]:
    def part(array: Any) -> dict[str, Any]:
        return block.add(array) | {"swept": array.ndim == 2}

    whole = panel.whole and _fields(panel.whole, "names", "role", "of_bars") | {
        "values": block.add(panel.whole.values),
        "before": None if panel.whole.before is None else block.add(panel.whole.before),
    }
    return _fields(panel, "log_y", "overlay_name", "role", "unit", "percent") | {
        "kind": "rows" if panel.lying else "bars",
        "whole": whole,
        "before": None if panel.before is None else block.add(panel.before),
        "values": part(panel.values),
        "labels": _axis(panel.labels),
        "y_title": panel.quantity,
        "limits": panel.height_limits,
        "edges": None if panel.edges is None else part(panel.edges),
        "overlay": panel.overlay and [part(array) for array in panel.overlay],
    }


def _lines(panel: LinesPanel, block: _Block) -> dict[str, Any]:
    return _fields(panel, "x_title", "y_title", "log_x", "log_y", "marked", "unfolds", "awaits") | {
        "kind": "scatter" if panel.points else "lines",
        "points": list(panel.points),
        "x": block.add(panel.x),
        "limits": panel.y_limits,
        "series": [
            _fields(line, "name", "crosses", "pointed")
            | {"values": block.add(line.values), "stroke": stroke, "role": colour}
            | {"listed": line.listed and not line.pointed}
            | {"band": line.band and [block.add(border) for border in line.band]}
            for line, stroke, colour in zip(panel.series, panel.strokes, panel.colours, strict=True)
        ],
    }


def _graph(panel: GraphPanel, block: _Block) -> dict[str, Any]:
    def named(part: Any, ends: str, *others: str) -> dict[str, Any]:
        return _fields(part, "name", "role", "step", *others) | {ends: block.add(panel.numbered(getattr(part, ends)))}

    gauge = panel.gauge and _fields(panel.gauge, "most", "says") | {"values": block.add(panel.gauge.values)}

    return _fields(panel, "unfolds", "counts") | {
        "kind": "graph",
        "values": block.add(panel.values),
        "layers": _axis(panel.layers),
        "tokens": _axis(panel.tokens),
        "quantity": panel.quantity,
        "window": panel.drawn,
        "edges": [named(edges, "ends", "lit") for edges in panel.edges],
        "nodes": [named(nodes, "at", "large", "boxes") for nodes in panel.nodes],
        "gauge": gauge,
    }


def _tally(tally: Tally) -> dict[str, Any]:
    same = tally.same
    return _fields(tally, "other", "other_same") | {
        "same": None if same is None else ["".join("01"[is_same] for is_same in row) for row in same.astype(int)],
    }


def _areas(panel: AreasPanel, block: _Block) -> dict[str, Any]:
    def part(array: Any) -> dict[str, Any]:
        return block.add(array) | {"swept": array.ndim == 2}

    return _fields(panel, "span", "smooth") | {
        "kind": "areas",
        "labels": _axis(panel.labels),
        "y_title": panel.quantity,
        "log_y": False,
        "limits": panel.height_limits,
        "areas": [
            _fields(area, "name", "role", "said")
            | {"values": part(area.values), "edges": part(area.edges)}
            | {"bracket": None if area.bracket is None else part(area.bracket)}
            for area in panel.areas
        ],
    }


def _panel(panel: Panel, block: _Block) -> dict[str, Any]:
    note = str(sentences((panel.note, panel.warning)))
    match panel:
        case MatrixPanel():
            drawn = _matrix(panel, block)
        case BarsPanel():
            drawn = _bars(panel, block)
        case LinesPanel():
            drawn = _lines(panel, block)
        case GraphPanel():
            drawn = _graph(panel, block)
        case AreasPanel():
            drawn = _areas(panel, block)
    return drawn | {"title": panel.title, "note": note}


def axes(view: MatrixView, panel: int) -> list[dict[str, Any]]:
    """The axes of a panel whose rows or columns can be pointed at."""
    match view.panels[panel]:
        case MatrixPanel(rows=down, columns=across) | GraphPanel(layers=down, tokens=across):
            return [_axis(down), _axis(across)]
    return []


def describe(view: MatrixView) -> dict[str, Any]:
    """The view as plain JSON values, its numbers as base64 of little-endian float32 under ``block``."""
    block = _Block()
    panels = [_panel(panel, block) for panel in view.panels]
    sweep = view.sweep and {"label": view.sweep.label, "values": list(view.sweep.values)}
    flow = view.flow and {"columns": view.flow.columns, "ribbons": view.flow.ribbons}
    return {
        "summary": view.summary,
        "panels": panels,
        "front": view.front,
        "second": view.second,
        "flow": flow,
        "bands": view.bands,
        "tally": view.tally and _tally(view.tally),
        "signs": view.signs,
        "sweep": sweep,
        "block": block.text(),
    }
