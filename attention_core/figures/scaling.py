"""How scaling is drawn: one query, the scores and the Jacobian at each d_head, and curves over d_head."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.scaling import ScalingCurves, ScalingResult, check_d_head
from attention_core.experiments.verdict import format_number
from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView, Sweep, matrix_heatmap
from attention_core.figures.plot import NUMBER, Mode, add_band, axis, base_figure, drawn_once, escape
from attention_core.figures.table import Table
from attention_core.figures.theme import MUTED, SCALES

Quantity = Literal["variance", "max_weight", "entropy", "jacobian", "gradient", "underflow"]

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


@drawn_once
def scaling_curves(
    result: ScalingResult, quantity: Quantity, d_head: int | None = None, *, mode: Mode = "light"
) -> go.Figure:
    """One quantity over d_head, without a factor, with 1/√d_head, and with the chosen factor where that is another.

    Dashed curves are what a measured one is compared with: the claimed variance, ln n, the bounds nε and 2ε; and for
    the gradient the mean beside the median and its 1–99 % band.

    Args:
        result: What was measured.
        quantity: Which curve.
        d_head: Where a line marks what is looked at; None marks nothing.
        mode: ``light`` or ``dark``.

    Raises:
        ConfigError: If ``d_head`` is not part of the sweep.
    """
    figure = base_figure(title=TITLES[quantity], mode=mode)
    figure.update_layout(legend={"y": -0.2, "yanchor": "top"})  # below: many names would run into the title
    drawn: list[np.ndarray[Any, Any]] = []
    for curves, colour in zip(result.curves, _colours(mode), strict=False):
        drawn += _draw(figure, result, curves, quantity, colour)
    if quantity == "entropy":
        bound = np.full(len(result.d_heads), np.log(result.config.num_keys))
        _line(figure, "ln n", result.d_heads, bound, MUTED[mode], dash="dash")
    log = quantity in _LOG_Y
    ticks = [f"{size:,}" for size in result.d_heads]
    figure.update_xaxes(axis(_D_HEAD, log=True, mode=mode), tickvals=result.d_heads, ticktext=ticks)
    figure.update_xaxes(range=[-0.1, np.log10(result.d_heads[-1]) + 0.1])
    figure.update_yaxes(axis(_Y_TITLES[quantity], log=log, mode=mode))
    if log:
        _decades(figure, drawn, mode)
    elif quantity in ("max_weight", "underflow"):
        figure.update_yaxes(range=[-0.02, 1.05])
    else:
        figure.update_yaxes(rangemode="tozero")
    if d_head is not None:
        check_d_head(d_head)
        figure.add_vline(x=d_head, line={"color": MUTED[mode], "width": 1.5, "dash": "dot"}, name="d_head")
    return figure


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


def _draw(
    figure: go.Figure, result: ScalingResult, curves: ScalingCurves, quantity: Quantity, colour: str
) -> list[np.ndarray[Any, Any]]:
    """Add the curves of one factor; returns what was drawn."""
    x, name = result.d_heads, label(curves)
    if quantity == "gradient":
        # A band may reach below any axis, but it may not end: what is 0 is drawn far below.
        band = {"low": np.maximum(curves.gradient_low, 1e-300), "high": np.maximum(curves.gradient_high, 1e-300)}
        add_band(figure, name=name, x=x, median=_positive(curves.gradient_median), colour=colour, **band)
        _line(figure, f"{name}, mean", x, _positive(curves.gradient_mean), colour, dash="dash")
        return [curves.gradient_median, curves.gradient_mean, curves.gradient_low, curves.gradient_high]
    if quantity == "underflow":
        _line(figure, f"{name}, float16", x, curves.float16_zeros, colour)
        _line(figure, f"{name}, bfloat16", x, curves.bfloat16_zeros, colour, dash="dash")
        return []
    if quantity == "variance":
        low, high = curves.score_variance_interval
        errors = {"type": "data", "array": high - curves.score_variance, "arrayminus": curves.score_variance - low}
        claimed = x * curves.factor**2
        _line(figure, name, x, curves.score_variance, colour, error_y=errors | {"thickness": 1.5, "width": 3})
        _line(figure, f"{name}, claimed", x, claimed, colour, dash="dash")
        return [curves.score_variance, claimed]
    values = getattr(curves, _MEASURED[quantity])
    if quantity != "jacobian":
        _line(figure, name, x, values, colour)
        return []
    _line(figure, name, x, _positive(values), colour)
    _line(figure, f"{name}, 2ε", x, _positive(curves.bound_two), colour, dash="dash")
    _line(figure, f"{name}, nε", x, _positive(curves.bound_keys), colour, dash="dot")
    return [values, curves.bound_two, curves.bound_keys]


def label(curves: ScalingCurves) -> str:
    """What a factor's curves are called in a legend: ``unscaled``, ``× 1/√d_head``."""
    return "unscaled" if curves.name == "1" else f"× {curves.name}"


def _line(
    figure: go.Figure, name: str, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], colour: str, *,
    dash: str = "solid", **more: Any,
) -> None:  # fmt: skip
    figure.add_scatter(
        x=x,
        y=y,
        name=escape(name),
        mode="lines+markers" if dash == "solid" else "lines",
        line={"color": colour, "width": 2.5 if dash == "solid" else 1.8, "dash": dash},
        marker={"size": 6},
        hovertemplate=f"d_head %{{x}}<br>%{{y:{NUMBER}}}<extra>{escape(name)}</extra>",
        **more,
    )


def _positive(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values, with NaN (a gap) where a log axis has no place for them."""
    return np.where(values > 0, values, np.nan)


def _decades(figure: go.Figure, drawn: list[np.ndarray[Any, Any]], mode: Mode) -> None:
    """Limit a log axis to what can be compared on it, and say what lies below."""
    values = np.concatenate(drawn)
    positive = values[values > 0]
    said = "All values are 0."
    if positive.size:
        lowest = max(float(positive.min()), min(_LOWEST, float(positive.max()) / 10))
        figure.update_yaxes(range=[np.log10(lowest) - 0.2, np.log10(float(positive.max())) + 0.2])
        below = values[values < lowest]
        down = format_number(float(below.min())) if below.size else ""
        said = f"Below the axis, down to {down}: {below.size} of {values.size} values." if below.size else ""
    if said:
        font = {"color": MUTED[mode], "size": 12}
        place = {"x": 0, "y": 0.02, "xref": "paper", "yref": "paper", "xanchor": "left", "showarrow": False}
        figure.add_annotation(place, text=escape(said), font=font)


def _colours(mode: Mode) -> Sequence[str]:
    """Unscaled, scaled, chosen: two ends of the diverging scale, and the sequential one."""
    diverging, sequential = SCALES[mode]["diverging"], SCALES[mode]["sequential"]
    return (diverging[5], diverging[1], sequential[4])


def _summary(result: ScalingResult) -> str:
    first, last = (format_number(float(result.chosen.max_weight[i])) for i in (0, -1))
    scale = "unscaled" if result.chosen.name == "1" else f"multiplied by {result.chosen.name}"
    return (
        f"One query's scores, {scale}, its weights, the scores of all queries and softmax's Jacobian for d_head from "
        f"1 to 4,096: averaged over all queries, the largest of {result.config.num_keys:,} weights goes from {first} "
        f"to {last}."
    )
