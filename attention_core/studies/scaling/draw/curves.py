"""Curves over d_head, and their table."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from attention_core.figures.lines import GUESS
from attention_core.figures.matrix import LinesPanel, MatrixView, Series
from attention_core.figures.panels import Array, Limits
from attention_core.figures.table import Table
from attention_core.figures.theme import Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, listed, sentences
from attention_core.measuring.number_format import format_number
from attention_core.studies.scaling import D_HEADS, ScalingCurves, ScalingResult, check_d_head

_Part = tuple[str, Array, tuple[Array, Array] | None]

TITLES: Final[dict[str, str]] = {
    "variance": gettext_lazy("Variance of the scores"),
    "max_weight": gettext_lazy("Largest weight of a query"),
    "entropy": gettext_lazy("Entropy of a query's weights"),
    "jacobian": gettext_lazy("Size of softmax's Jacobian"),
    "gradient": gettext_lazy("Gradient that reaches a query"),
    "underflow": gettext_lazy("Weights that half precision stores as 0"),
}
_Y_TITLES: Final[dict[str, str]] = {
    "variance": "Var(s)",
    "max_weight": gettext_lazy("mean a_max"),
    "entropy": gettext_lazy("mean entropy (nats)"),
    "jacobian": gettext_lazy("mean ‖J‖_F"),
    "gradient": "‖∂L/∂q‖",
    "underflow": gettext_lazy("share of all weights"),
}
_LOG_Y: Final = ("variance", "jacobian", "gradient")
# Below this a log axis would show decades of nothing but how far a vanishing gradient vanishes.
_LOWEST: Final = 1e-10
_MEASURED: Final[dict[str, str]] = {
    "variance": "score_variance",
    "max_weight": "max_weight",
    "entropy": "entropy",
    "jacobian": "jacobian",
    "gradient": "gradient_median",
    "underflow": "float16_zeros",
}
_LIMITS: Final[dict[str, Limits]] = {"max_weight": (0.0, 1.05), "underflow": (0.0, 1.05)}
_NOTES: Final[dict[str, str]] = {
    "variance": gettext_lazy("Bands: five standard errors below and above."),
    "jacobian": gettext_lazy("Dashed: the bounds nε, above, and 2ε, below."),
    "gradient": gettext_lazy("Bands: 98 % of the queries."),
}
_TONES: Final[tuple[Tone, ...]] = ("muted", "accent", "pale")  # unscaled, scaled, chosen
AWAITED: Final[Limits] = (1e-8, 10.0)  # of a gradient that nobody has seen yet
D_HEAD: Final = gettext_lazy("Size of a head, d_head")


def curves_view(
    result: ScalingResult, quantity: str, d_head: int | None = None, *, awaited: bool = False
) -> MatrixView:
    """One quantity over d_head, without a factor, with 1/√d_head, and with the chosen factor where that is another.

    Dashed curves are what a measured one is compared with: the claimed variance, ln n, the bounds nε and 2ε; and for
    the gradient the mean beside the median and its 1–99 % band.

    Args:
        result: What was measured.
        quantity: Which curve, an id of ``TITLES``.
        d_head: Where a line marks what is looked at; None marks nothing.
        awaited: Whether the curves are not to be seen yet.

    Raises:
        ConfigError: If ``d_head`` is not part of the sweep.
    """
    parts = [_parts(curves, quantity) for curves in result.curves]
    series = [
        Series(name=name, values=values, band=band, role=role, dashed=i > 0)
        for role, drawn in zip(_TONES, parts, strict=False)
        for i, (name, values, band) in enumerate(drawn)
    ]
    if quantity == "entropy":
        bound = np.full(len(D_HEADS), np.log(result.config.num_keys))
        series.append(Series(name="ln n", values=bound, dashed=True))
    limits, below = _LIMITS.get(quantity), ""
    if quantity in _LOG_Y:
        limits, below = decades(
            [each for drawn in parts for _, values, band in drawn for each in (values, *(band or ()))]
        )
    panel = LinesPanel(
        title=str(TITLES[quantity]),
        x=np.array(D_HEADS),
        x_title=str(D_HEAD),
        y_title=str(_Y_TITLES[quantity]),
        series=() if awaited else tuple(series),
        log_x=True,
        log_y=quantity in _LOG_Y,
        limits=AWAITED if awaited else limits,
        note="" if awaited else str(sentences((_NOTES.get(quantity, ""), below))),
        marked=None if d_head is None else check_d_head(d_head),
        awaits=str(GUESS) if awaited else "",
    )
    if awaited:
        return MatrixView(panels=(panel,), summary=_("What do you expect of the curve?"))
    return MatrixView(panels=(panel,), summary=curve_summary(result, quantity))


def curve_summary(result: ScalingResult, quantity: str) -> str:
    """What a curve shows, in a sentence: where the quantity ends, with the last two factors."""
    field = _MEASURED[quantity]
    ends = [
        _(
            "{number} {factor}",
            number=format_number(float(getattr(curves, field)[-1])),
            factor=spoken(curves.name),
        )
        for curves in result.curves
    ]
    return _("{title}, where heads are largest: {ends}.", title=TITLES[quantity], ends=listed(ends[-2:]))


def scaling_table(result: ScalingResult) -> Table:
    """All curves: one row for each factor and d_head, one column for each quantity."""
    single = [name for name in ScalingCurves.__slots__ if name not in ("name", "factor", "score_variance_interval")]
    columns = ("scores", "d_head", "factor", *single)
    rows = [
        (
            f"q·k · {curves.name}",
            D_HEADS[i],
            float(curves.factor[i]),
            *(getattr(curves, name)[i].item() for name in single),
        )
        for curves in result.curves
        for i in range(len(D_HEADS))
    ]
    return Table(columns, tuple(rows))


def _parts(curves: ScalingCurves, quantity: str) -> list[_Part]:
    """What is drawn of one factor: name, values and band of what was measured, then of what it is compared with."""
    values, name = getattr(curves, _MEASURED[quantity]), label(curves.name)
    match quantity:
        case "gradient":
            return [
                (_("{factor}, median", factor=name), values, (curves.gradient_low, curves.gradient_high)),
                (_("{factor}, mean", factor=name), curves.gradient_mean, None),
            ]
        case "underflow":
            stored = {"float16": values, "bfloat16": curves.bfloat16_zeros}
            return [(_("{factor}, {what}", factor=name, what=what), zeros, None) for what, zeros in stored.items()]
        case "variance":
            low, high = curves.score_variance_interval
            claimed = np.array(D_HEADS) * curves.factor**2
            return [(name, values, (low, high)), (_("{factor}, claimed", factor=name), claimed, None)]
        case "jacobian":
            two, keys = (_("{factor}, {what}", factor=name, what=what) for what in ("2ε", "nε"))
            return [(name, values, None), (two, curves.bound_two, None), (keys, curves.bound_keys, None)]
    return [(name, values, None)]


def label(name: str) -> str:
    """What a factor's curves are called in a legend: ``unscaled``, ``× 1/√d_head``."""
    return _("unscaled") if name == "1" else f"× {name}"


def decades(drawn: Sequence[Array]) -> tuple[Limits | None, str]:
    """The decades of a log axis on which curves can be compared, and a sentence on what lies below them."""
    values = np.concatenate(drawn)
    positive = values[values > 0]
    if not positive.size:
        return None, ""
    highest = float(positive.max())
    lowest = max(float(positive.min()), min(_LOWEST, highest / 10))
    below = positive[positive < lowest]
    said = ""
    if below.size:
        least = format_number(float(below.min()))
        said = _("Below the axis, down to {least}: {count} values.", least=least, count=below.size)
    return (lowest / 1.6, highest * 1.6), said


def spoken(name: str) -> str:
    """A factor as people say it."""
    spoken = {
        "1": _("unscaled"),
        "1/√d_head": _("divided by the root"),
        "1/d_head": _("divided by the size itself"),
    }
    return spoken.get(name, _("with the chosen factor"))
