"""What each question about projections looks like over sizes or layers: the curves, and how Plotly draws them."""

from functools import singledispatch

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.projections import (
    LAYERS,
    CollapseResult,
    GaugeResult,
    IdentityResult,
    ProjectionsResult,
    RankResult,
    TyingResult,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures.lines import LinesPanel, Series
from attention_core.figures.plot import NUMBER, Mode, axis, base_figure, drawn_once, escape
from attention_core.figures.theme import MUTED, ROLE_COLOURS, SCALES

_D_HEAD = "size of a head, d_head"


@drawn_once
def projections_figure(result: ProjectionsResult, *, mode: Mode = "light") -> go.Figure | None:
    """The curves of a question as a Plotly figure, for tied matrices bars of parameters; None where there are none.

    Args:
        result: Its result.
        mode: ``light`` or ``dark``.
    """
    if isinstance(result, TyingResult):
        return _parameters(result, mode)
    panel = projections_curves(result)
    if panel is None:
        return None
    figure = base_figure(title=panel.title, mode=mode)
    for series in panel.series:
        colour = ROLE_COLOURS[mode][series.role] if series.role else MUTED[mode]
        figure.add_scatter(
            x=panel.x,
            y=series.values,
            name=escape(series.name),
            mode="lines" if series.dashed else "lines+markers",
            line={
                "color": colour,
                "width": 2 if series.dashed else 2.5,
                "dash": "dash" if series.dashed else "solid",
            },
            hovertemplate=f"%{{x:{NUMBER}}} → %{{y:{NUMBER}}}<extra>{escape(series.name)}</extra>",
        )
    figure.update_xaxes(axis(panel.x_title, mode=mode))
    if panel.log_x:
        ticks = [f"{x:g}" for x in panel.x]
        figure.update_xaxes(type="log", tickvals=panel.x, ticktext=ticks)
    figure.update_yaxes(axis(panel.y_title, mode=mode))
    if panel.log_y:
        figure.update_yaxes(type="log", dtick=3 if panel.y_limits[0] < 1e-4 else 1)
    elif panel.limits:
        figure.update_yaxes(range=panel.limits)
    return figure.update_layout(height=300, margin={"t": 64}, title_y=0.97)


def figure_alt(result: ProjectionsResult) -> str:
    """What there is to see in the curves, in a sentence."""
    if isinstance(result, TyingResult):
        return f"Bars of parameters: {', '.join(f'{count:,}' for count in result.parameters)}."
    panel = projections_curves(result)
    if panel is None:
        return ""
    ends = (f"{one.name} from {_said(one.values[0])} to {_said(one.values[-1])}" for one in panel.series)
    return f"{panel.title} over {panel.x_title}: {'; '.join(ends)}."


@singledispatch
def projections_curves(result: ProjectionsResult) -> LinesPanel | None:
    """The curves of a question; None where it has none.

    Args:
        result: Its result.
    """
    assert isinstance(result, GaugeResult | TyingResult)
    return None


@projections_curves.register
def _(result: IdentityResult) -> LinesPanel:
    return LinesPanel(
        title="How much a word looks at itself",
        x=result.sizes,
        x_title=_D_HEAD,
        y_title="mean weight on itself",
        log_x=True,
        limits=(0.0, 1.05),
        series=(
            Series(name="no projections", values=result.own[0], role="query"),
            Series(name="random W_Q, W_K", values=result.own[1], role="output"),
            Series(name="equal norms, in theory", values=result.predicted, dashed=True),
        ),
    )


@projections_curves.register
def _(result: RankResult) -> LinesPanel:
    scores, logs, weights = result.ranks
    series = [
        Series(name="weights", values=weights, role="output"),
        Series(name="d_head or n", values=np.minimum(result.sizes, result.scores.shape[-1]), dashed=True),
    ]
    if np.isfinite(scores).all():
        series[:0] = [
            Series(name="scores", values=scores, role="query"),
            Series(name="log weights", values=logs, role="key"),
        ]
    return LinesPanel(
        title="Rank of the matrices",
        x=result.sizes,
        x_title=_D_HEAD,
        y_title="rank",
        log_x=True,
        limits=(0.0, 1.1 * result.scores.shape[-1]),
        series=tuple(series),
    )


@projections_curves.register
def _(result: CollapseResult) -> LinesPanel:
    return LinesPanel(
        title="How far apart the words are",
        x=np.arange(LAYERS + 1),
        x_title="layer",
        y_title="‖X − mean‖, the input's as 1",
        log_y=True,
        series=(
            Series(name="attention alone", values=result.left[0], role="output"),
            Series(name="with the residual", values=result.left[1], role="query"),
        ),
    )


def _parameters(result: TyingResult, mode: Mode) -> go.Figure:
    figure = base_figure(title="Parameters of the module", mode=mode)
    figure.add_bar(
        y=["W_Q, W_K, W_V", "W_K = W_V", "W_Q = W_K"],
        x=list(result.parameters),
        orientation="h",
        marker_color=SCALES[mode]["sequential"][3],
        text=[f"{count:,}" for count in result.parameters],
        hovertemplate="%{x:,}<extra></extra>",
    )
    figure.update_xaxes(axis("parameters", mode=mode))
    return figure.update_yaxes(autorange="reversed").update_layout(height=240)


def _said(value: float) -> str:
    return format_number(float(value))
