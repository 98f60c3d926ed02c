"""How shuffles are drawn: four matrices of weights or outputs, their table, and the residuals of all orders."""

from typing import Final, Literal

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.permutation import (
    ATTENTION,
    BlockCase,
    BlockResult,
    DepthResult,
    PermutationResult,
    ShuffleConfig,
    ShuffleResult,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView, matrix_heatmap
from attention_core.figures.panels import Scale
from attention_core.figures.plot import Mode, axis, base_figure
from attention_core.figures.table import Table
from attention_core.figures.theme import MUTED, ROLE_COLOURS

Quantity = Literal["weights", "output"]
AVERAGE: Final = "average"
AFTER: Final = 1  # the panel whose rows and columns stand in the order of the chips


def shuffle_view(
    config: ShuffleConfig, result: ShuffleResult, *, quantity: Quantity = "weights", head: str = AVERAGE,
    panels: tuple[int, ...] = (0, 1, 2, 3),
) -> MatrixView:  # fmt: skip
    """Before, after, undone, and what undoing leaves over.

    Args:
        config: The shuffle.
        result: Its result.
        quantity: ``weights`` (queries × keys) or ``output`` (queries × features).
        head: Number of the head whose weights are drawn, from ``1``; or their average.
        panels: Which of the four are drawn.
    """
    drawn = _panels(config, result, quantity, head)
    return MatrixView(panels=tuple(drawn[i] for i in panels), summary=_summary(result))


def _panels(
    config: ShuffleConfig, result: ShuffleResult, quantity: Quantity, head: str
) -> tuple[MatrixPanel, MatrixPanel, MatrixPanel, MatrixPanel]:
    before, after, undone = (
        _pick(values, quantity, head)
        for values in (
            (result.weights_before, result.output_before),
            (result.weights_after, result.output_after),
            (result.weights_undone, result.output_undone),
        )
    )
    left = undone - before
    top = float(np.abs(np.stack((before, after, undone))).max()) or 1.0
    scale: Scale = "sequential" if quantity == "weights" else "diverging"
    named, limits = _named(config, quantity, head), (0.0 if quantity == "weights" else -top, top)
    rows, columns = _axes(config, quantity, before.shape[1], moved=False)
    moved_rows, moved_columns = _axes(config, quantity, before.shape[1], moved=True)

    def panel(title: str, values: np.ndarray, rows: Axis, columns: Axis) -> MatrixPanel:
        return MatrixPanel(
            title=title, values=values, rows=rows, columns=columns, quantity=named, scale=scale, limits=limits
        )

    rounding = (-result.bound, result.bound) if np.abs(left).max() <= result.bound else None
    return (
        panel("Before", before, rows, columns),
        panel("After the shuffle", after, moved_rows, moved_columns),
        panel("Undone", undone, rows, columns),
        MatrixPanel(
            title="Undone − before",
            values=left,
            rows=rows,
            columns=columns,
            quantity="undone − before",
            scale="diverging",
            limits=rounding,
        ),
    )


def pair_view(config: ShuffleConfig, result: ShuffleResult) -> MatrixView:
    """The weights before and after the shuffle alone, averaged over heads."""
    return MatrixView(panels=_panels(config, result, "weights", AVERAGE)[:2], summary=_summary(result))


def shuffle_heatmap(
    config: ShuffleConfig, result: ShuffleResult, *, quantity: Quantity = "weights", head: str = AVERAGE,
    mode: Mode = "light",
) -> go.Figure:  # fmt: skip
    """The matrix after the shuffle as a Plotly figure."""
    return matrix_heatmap(_panels(config, result, quantity, head)[AFTER], mode=mode)


def shuffle_table(
    config: ShuffleConfig, result: ShuffleResult, *, quantity: Quantity = "weights", head: str = AVERAGE
) -> Table:
    """One row for each cell of the four matrices, by the tokens it stands for before the shuffle."""
    panels = _panels(config, result, quantity, head)
    before, undone, left = (panels[i].values for i in (0, 2, 3))
    rows, columns = panels[0].rows.labels, panels[0].columns.labels
    column = "key" if quantity == "weights" else "feature"
    return Table(
        ("query slot", "query", f"{column} slot", column, "before", "undone", "undone − before"),
        tuple(
            (i + 1, rows[i], j + 1, columns[j], float(before[i, j]), float(undone[i, j]), float(left[i, j]))
            for i in range(len(rows))
            for j in range(len(columns))
        ),
    )


def residual_histogram(result: PermutationResult, *, mode: Mode = "light") -> go.Figure:
    """How large the residual is over the orders: a log axis with a bin of its own for exact zeros.

    Args:
        result: Residuals of each claim, order by order.
        mode: Light or dark.
    """
    figure = base_figure(title="Every order: what is left once it is undone", mode=mode)
    positive = np.concatenate([values[values > 0] for values in result.residuals])
    low = np.floor(np.log10(min(positive.min(initial=result.eps), result.eps)))
    high = np.ceil(np.log10(max(positive.max(initial=result.bound), result.bound)))
    edges = np.arange(low, high + 0.25, 0.25)
    zero = low - 0.5
    colours = [ROLE_COLOURS[mode][role] for role in ("key", "query", "output")]
    for claim, values, colour in zip(result.claims, result.residuals, colours, strict=False):
        counts, _ = np.histogram(np.log10(values[values > 0]), edges)
        figure.add_bar(
            x=np.concatenate([[zero], edges[:-1] + 0.125]),
            y=np.concatenate([[(values == 0).sum()], counts]),
            name=claim,
            marker_color=colour,
            hovertemplate="%{y:,} orders<extra></extra>",
        )
    for value, name in ((result.eps, "eps"), (result.bound, "bound of rounding")):
        line = {"dash": "dot", "color": MUTED[mode]}
        figure.add_vline(x=float(np.log10(value)), line=line, annotation_text=name, annotation_position="top left")
    decades = np.arange(low, high + 1, max(1, (high - low) // 8))
    ticks = {"tickvals": [zero, *decades], "ticktext": ["exactly 0", *(f"1e{int(d)}" for d in decades)]}
    figure.update_layout(
        barmode="group",
        bargap=0.05,
        height=300,
        margin={"t": 76},
        xaxis=axis("largest difference of an order", mode=mode) | ticks,
        yaxis=axis("orders", mode=mode),
    )
    return figure


def residual_words(result: PermutationResult) -> str:
    """What the histogram shows, in a sentence, and in half precision why so much of it may be exactly 0."""
    residuals = np.concatenate(result.residuals)
    zeros, above = (f"{n:,}" if n else "none" for n in ((residuals == 0).sum(), (residuals > result.bound).sum()))
    words = (
        f"Of {len(residuals):,} residuals {zeros} are exactly 0, and {above} above what rounding explains; "
        f"the largest is {format_number(float(residuals.max()))}."
    )
    if result.provenance.dtype in ("bfloat16", "float16"):
        words += (
            " In half precision sums are added up in float32 and rounded only at the end, so another order of the "
            "same terms nearly always gives the very same bits."
        )
    return words


def block_words(result: BlockResult) -> str:
    """Residuals of whole blocks, placement by placement and norm by norm, as a Markdown table."""
    if not result.blocks:
        return "A block attends to itself: leave the second sentence empty to measure it."
    norms = tuple(dict.fromkeys(case.norm for case in result.blocks))
    rows = [("", *norms), ("---",) * (len(norms) + 1)]
    for placement in dict.fromkeys(case.placement for case in result.blocks):
        rows.append((placement, *(_held(case) for case in result.blocks if case.placement == placement)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _held(case: BlockCase) -> str:
    relation = "≤" if case.residual <= case.bound else ">"
    return f"`{format_number(case.residual)} {relation} {format_number(case.bound)}`"


def order_words(result: DepthResult) -> str:
    """How far shuffling moves the output without positions and masks, and with each of them alone, as Markdown."""
    brought = ", ".join(f"{name} `{format_number(change)}`" for name, change in result.brought_in)
    return f"Without positions and mask `{format_number(result.without)}`; with each of them alone: {brought}."


def _pick(values: tuple[np.ndarray, np.ndarray], quantity: Quantity, head: str) -> np.ndarray:
    weights, output = values
    if quantity == "output":
        return output
    return weights.mean(axis=0) if head == AVERAGE else weights[int(head) - 1]


def _named(config: ShuffleConfig, quantity: Quantity, head: str) -> str:
    if quantity == "output":
        return "output" if config.model == ATTENTION else "output of the block"
    return "weight, average over heads" if head == AVERAGE else f"weight in head {head}"


def _axes(config: ShuffleConfig, quantity: Quantity, width: int, *, moved: bool) -> tuple[Axis, Axis]:
    queries, keys = list(config.tokens), list(config.keys)
    if moved and config.query_order:
        queries = [queries[i] for i in config.query_order]
    if moved and config.key_order:
        keys = [keys[i] for i in config.key_order]
    rows = Axis(title="query", labels=tuple(queries), role="query")
    if quantity == "output":
        return rows, Axis(title="feature", labels=tuple(str(i + 1) for i in range(width)), role="output")
    return rows, Axis(title="key", labels=tuple(keys), role="key")


def _summary(result: ShuffleResult) -> str:
    rest = "nothing but rounding is left" if result.moved <= result.bound else "they differ"
    return (
        "Matrices before the shuffle, after it, with the shuffle undone, and undone minus before: "
        f"{rest}, at most {format_number(result.moved)}."
    )
