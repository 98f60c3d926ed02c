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
from attention_core.figures.panels import BarsPanel
from attention_core.figures.plot import Mode
from attention_core.figures.table import Table
from attention_core.figures.theme import Role, Scale

Quantity = Literal["weights", "output"]
AVERAGE: Final = "average"
ROLES: Final[tuple[Role, ...]] = ("key", "query", "output")  # what each claim moves: keys, queries, both
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


def residual_view(result: PermutationResult) -> MatrixView:
    """How large the residual is over the orders, claim by claim: log bins, and one of its own for exact zeros.

    Args:
        result: Residuals of each claim, order by order.
    """
    positive = np.concatenate([values[values > 0] for values in result.residuals])
    low = int(np.floor(np.log10(min(positive.min(initial=result.eps), result.eps))))
    high = int(np.ceil(np.log10(max(positive.max(initial=result.bound), result.bound))))
    starts = [digit * 10.0**decade for decade in range(low, high + 1) for digit in (1, 2, 5)]
    counts = [
        np.concatenate([[np.count_nonzero(values == 0)], np.histogram(values[values > 0], [*starts, np.inf])[0]])
        for values in result.residuals
    ]
    labels = Axis(title="largest difference", labels=("0", *(f"{start:.0e}" for start in starts)))
    bound = 0.5 + np.interp(np.log10(result.bound), np.log10(starts), np.arange(len(starts)))
    top = float(max(map(np.max, counts)))
    panels = tuple(
        BarsPanel(
            title=claim,
            values=values,
            labels=labels,
            quantity="orders",
            limits=(0.0, top),
            overlay=(np.array([bound, bound]), np.array([0.0, top])),
            overlay_name="bound of rounding",
            role=role,
        )
        for claim, values, role in zip(result.claims, counts, ROLES, strict=False)
    )
    return MatrixView(panels=panels, summary=residual_words(result))


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
