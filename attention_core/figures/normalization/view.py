"""How the questions about norms are drawn: what depends on what, what comes out, what is left."""

from functools import singledispatch
from typing import Any, Final

import numpy as np

from attention_core.experiments.normalization import (
    DependenceResult,
    LengthResult,
    NormalizationConfig,
    NormalizationResult,
    NormBiasResult,
    NormBlockResult,
)
from attention_core.experiments.number_format import format_number
from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Panel, Series
from attention_core.figures.table import Table
from attention_core.figures.theme import Role

SHOWN: Final = 12
SHORT: Final = 0.01  # of a length, or of a bias: less than an eye sees
FORMS: Final = {"pre-norm": "x + f(N(x))", "post-norm": "N(x + f(x))", "residual post-norm": "x + N(f(x))"}
ROLES: Final[dict[str, Role]] = {"pre-norm": "query", "post-norm": "key", "residual post-norm": "value"}
Cell = tuple[int, int]


def normalization_view(config: NormalizationConfig, result: NormalizationResult, cell: Cell = (0, 0)) -> MatrixView:
    """The picture of a question.

    Args:
        config: The settings.
        result: Their result.
        cell: For the first question, token and feature of the output whose derivatives are drawn.
    """
    panels, summary = _panels(result, config, cell)
    return MatrixView(panels=panels, summary=summary, front=min(2, len(panels)))


def normalization_table(config: NormalizationConfig, result: NormalizationResult, cell: Cell = (0, 0)) -> Table:
    """One row for each cell of the picture's matrices, or for each vector whose length was measured.

    Args:
        config: The settings.
        result: Their result.
        cell: As in ``normalization_view``.
    """
    if isinstance(result, LengthResult):
        numbers = zip(result.before, result.after, result.lengths, result.predicted, strict=True)
        features = [f"{name}_{i + 1}" for name in "xy" for i in range(config.d_model)]
        rows = tuple(
            (i + 1, *map(float, (*x, *y, length, on_paper))) for i, (x, y, length, on_paper) in enumerate(numbers)
        )
        return Table(("vector", *features, "‖y − β1‖", "with ε, on paper"), rows)
    panels = [panel for panel in normalization_view(config, result, cell).panels if isinstance(panel, MatrixPanel)]
    return Table(
        ("matrix", "row", "column", "value"),
        tuple(
            (panel.title, panel.rows.labels[i], panel.columns.labels[j], float(value))
            for panel in panels
            for (i, j), value in np.ndenumerate(panel.values)
        ),
    )


@singledispatch
def _panels(result: NormalizationResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    """Panels and summary of a result."""
    raise TypeError(f"no picture of {type(result).__name__}, {config.topic}, {cell}")


@_panels.register
def _(result: DependenceResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    i, j = min(cell[0], config.num_tokens - 1), min(cell[1], config.d_model - 1)
    maps = result.jacobians[:, i, j]
    top = float(np.abs(maps).max()) or 1.0
    shared: dict[str, Any] = {"quantity": f"∂y/∂x, y at ({i + 1}, {j + 1})", "scale": "diverging"}
    shared |= {"limits": (-top, top), **_axes(config)}
    mode = {"BatchNorm": ", evaluation" if config.evaluation else ", training"}
    notes = {result.names[0]: "Choose a cell: it is the output y. The colours are the inputs that y depends on."}
    panels = tuple(
        MatrixPanel(title=f"{name}{mode.get(name, '')}", values=values, note=notes.get(name, ""), **shared)
        for name, values in sorted(zip(result.names, maps, strict=True), key=lambda one: one[0] == "RMSNorm")
    )
    if config.evaluation:
        return panels, "LayerNorm looks along a token; BatchNorm, in evaluation, at one number alone."
    return panels, "LayerNorm looks along a token, BatchNorm along a feature of all tokens."


@_panels.register
def _(result: LengthResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    del cell
    numbers = tuple(str(i + 1) for i in range(SHOWN))
    axes: dict[str, Any] = {
        "rows": Axis(title="vector", labels=numbers),
        "columns": Axis(title="feature", labels=tuple(str(i + 1) for i in range(config.d_model))),
    }
    lengths = BarsPanel(
        title="Length ‖y − β1‖",
        values=result.lengths[:SHOWN],
        labels=Axis(title="vector", labels=numbers),
        quantity="‖y − β1‖",
        limits=(0.0, 1.15 * result.radius or 1.0),
        overlay=(np.array([-0.5, SHOWN - 0.5]), np.full(2, result.radius)),
        overlay_name="|γ|√d",
        role="output",
    )
    panels = (
        MatrixPanel(title="Before", values=result.before[:SHOWN], quantity="x", scale="diverging", **axes),
        MatrixPanel(title="After LayerNorm", values=result.after[:SHOWN], quantity="y", scale="diverging", **axes),
        lengths,
    )
    short = result.radius - result.lengths[:SHOWN] > SHORT * result.radius
    if short.all():
        return panels, "Beside ε all of these are small: none comes out as long as the line."
    if short.any():
        return panels, "Vectors that are small beside ε come out short; the others reach the line."
    return panels, f"Whatever goes in, every token comes out at one length, {format_number(result.radius)}."


@_panels.register
def _(result: NormBiasResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    del cell
    top = max(result.largest) or 1.0
    shared: dict[str, Any] = {"quantity": "with − without", "scale": "diverging", "limits": (-top, top)}
    panels = tuple(
        MatrixPanel(title=name, values=values, **shared, **_axes(config))
        for name, values in zip(result.names, result.moved, strict=True)
    )
    batch, mean, rest, rms = (size < SHORT for size in result.largest)
    layer = "all of it" if mean and rest else "only its mean" if mean else "nothing of it"
    batch_says, rms_says = ("all of it" if gone else "nothing of it" for gone in (batch, rms))
    return panels, (
        f"Of a bias that is added before a norm, BatchNorm removes {batch_says}, LayerNorm {layer}, "
        f"RMSNorm {rms_says}."
    )


@_panels.register
def _(result: NormBlockResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    del cell
    slots = Axis(title="token", labels=tuple(str(i + 1) for i in result.order), role="query")
    features = Axis(title="feature", labels=tuple(str(i + 1) for i in range(config.d_model)), role="output")
    worst = [float(values.max()) for values in result.residuals]
    holds = max(worst) <= max(result.bounds)
    top = max(result.bounds) if holds else float(np.abs(result.left).max()) or 1.0
    shared: dict[str, Any] = {"quantity": "f(σX) − σf(X)", "scale": "diverging", "limits": (-top, top)}
    panels = tuple(
        MatrixPanel(
            title=f"{name.capitalize()}: {FORMS[name]}", values=values, rows=slots, columns=features, **shared
        )
        for name, values in zip(result.placements, result.left, strict=True)
    )
    if holds:
        return (
            panels,
            "Permute the tokens of a block and its outputs follow: put back in order, nothing is left over.",
        )
    return panels, f"Permuting the tokens changes numbers, by up to {format_number(max(worst))}."


def depth_view(result: NormBlockResult) -> MatrixView:
    """What each placement keeps through a stack of blocks: a token's length, and its direction.

    Args:
        result: The result about a block.
    """
    drawn = (
        ("Length of a token", result.stretched, "length ÷ √d"),
        ("Likeness to what it was at first", result.alike, "cosine"),
    )
    panels = tuple(
        LinesPanel(
            title=title, x=np.arange(values.shape[1]), x_title="blocks", y_title=quantity,
            series=tuple(
                Series(name=f"{name}: {FORMS[name]}", values=row, role=ROLES[name])
                for name, row in zip(result.placements, values, strict=True)
            ),
        )
        for title, values, quantity in drawn
    )  # fmt: skip
    return MatrixView(panels=panels, summary=f"After {values_after(result)}.")


def values_after(result: NormBlockResult) -> str:
    """How long tokens are, and how like what they were, after the last block of each placement."""
    ends = ", ".join(
        f"{name} {format_number(float(length[-1]))} and {format_number(float(alike[-1]))}"
        for name, length, alike in zip(result.placements, result.stretched, result.alike, strict=True)
    )
    return f"{result.stretched.shape[1] - 1} blocks a token's length ÷ √d and its cosine to what it was are: {ends}"


def _axes(config: NormalizationConfig) -> dict[str, Any]:
    return {
        "rows": Axis(title="token", labels=tuple(str(i + 1) for i in range(config.num_tokens))),
        "columns": Axis(title="feature", labels=tuple(str(i + 1) for i in range(config.d_model))),
    }
