"""How the questions about projections are drawn: each head's matrices, and what they are compared with."""

from functools import singledispatch
from typing import Any

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView, Panel, Sweep
from attention_core.figures.panels import data_limits
from attention_core.figures.said import outcome, said
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.language import sentences
from attention_core.measuring.number_format import format_number, percent
from attention_core.studies.projections import (
    COLLAPSED,
    LAYERS,
    CollapseResult,
    GaugeResult,
    IdentityResult,
    ProjectionsConfig,
    ProjectionsResult,
    RankResult,
    TyingResult,
)
from attention_core.studies.projections.draw.axes import hidden_cells, token_axes
from attention_core.studies.projections.draw.beside import fixed_panels, names_panels
from attention_core.studies.projections.draw.curves import projections_curves


def projections_view(config: ProjectionsConfig, result: ProjectionsResult) -> MatrixView:
    """The picture of a question: matrices of one head (of one layer, for the collapse), scrubbed.

    Args:
        config: The settings.
        result: Their result.
    """
    panels, summary = _panels(result, config)
    if isinstance(result, CollapseResult):
        layers = (_("the input"), *(str(i + 1) for i in range(LAYERS)))
        sweep = Sweep(name="layer", label=_("Layer"), values=layers)
    else:
        sweep = Sweep(name="head", label=_("Head"), values=tuple(str(i + 1) for i in range(config.num_heads)))
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
def _identity(result: IdentityResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes, limits = token_axes(config.tokens), (0.0, float(result.weights.max()) or 1.0)
    shared: dict[str, Any] = {
        "quantity": _("weight"),
        "scale": "sequential",
        "cells": "weight",
        "limits": limits,
        "hidden": hidden_cells(config),
        **axes,
    }
    itself = BarsPanel(
        title=_("Mean weight on itself, all heads"),
        values=_on_itself(result),
        labels=Axis(title=_("each word"), labels=(_("no projections"), _("random ones"))),
        quantity=_("mean weight on itself"),
        limits=(0.0, 1.0),
        lying=True,
        percent=True,
    )
    norms = BarsPanel(
        title=_("Norms in this head"),
        values=result.norms,
        labels=Axis(title=_("word"), labels=config.tokens, role="key"),
        quantity="‖x‖",
    )
    panels: tuple[Panel, ...] = (
        MatrixPanel(title=_("No projections"), values=result.weights[0], **shared),
        MatrixPanel(title=_("Random W_Q, W_K"), values=result.weights[1], **shared),
        itself,
    )
    if config.spread or config.whole_norms:
        panels += (norms,)
    return panels, _looks_said(result, config)


def _on_itself(result: IdentityResult) -> np.ndarray:
    """How much of its weight a word gives itself, without projections and with random ones: the mean of all heads."""
    return result.weights.diagonal(0, -2, -1).mean((1, 2))


def _looks_said(result: IdentityResult, config: ProjectionsConfig) -> str:
    """Whether words look most at themselves, without projections and with random ones."""
    if not config.differ:
        return _("There is only one word here, and none that it could look at instead of itself.")
    shares = dict(zip(("alone", "learned"), map(percent, map(float, _on_itself(result))), strict=True))
    counts = {"lost": result.lost_queries, "queries": result.queries}
    return said(
        result,
        "qkv-none",
        holds=_(
            "Without projections each word looks most at itself, with {alone} of its weight; with random ones it "
            "gives itself {learned}.",
            **shares,
        ),
        fails=_(
            "Without projections {lost} of {queries} times a word looks most at another, whose vector is longer.",
            **counts,
        ),
        undecided=_(
            "Without projections {lost} of {queries} times a word looks clearly more at another than at itself.",
            **counts,
        ),
    )


@_panels.register
def _tying(result: TyingResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes, hidden = token_axes(config.tokens), hidden_cells(config)
    weights = result.weights
    score = MatrixPanel(
        title=_("Scores, W_Q = W_K"),
        values=result.scores,
        quantity=_("score"),
        scale="diverging",
        hidden=hidden,
        **axes,
    )
    weight = MatrixPanel(
        title=_("Weights A"),
        values=weights,
        quantity=_("weight"),
        scale="sequential",
        cells="weight",
        hidden=hidden,
        **axes,
    )
    difference = MatrixPanel(
        title="A − Aᵀ", values=weights - weights.swapaxes(1, 2), quantity=_("difference"), scale="diverging", **axes
    )
    asymmetry = format_number(float(np.abs(difference.values).max()))
    weights_too = (
        _("so are the weights") if asymmetry == "0" else _("the weights differ by up to {size}", size=asymmetry)
    )
    return (score, weight, difference), said(
        result,
        "qk-tied",
        holds=_(
            "With one matrix for queries and keys the scores are the same both ways; {weights}.", weights=weights_too
        ),
        fails=_(
            "Even with one matrix for queries and keys the scores are not the same both ways here, nor are the "
            "weights: they differ by up to {asymmetry}.",
            asymmetry=asymmetry,
        ),
        undecided=_(
            "Whether the scores are the same both ways with one matrix for queries and keys cannot be told here; the "
            "weights differ by up to {asymmetry}.",
            asymmetry=asymmetry,
        )
        if config.differ
        else _("There is only one word here, and no other that could look back at it."),
    )


@_panels.register
def _gauge(result: GaugeResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    features = tuple(str(i + 1) for i in range(config.d_model))
    own = tuple(str(i + 1) for i in range(config.d_head))
    query_axes: dict[str, Any] = {
        "rows": Axis(title=_("in the head"), labels=own, role="query"),
        "columns": Axis(title=_("feature"), labels=features),
    }
    out_axes: dict[str, Any] = {
        "rows": Axis(title=_("query"), labels=config.tokens, role="query"),
        "columns": Axis(title=_("feature"), labels=features, role="output"),
    }
    limits = data_limits(np.stack((result.output_before, result.output_after)), "diverging")
    shared: dict[str, Any] = {"quantity": _("output"), "scale": "diverging", "role": "output", "limits": limits}
    shared |= out_axes
    weight: dict[str, Any] = {"quantity": "W_Q", "scale": "diverging", **query_axes}
    panels = (
        MatrixPanel(title="W_Q", values=result.q_weight_before, **weight),
        MatrixPanel(title=_("W_Q in another basis"), values=result.q_weight_after, **weight),
        MatrixPanel(title=_("Output"), values=result.output_before, **shared),
        MatrixPanel(title=_("Output in another basis"), values=result.output_after, **shared),
    )
    both = _(
        "The parameters changed by {share:.0%}, and the output by up to {moved}.",
        share=result.changed,
        moved=format_number(result.moved),
    )
    return panels, said(
        result,
        "gauge",
        holds=_("The parameters changed by {share:.0%}, and the output not at all.", share=result.changed),
        fails=both,
        undecided=both,
    )


@_panels.register
def _rank(result: RankResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes, hidden = token_axes(config.tokens), hidden_cells(config)
    numbers = Axis(title=_("singular value"), labels=tuple(str(i + 1) for i in range(len(config.tokens))))
    ranks = result.ranks
    bars: list[Panel] = [
        BarsPanel(
            title=_("Singular values of the weights"), values=result.weight_values, labels=numbers, quantity="σ / σ₁"
        )
    ]
    if np.isfinite(ranks[:2]).all():
        bars.insert(
            0,
            BarsPanel(
                title=_("Singular values of the scores"),
                values=result.score_values,
                labels=numbers,
                quantity="σ / σ₁",
            ),
        )
    score = MatrixPanel(
        title=_("Scores"), values=result.scores, quantity=_("score"), scale="diverging", hidden=hidden, **axes
    )
    here = ranks[:, list(result.sizes).index(config.d_head)]
    if np.isnan(here[0]):
        return (score, *bars), _(
            "The scores have no rank under the mask; softmax makes weights of rank {rank:.0f} from them.",
            rank=here[2],
        )
    ranks_here = {"before": here[0], "after": here[2]}
    return (score, *bars), said(
        result,
        "low-rank.scores",
        holds=_(
            "The scores have rank {before:.0f}, no more than the size of a head; softmax makes weights of rank "
            "{after:.0f} from them.",
            **ranks_here,
        ),
        fails=_(
            "The scores have rank {before:.0f}, more than the size of a head; softmax makes weights of rank "
            "{after:.0f} from them.",
            **ranks_here,
        ),
        undecided=_(
            "The scores have rank {before:.0f}; softmax makes weights of rank {after:.0f} from them.", **ranks_here
        ),
    )


@_panels.register
def _collapse(result: CollapseResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    axes: dict[str, Any] = {side: Axis(title=_("token"), labels=config.tokens) for side in ("rows", "columns")}
    limits = (0.0, float(result.distances.max()) or 1.0)
    shared: dict[str, Any] = {"quantity": _("distance"), "scale": "sequential", "limits": limits, **axes}
    panels = (
        MatrixPanel(
            title=_("Attention alone"),
            values=result.distances[0],
            note=_("A cell says how far two words are apart."),
            **shared,
        ),
        MatrixPanel(title=_("With the residual"), values=result.distances[1], **shared),
    )
    return panels, _collapse_said(result, config)


def _collapse_said(result: CollapseResult, config: ProjectionsConfig) -> str:
    """How much of the words' differences is left; the claim is about the one of the two stacks that is chosen."""
    if not config.differ:
        return _("There is only one word here, and nothing to become alike.")
    alone, added = (format_number(float(value)) for value in result.left[:, -1])
    parts = {"alone": alone, "added": added}
    alike = max(result.left[0, -1], result.apart[0, -1]) <= COLLAPSED
    if alike and (config.residual or outcome(result, "rank-collapse") == "holds"):
        seen = _(
            "With attention alone all words become alike: in the end they are {alone} times as far apart as at "
            "first, with the residual {added} times.",
            **parts,
        )
    else:
        seen = _(
            "With attention alone the words are {alone} times as far apart in the end as at first, with the residual "
            "{added} times.",
            **parts,
        )
    if result.exact is None:
        return seen
    alone, added = (format_number(float(value)) for value in result.exact[1])
    precise = _(
        "Rounding grows from layer to layer, and decides digits of this: in float64 it is {alone} and {added} times.",
        alone=alone,
        added=added,
    )
    return str(sentences((seen, precise)))


_panels.register(names_panels)
_panels.register(fixed_panels)
