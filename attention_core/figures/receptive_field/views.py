"""How the receptive field is drawn: reach matrices layer by layer, reach against depth, and tables of both."""

from typing import Final

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.receptive_field import RandomReach, ReceptiveFieldResult
from attention_core.experiments.verdict import format_number
from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView, Sweep
from attention_core.figures.plot import NUMBER, Mode, add_band, axis, base_figure, drawn_once, escape
from attention_core.figures.table import Table
from attention_core.figures.theme import MUTED, ROLE_COLOURS, SCALES

MAX_SIDE: Final = 128  # cells along a side of a reach matrix; more tokens share a cell


def reach_view(result: ReceptiveFieldResult) -> MatrixView:
    """Which inputs each token sees, 1, 2, 3 … layers up: by the argmax graph, and by autograd.

    Args:
        result: With more than 128 tokens neighbours share a cell.
    """
    tokens, layers = result.config.tokens, result.config.layers
    starts = np.arange(0, tokens, -(-tokens // MAX_SIDE))
    width = np.diff(starts, append=tokens)
    sees = np.add.reduceat(np.add.reduceat(result.sees, starts, axis=1, dtype=np.float64), starts, axis=2)
    paths = np.add.reduceat(result.paths, starts, axis=2, dtype=np.float64)
    inputs = Axis(title="input", labels=_spans(starts, width), role="key")
    shared = len(starts) < tokens
    return MatrixView(
        panels=(
            MatrixPanel(
                title="Seen, by the argmax graph",
                values=sees / (width[:, None] * width),
                rows=Axis(title="token", labels=_spans(starts, width), role="query"),
                columns=inputs,
                quantity="share of the cell that is seen" if shared else "seen (1) or not (0)",
                scale="sequential",
                limits=(0.0, 1.0),
            ),
            MatrixPanel(
                title="Paths, by autograd",
                values=paths / paths.max(axis=2, keepdims=True),
                rows=Axis(title="token", labels=tuple(str(i + 1) for i in result.chosen), role="query"),
                columns=inputs,
                quantity="∂ output / ∂ input, of the row's largest",
                scale="sequential",
                limits=(0.0, 1.0),
            ),
        ),
        summary=(
            f"Which of {tokens:,} inputs each token sees, layer by layer. {layers} up, the last token sees "
            f"{result.reach_graph[-1, -1]:,} by the argmax graph and {result.reach_autograd[-1, -1]:,} by autograd."
        ),
        sweep=Sweep(name="layers", label="Layers up", values=tuple(str(n) for n in range(1, layers + 1))),
    )


@drawn_once
def reach_curve(result: ReceptiveFieldResult, *, mode: Mode = "light") -> go.Figure:
    """Inputs that the last token sees against depth, beside (k + 1)^layers capped by the tokens, on a log axis.

    Args:
        result: Random heads also get the median, mean and band over draws and tokens.
        mode: Light or dark.
    """
    figure = base_figure(mode=mode)
    depth = np.arange(len(result.bound) + 1)
    if result.random is not None:
        _add_random(figure, depth, result.random, mode)
    colours, hover = ROLE_COLOURS[mode], f"%{{x}} up: %{{y:{NUMBER}}}"
    figure.add_scatter(
        x=depth,
        y=_from_one(result.bound),
        name=escape(f"({result.config.heads} + 1)^layers, at most {result.config.tokens:,}"),
        mode="lines",
        line={"dash": "dash", "color": MUTED[mode], "width": 2},
        hovertemplate=f"{hover}<extra>bound</extra>",
    )
    figure.add_scatter(
        x=depth,
        y=_from_one(result.reach_graph[:, -1]),
        name="argmax graph",
        mode="lines+markers",
        line={"color": colours["query"], "width": 2.5},
        marker={"size": 7},
        hovertemplate=f"{hover}<extra>argmax graph</extra>",
    )
    figure.add_scatter(
        x=depth,
        y=_from_one(result.reach_autograd[:, -1]),
        name="autograd",
        mode="markers",
        marker={"symbol": "circle-open", "size": 14, "color": colours["key"], "line": {"width": 2}},
        hovertemplate=f"{hover}<extra>autograd</extra>",
    )
    ticks = sorted({1, *(int(value) for value in result.bound), result.config.tokens})
    figure.update_layout(
        xaxis=axis("layers up", mode=mode) | {"dtick": 1, "range": [-0.3, depth[-1] + 0.3]},
        yaxis=axis("inputs that the last token sees", log=True, mode=mode)
        | {"tickvals": _apart(ticks), "ticktext": [f"{tick:,}" for tick in _apart(ticks)]},
    )
    return figure


def heads_layers_table(result: ReceptiveFieldResult) -> Table:
    """Inputs that the last token sees by the constructed weights: heads down, layers across."""
    heads, layers = result.table.shape
    return Table(
        ("heads", *(f"{n} layer{'s' * (n > 1)}" for n in range(1, layers + 1))),
        tuple((k + 1, *(int(count) for count in result.table[k])) for k in range(heads)),
    )


def heads_layers_view(result: ReceptiveFieldResult) -> MatrixView:
    """Inputs that the last token sees by the constructed weights, for 1 … 8 heads and 1 … 8 layers."""
    heads, layers = result.table.shape
    panel = MatrixPanel(
        title=f"Inputs that the last of {result.table_tokens:,} tokens sees",
        values=result.table.astype(np.float32),
        rows=Axis(title="heads", labels=tuple(str(k + 1) for k in range(heads))),
        columns=Axis(title="layers", labels=tuple(str(n + 1) for n in range(layers))),
        quantity="inputs seen, capped by the tokens",
        scale="sequential",
    )
    most = int(result.table.max())
    full = int((result.table == most).sum())
    return MatrixView(
        panels=(panel,), summary=f"Heads against layers: {full} of {heads * layers} stacks see {most:,} inputs."
    )


def reach_summary(result: ReceptiveFieldResult) -> str:
    """What the curve shows, in a sentence."""
    reached = ", ".join(f"{int(count):,}" for count in result.reach_graph[:, -1])
    bound = ", ".join(f"{int(count):,}" for count in result.bound)
    return f"Inputs that the last token sees, one layer up and further: {reached}; the bound is {bound}."


def receptive_field_table(result: ReceptiveFieldResult) -> Table:
    """One row a depth: the bound, what the last token sees each way, and the spread over all tokens."""
    columns = (
        "layers up",
        "(k + 1)^layers",
        "capped by tokens",
        "last token, argmax graph",
        "last token, autograd",
        "fewest of all tokens",
        "mean of all tokens",
        "most of all tokens",
    )
    graph, random = result.reach_graph, result.random
    rows = [
        (
            n + 1,
            (result.config.heads + 1) ** (n + 1),
            int(result.bound[n]),
            int(graph[n, -1]),
            int(result.reach_autograd[n, -1]),
            int(graph[n].min()),
            float(graph[n].mean()),
            int(graph[n].max()),
        )
        for n in range(result.config.layers)
    ]
    if random is None:
        return Table(columns, tuple(rows))
    drawn = (f"mean of {random.draws} draws", "1 % quantile", "99 % quantile")
    spread = zip(rows, random.mean, random.low, random.high, strict=True)
    return Table(
        (*columns, *drawn), tuple((*row, float(mean), float(low), float(high)) for row, mean, low, high in spread)
    )


def _add_random(figure: go.Figure, depth: np.ndarray, random: RandomReach, mode: Mode) -> None:
    colour = SCALES[mode]["sequential"][3]
    spread = {"median": random.median, "low": random.low, "high": random.high}
    add_band(
        figure, name="all tokens and draws", x=depth, colour=colour, **{k: _from_one(v) for k, v in spread.items()}
    )
    figure.add_scatter(
        x=depth,
        y=_from_one(random.mean),
        name=f"mean of {format_number(random.draws)} draws",
        mode="lines",
        line={"color": colour, "dash": "dot", "width": 2},
        hovertemplate=f"%{{x}} up: %{{y:{NUMBER}}}<extra>mean</extra>",
    )


def _from_one(values: np.ndarray) -> np.ndarray:
    """The values led by what a token sees without any layer: itself."""
    return np.concatenate(([1], values))


def _apart(ticks: list[int]) -> list[int]:
    """The ticks without those that would print over the one above."""
    return [
        tick for tick, above in zip(ticks, [*ticks[1:], None], strict=True) if above is None or above / tick > 1.25
    ]


def _spans(starts: np.ndarray, width: np.ndarray) -> tuple[str, ...]:
    """Numbers of the tokens that share a cell, counted from 1: ``7`` or ``7–9``."""
    return tuple(
        str(start + 1) if count == 1 else f"{start + 1}–{start + count}"
        for start, count in zip(starts, width, strict=True)
    )
