"""How scaling is drawn: one query, the scores and the Jacobian at each d_head, and curves over d_head."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.scaling import D_HEADS, ScalingCurves, ScalingResult, check_d_head
from attention_core.experiments.verdict import format_number
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Series,
    Sweep,
    matrix_heatmap,
)
from attention_core.figures.panels import Array, Limits
from attention_core.figures.plot import Mode
from attention_core.figures.table import Table
from attention_core.figures.theme import Role

Quantity = Literal["variance", "max_weight", "entropy", "jacobian", "gradient", "underflow"]

_Part = tuple[str, Array, tuple[Array, Array] | None]

TITLES: Final[dict[Quantity, str]] = {
    "variance": "Variance of the scores",
    "max_weight": "Largest weight of a query",
    "entropy": "Entropy of a query's weights",
    "jacobian": "Size of softmax's Jacobian",
    "gradient": "Gradient that reaches a query",
    "underflow": "Weights that half precision stores as 0",
}
_Y_TITLES: Final[dict[Quantity, str]] = {
    "variance": "Var(s)",
    "max_weight": "mean a_max",
    "entropy": "mean entropy (nats)",
    "jacobian": "mean ‖J‖_F",
    "gradient": "‖∂L/∂q‖",
    "underflow": "share of all weights",
}
_LOG_Y: Final = ("variance", "jacobian", "gradient")
# Below this a log axis would show decades of nothing but how far a vanishing gradient vanishes.
_LOWEST: Final = 1e-10
_MEASURED: Final[dict[Quantity, str]] = {
    "variance": "score_variance",
    "max_weight": "max_weight",
    "entropy": "entropy",
    "jacobian": "jacobian",
    "gradient": "gradient_median",
    "underflow": "float16_zeros",
}
_LIMITS: Final[dict[Quantity, Limits]] = {"max_weight": (0.0, 1.05), "underflow": (0.0, 1.05)}
_NOTES: Final[dict[Quantity, str]] = {
    "variance": "Bands: five standard errors below and above.",
    "jacobian": "Dashed: the bounds nε, above, and 2ε, below.",
    "gradient": "Bands: 98 % of the queries.",
}
# Unscaled, scaled, chosen: colours that can be told apart.
_ROLES: Final[tuple[Role, ...]] = ("key", "query", "output")
_D_HEAD: Final = "Size of a head, d_head"


def scaling_view(result: ScalingResult) -> MatrixView:
    """One query's scores and weights, all scores, softmax's Jacobian: a sweep over d_head with the chosen scale."""
    view, name = result.view, result.chosen.name
    labels = tuple(str(key + 1) for key in view.keys)
    keys = Axis(title="key", labels=labels, role="key")
    left_out = result.config.num_keys - len(labels)
    note = f"The {len(labels)} keys with the largest weights of {result.config.num_keys:,}." if left_out else ""
    panels = (
        BarsPanel(
            title="One query's scores", values=view.scores, labels=keys, quantity="score", role="key", note=note
        ),
        BarsPanel(
            title="Its weights", values=view.weights, labels=keys, quantity="weight", limits=(0, 1), role="query"
        ),
        BarsPanel(
            title="Scores of all queries",
            values=view.score_shares,
            labels=Axis(title="score", labels=()),
            quantity="share of the scores",
            edges=view.score_edges,
            overlay=(view.normal_x, view.normal_shares),
            overlay_name="N(0, d_head)" if name == "1" else f"N(0, d_head · ({name})²)",
        ),
        MatrixPanel(
            title="Softmax's Jacobian",
            values=view.jacobian,
            rows=Axis(title="weight of key", labels=labels, role="key"),
            columns=Axis(title="score of key", labels=labels, role="key"),
            quantity="∂a_i/∂s_j",
            scale="diverging",
            note=note,
        ),
    )
    sweep = Sweep(name="d_head", label=_D_HEAD, values=tuple(str(d_head) for d_head in result.d_heads))
    return MatrixView(panels=panels, summary=_summary(result), sweep=sweep)


def scaling_heatmap(result: ScalingResult, d_head: int, *, mode: Mode = "light") -> go.Figure:
    """Softmax's Jacobian at ``d_head`` as a Plotly figure; its colours are those of all steps of the sweep."""
    panel = scaling_view(result).panels[3]
    assert isinstance(panel, MatrixPanel)
    return matrix_heatmap(panel, check_d_head(d_head), mode)


def curves_view(result: ScalingResult, quantity: Quantity, d_head: int | None = None) -> MatrixView:
    """One quantity over d_head, without a factor, with 1/√d_head, and with the chosen factor where that is another.

    Dashed curves are what a measured one is compared with: the claimed variance, ln n, the bounds nε and 2ε; and for
    the gradient the mean beside the median and its 1–99 % band.

    Args:
        result: What was measured.
        quantity: Which curve.
        d_head: Where a line marks what is looked at; None marks nothing.

    Raises:
        ConfigError: If ``d_head`` is not part of the sweep.
    """
    parts = [_parts(curves, quantity) for curves in result.curves]
    series = [
        Series(name=f"{label(curves)}{what}", values=values, band=band, role=role, dashed=i > 0)
        for curves, role, drawn in zip(result.curves, _ROLES, parts, strict=False)
        for i, (what, values, band) in enumerate(drawn)
    ]
    if quantity == "entropy":
        bound = np.full(len(result.d_heads), np.log(result.config.num_keys))
        series.append(Series(name="ln n", values=bound, dashed=True))
    limits, below = _LIMITS.get(quantity), ""
    if quantity in _LOG_Y:
        limits, below = _decades(
            [each for drawn in parts for _, values, band in drawn for each in (values, *(band or ()))]
        )
    panel = LinesPanel(
        title=TITLES[quantity],
        x=result.d_heads,
        x_title=_D_HEAD,
        y_title=_Y_TITLES[quantity],
        series=tuple(series),
        log_x=True,
        log_y=quantity in _LOG_Y,
        limits=limits,
        note=" ".join(filter(None, (_NOTES.get(quantity), below))),
        marked=None if d_head is None else check_d_head(d_head),
    )
    return MatrixView(panels=(panel,), summary=curve_summary(result, quantity))


def curve_summary(result: ScalingResult, quantity: Quantity) -> str:
    """What a curve shows, in a sentence: how the quantity goes from d_head = 1 to 4,096 for each factor."""
    field = _MEASURED[quantity]
    said = []
    for curves in result.curves:
        first, last = (format_number(float(getattr(curves, field)[i])) for i in (0, -1))
        said.append(f"{label(curves)} from {first} to {last}")
    return f"{TITLES[quantity]} over d_head from 1 to 4,096: {', '.join(said)}."


def scaling_table(result: ScalingResult) -> Table:
    """All curves: one row for each factor and d_head, one column for each quantity."""
    single = [name for name in ScalingCurves.__slots__ if name not in ("name", "factor", "score_variance_interval")]
    columns = ("scores", "d_head", "factor", *single)
    rows = [
        (
            f"q·k · {curves.name}",
            int(result.d_heads[i]),
            float(curves.factor[i]),
            *(getattr(curves, name)[i].item() for name in single),
        )
        for curves in result.curves
        for i in range(len(result.d_heads))
    ]
    return Table(columns, tuple(rows))


def _parts(curves: ScalingCurves, quantity: Quantity) -> list[_Part]:
    """What is drawn of one factor: name, values and band of what was measured, then of what it is compared with."""
    values = getattr(curves, _MEASURED[quantity])
    match quantity:
        case "gradient":
            return [
                (", median", values, (curves.gradient_low, curves.gradient_high)),
                (", mean", curves.gradient_mean, None),
            ]
        case "underflow":
            return [(", float16", values, None), (", bfloat16", curves.bfloat16_zeros, None)]
        case "variance":
            low, high = curves.score_variance_interval
            return [("", values, (low, high)), (", claimed", np.array(D_HEADS) * curves.factor**2, None)]
        case "jacobian":
            return [("", values, None), (", 2ε", curves.bound_two, None), (", nε", curves.bound_keys, None)]
    return [("", values, None)]


def label(curves: ScalingCurves) -> str:
    """What a factor's curves are called in a legend: ``unscaled``, ``× 1/√d_head``."""
    return "unscaled" if curves.name == "1" else f"× {curves.name}"


def _decades(drawn: Sequence[Array]) -> tuple[Limits | None, str]:
    """The decades of a log axis on which curves can be compared, and a sentence on what lies below them."""
    values = np.concatenate(drawn)
    positive = values[values > 0]
    if not positive.size:
        return None, ""
    highest = float(positive.max())
    lowest = max(float(positive.min()), min(_LOWEST, highest / 10))
    below = positive[positive < lowest]
    said = f"Below the axis, down to {format_number(float(below.min()))}: {below.size} values." if below.size else ""
    return (lowest / 1.6, highest * 1.6), said


def _summary(result: ScalingResult) -> str:
    first, last = (format_number(float(result.chosen.max_weight[i])) for i in (0, -1))
    scale = "unscaled" if result.chosen.name == "1" else f"multiplied by {result.chosen.name}"
    return (
        f"One query's scores, {scale}, its weights, the scores of all queries and softmax's Jacobian for d_head from "
        f"1 to 4,096: averaged over all queries, the largest of {result.config.num_keys:,} weights goes from {first} "
        f"to {last}."
    )
