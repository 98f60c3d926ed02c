"""How the questions about projections are drawn: each head's matrices, and what they are compared with."""

from functools import singledispatch
from typing import Any

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.experiments.projections import (
    LAYERS,
    CollapseResult,
    GaugeResult,
    IdentityResult,
    ProjectionsConfig,
    ProjectionsResult,
    RankResult,
    TyingResult,
)
from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView, Panel, Sweep
from attention_core.figures.projections.curves import projections_curves
from attention_core.figures.table import Table


def projections_view(config: ProjectionsConfig, result: ProjectionsResult) -> MatrixView:
    """The picture of a question: matrices of one head (of one layer, for the collapse), scrubbed.

    Args:
        config: The settings.
        result: Their result.
    """
    panels, summary = _panels(result, config)
    if isinstance(result, CollapseResult):
        sweep = Sweep(name="layer", label="Layer", values=("the input", *(str(i + 1) for i in range(LAYERS))))
    else:
        sweep = Sweep(name="head", label="Head", values=tuple(str(i + 1) for i in range(config.num_heads)))
    return MatrixView(panels=panels, summary=summary, sweep=sweep, front=min(2, len(panels)))


def projections_table(config: ProjectionsConfig, result: ProjectionsResult) -> Table:
    """One row for each cell of the picture's matrices, of every head or layer, and for each point of the curves.

    Args:
        config: The settings.
        result: Their result.
    """
    view = projections_view(config, result)
    assert view.sweep is not None
    rows: list[tuple[str | int | float | bool, ...]] = []
    for panel in view.panels:
        if isinstance(panel, MatrixPanel):
            cells = panel.values if panel.steps else panel.values[None]
            for (step, i, j), value in np.ndenumerate(cells):
                at = view.sweep.values[step] if panel.steps else "all"
                rows.append((panel.title, at, panel.rows.labels[i], panel.columns.labels[j], float(value)))
    curves = projections_curves(result)
    if curves is not None:
        points = ((one, x, y) for one in curves.series for x, y in zip(curves.x, one.values, strict=True))
        rows += [(curves.title, "all", one.name, f"{x:g}", float(y)) for one, x, y in points]
    return Table(("picture", view.sweep.name, "row", "column", "value"), tuple(rows))


@singledispatch
def _panels(result: ProjectionsResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    """Panels and summary of a result."""
    raise TypeError(f"no picture of {type(result).__name__}, {config.topic}")


@_panels.register
def _(result: IdentityResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes, limits = _tokens(config), (0.0, float(result.weights.max()) or 1.0)
    shared: dict[str, Any] = {
        "quantity": "weight",
        "scale": "sequential",
        "limits": limits,
        "hidden": _hidden(config),
        **axes,
    }
    norms = BarsPanel(
        title="Norms in this head",
        values=result.norms,
        labels=Axis(title="word", labels=config.tokens, role="key"),
        quantity="‖x‖",
        role="key",
    )
    panels = (
        MatrixPanel(title="No projections", values=result.weights[0], **shared),
        MatrixPanel(title="Random W_Q, W_K", values=result.weights[1], **shared),
        norms,
    )
    if result.lost_queries:
        told = f"Without projections {result.lost_queries} of {result.queries} times a word looks most at another"
        return panels, f"{told}, a longer one; with projections it may look anywhere."
    return panels, "Without projections each word looks most at itself; with them it can look elsewhere."


@_panels.register
def _(result: TyingResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes, hidden = _tokens(config), _hidden(config)
    weights = result.weights
    score = MatrixPanel(
        title="Scores, W_Q = W_K", values=result.scores, quantity="score", scale="diverging", hidden=hidden, **axes
    )
    weight = MatrixPanel(
        title="Weights A", values=weights, quantity="weight", scale="sequential", hidden=hidden, **axes
    )
    difference = MatrixPanel(
        title="A − Aᵀ", values=weights - weights.swapaxes(1, 2), quantity="difference", scale="diverging", **axes
    )
    asymmetry = format_number(float(result.asymmetry[0]))
    return (score, weight, difference), (
        "With one matrix for queries and keys the scores are the same both ways; the weights are not, by up to "
        f"{asymmetry}."
    )


@_panels.register
def _(result: GaugeResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    features = tuple(str(i + 1) for i in range(config.d_model))
    own = tuple(str(i + 1) for i in range(config.d_head))
    query_axes: dict[str, Any] = {
        "rows": Axis(title="in the head", labels=own, role="query"),
        "columns": Axis(title="feature", labels=features),
    }
    out_axes: dict[str, Any] = {
        "rows": Axis(title="query", labels=config.tokens, role="query"),
        "columns": Axis(title="feature", labels=features, role="output"),
    }
    limits = _around(result.output_before, result.output_after)
    shared: dict[str, Any] = {"quantity": "output", "scale": "diverging", "limits": limits, **out_axes}
    weight: dict[str, Any] = {"quantity": "W_Q", "scale": "diverging", **query_axes}
    panels = (
        MatrixPanel(title="W_Q", values=result.q_weight_before, **weight),
        MatrixPanel(title="W_Q in another basis", values=result.q_weight_after, **weight),
        MatrixPanel(title="Output", values=result.output_before, **shared),
        MatrixPanel(title="Output in another basis", values=result.output_after, **shared),
    )
    moved = format_number(result.moved)
    if result.verdict("gauge").holds:
        return panels, f"The parameters changed by {result.changed:.0%}, and the output not at all."
    return panels, f"The parameters changed by {result.changed:.0%}, and the output by up to {moved}."


@_panels.register
def _(result: RankResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes, hidden = _tokens(config), _hidden(config)
    numbers = Axis(title="number", labels=tuple(str(i + 1) for i in range(len(config.tokens))))
    ranks = result.ranks
    bars: list[Panel] = [
        BarsPanel(
            title="Singular values of the weights", values=result.weight_values, labels=numbers, quantity="σ / σ₁"
        )
    ]
    if np.isfinite(ranks[:2]).all():
        bars.insert(
            0,
            BarsPanel(
                title="Singular values of the scores", values=result.score_values, labels=numbers, quantity="σ / σ₁"
            ),
        )
    score = MatrixPanel(
        title="Scores", values=result.scores, quantity="score", scale="diverging", hidden=hidden, **axes
    )
    here = ranks[:, list(result.sizes).index(config.d_head)]
    said = "have no rank under the mask" if np.isnan(here[0]) else f"have rank {here[0]:.0f}"
    return (score, *bars), f"The scores {said}; softmax makes weights of rank {here[2]:.0f} from them."


@_panels.register
def _(result: CollapseResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes: dict[str, Any] = {side: Axis(title="token", labels=config.tokens) for side in ("rows", "columns")}
    limits = (0.0, float(result.distances.max()) or 1.0)
    shared: dict[str, Any] = {"quantity": "distance", "scale": "sequential", "limits": limits, **axes}
    panels = (
        MatrixPanel(title="Attention alone", values=result.distances[0], **shared),
        MatrixPanel(title="With the residual", values=result.distances[1], **shared),
    )
    alone, with_it = (format_number(float(value)) for value in result.left[:, -1])
    return (
        panels,
        f"With attention alone all words become alike: {alone} apart in the end, {with_it} with the residual.",
    )


def _tokens(config: ProjectionsConfig) -> dict[str, Any]:
    return {
        "rows": Axis(title="query", labels=config.tokens, role="query"),
        "columns": Axis(title="key", labels=config.tokens, role="key"),
    }


def _hidden(config: ProjectionsConfig) -> np.ndarray | None:
    return np.triu(np.ones((len(config.tokens),) * 2, bool), 1) if config.causal else None


def _around(*values: np.ndarray) -> tuple[float, float]:
    top = max(float(np.abs(part).max()) for part in values) or 1.0
    return (-top, top)
