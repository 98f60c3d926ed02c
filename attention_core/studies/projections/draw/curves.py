"""What each question about projections looks like over sizes or layers."""

from functools import singledispatch

import numpy as np

from attention_core.figures.lines import LinesPanel, Series
from attention_core.figures.matrix import Axis, BarsPanel, MatrixView
from attention_core.language import SEMICOLON, gettext_lazy, joined
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.projections import (
    LAYERS,
    CollapseResult,
    FixedResult,
    GaugeResult,
    IdentityResult,
    NamesResult,
    ProjectionsResult,
    RankResult,
    TyingResult,
)

_D_HEAD = gettext_lazy("size of a head, d_head")


def curves_view(result: ProjectionsResult) -> MatrixView | None:
    """The curves of a question, for tied matrices bars of parameters; None where there are none.

    Args:
        result: Its result.
    """
    if isinstance(result, TyingResult):
        own, values, queries = result.parameters
        bars = BarsPanel(
            title=_("Parameters of the module"),
            values=np.array(result.parameters),
            labels=Axis(title=_("shared"), labels=(_("none"), "W_K = W_V", "W_Q = W_K"), formulas=True),
            quantity=_("parameters"),
            note=_(
                "{own:,} with nothing shared; {values:,} and {queries:,} with one matrix for two.",
                own=own,
                values=values,
                queries=queries,
            ),
        )
        return MatrixView(panels=(bars,), summary=_("Bars of parameters: {counts}", counts=bars.note))
    panel = projections_curves(result)
    if panel is None:
        return None
    ends = (
        _("{name} from {first} to {last}", name=one.name, first=_said(one.values[0]), last=_said(one.values[-1]))
        for one in panel.series
    )
    summary = _("{title} over {x}: {ends}.", title=panel.title, x=panel.x_title, ends=joined(SEMICOLON, ends))
    return MatrixView(panels=(panel,), summary=summary)


@singledispatch
def projections_curves(result: ProjectionsResult) -> LinesPanel | None:
    """The curves of a question; None where it has none.

    Args:
        result: Its result.
    """
    assert isinstance(result, GaugeResult | TyingResult | NamesResult | FixedResult)
    return None


@projections_curves.register
def _identity(result: IdentityResult) -> LinesPanel:
    return LinesPanel(
        title=_("How much a word looks at itself"),
        x=result.sizes,
        x_title=str(_D_HEAD),
        y_title=_("mean weight on itself"),
        log_x=True,
        limits=(0.0, 1.05),
        series=(
            Series(name=_("no projections"), values=result.own[0], role="ink"),
            Series(name=_("random W_Q, W_K"), values=result.own[1], role="accent"),
            Series(name=_("equal norms, in theory"), values=result.predicted, dashed=True),
        ),
    )


@projections_curves.register
def _rank(result: RankResult) -> LinesPanel:
    scores, logs, weights = result.ranks
    series = [
        Series(name=_("weights"), values=weights, role="accent"),
        Series(name=_("d_head or n"), values=np.minimum(result.sizes, result.scores.shape[-1]), dashed=True),
    ]
    if np.isfinite(scores).all():
        series[:0] = [
            Series(name=_("scores"), values=scores, role="ink"),
            Series(name=_("log weights"), values=logs, role="pale"),
        ]
    return LinesPanel(
        title=_("Rank of the matrices"),
        x=result.sizes,
        x_title=str(_D_HEAD),
        y_title=_("rank"),
        log_x=True,
        limits=(0.0, 1.1 * result.scores.shape[-1]),
        series=tuple(series),
    )


@projections_curves.register
def _collapse(result: CollapseResult) -> LinesPanel:
    return LinesPanel(
        title=_("How far apart the words are"),
        x=np.arange(LAYERS + 1),
        x_title=_("layer"),
        y_title=_("‖X − mean‖, the input's as 1"),
        log_y=True,
        series=(
            Series(name=_("attention alone"), values=result.left[0], role="accent"),
            Series(name=_("with the residual"), values=result.left[1], role="ink"),
        ),
    )


def _said(value: float) -> str:
    return format_number(float(value))
