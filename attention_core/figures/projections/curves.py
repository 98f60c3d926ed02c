"""What each question about projections looks like over sizes or layers."""

from functools import singledispatch

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.experiments.projections import (
    LAYERS,
    CollapseResult,
    GaugeResult,
    IdentityResult,
    ProjectionsResult,
    RankResult,
    TyingResult,
)
from attention_core.figures.lines import LinesPanel, Series
from attention_core.figures.matrix import Axis, BarsPanel, MatrixView

_D_HEAD = "size of a head, d_head"


def curves_view(result: ProjectionsResult) -> MatrixView | None:
    """The curves of a question, for tied matrices bars of parameters; None where there are none.

    Args:
        result: Its result.
    """
    if isinstance(result, TyingResult):
        bars = BarsPanel(
            title="Parameters of the module",
            values=np.array(result.parameters),
            labels=Axis(title="shared", labels=("nothing", "W_K = W_V", "W_Q = W_K")),
            quantity="parameters",
            note="{:,} with nothing shared; {:,} and {:,} with one matrix for two.".format(*result.parameters),
        )
        return MatrixView(panels=(bars,), summary=f"Bars of parameters: {bars.note}")
    panel = projections_curves(result)
    if panel is None:
        return None
    ends = (f"{one.name} from {_said(one.values[0])} to {_said(one.values[-1])}" for one in panel.series)
    return MatrixView(panels=(panel,), summary=f"{panel.title} over {panel.x_title}: {'; '.join(ends)}.")


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


def _said(value: float) -> str:
    return format_number(float(value))
