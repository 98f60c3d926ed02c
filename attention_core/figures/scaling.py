"""How scaling is drawn: scores, weights and gradient as heads grow, the Jacobian, and curves over d_head."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.experiments.scaling import (
    D_HEADS,
    ScalingCurves,
    ScalingPicture,
    ScalingResult,
    ScalingSide,
    check_d_head,
)
from attention_core.figures.lines import GUESS
from attention_core.figures.matrix import (
    Area,
    AreasPanel,
    Axis,
    BarsPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Series,
    Sweep,
)
from attention_core.figures.panels import Array, Limits
from attention_core.figures.proof import ProofStep
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.figures.theme import Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, listed, sentences

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
_AWAITED: Final[Limits] = (1e-8, 10.0)  # of a gradient that nobody has seen yet
_D_HEAD: Final = gettext_lazy("Size of a head, d_head")


def scaling_view(
    picture: ScalingPicture, d_head: int = D_HEADS[-1], gradients: ScalingResult | None = None
) -> MatrixView:
    """What becomes of scores, weights and gradient as heads grow, with the chosen factor and another beside it.

    In the second look are one query's scores with each key, and softmax's Jacobian.

    Args:
        picture: What is drawn.
        d_head: The size of a head that is looked at.
        gradients: The curves of the gradient; None where they are not to be seen yet.
    """
    first, second = sides = _in_place(picture)
    grows = _is_unscaled(first) and first.spread[-1] > first.spread[0]
    wins = max(side.largest_weight(-1) for side in sides) > 0.5
    titles = (
        _("1  The scores spread") if grows else _("1  The scores"),
        _("2  softmax picks a winner") if wins else _("2  softmax shares the weight"),
    )
    panels = (
        _scores_panel(titles[0], sides, picture),
        _ranked_panel(titles[1], sides, picture),
        _gradient_panel(_("3  and the gradient?"), sides, gradients),
    )
    singles = (_single_scores(picture, side) for side in sides)
    sweep = Sweep(name="d_head", label=str(_D_HEAD), values=tuple(f"{size:,}" for size in D_HEADS))
    at = check_d_head(d_head)
    summary = _(
        "At this size the best key takes {one} of the weight {first}, and {other} {second}.",
        one=f"{first.largest_weight(at):.2f}",
        other=f"{second.largest_weight(at):.2f}",
        first=_spoken(first.name),
        second=_spoken(second.name),
    )
    return MatrixView(
        panels=(*panels, *singles, *(_jacobian(picture, side) for side in sides)),
        summary=summary, sweep=sweep, front=3, second=4,
    )  # fmt: skip


def _in_place(picture: ScalingPicture) -> list[ScalingSide]:
    """The two factors from left to right, whichever is chosen: one that knows no d_head first, then the root."""

    def place(side: ScalingSide) -> int:
        return 0 if _is_unscaled(side) else 1 if side.name == "1/√d_head" else 2

    return sorted((picture.chosen, picture.beside), key=place)


def _is_unscaled(side: ScalingSide) -> bool:
    return "d_head" not in side.name


def _tone(name: str) -> Tone:
    """Violet for 1/√d_head, grey for what it is compared with."""
    return "accent" if name == "1/√d_head" else "muted"


def _scores_panel(title: str, sides: Sequence[ScalingSide], picture: ScalingPicture) -> AreasPanel:
    """All scores of some queries at each d_head, on one axis for both factors and all sizes."""
    areas = tuple(
        Area(
            name=_short(side.name),
            values=side.shares,
            edges=side.edges,
            role=_tone(side.name),
            said=tuple(f"σ = {format_number(float(one))}" for one in side.spread),
            bracket=np.stack([side.mean - side.spread, side.mean + side.spread], axis=1),
        )
        for side in sides
    )
    return AreasPanel(
        title=title,
        areas=areas,
        labels=Axis(title=_("score"), labels=()),
        span=(min(float(side.edges.min()) for side in sides), max(float(side.edges.max()) for side in sides)),
        quantity=_("scores of {count:,} queries (peak = 1)", count=picture.queries),
        smooth=True,
        limits=(0.0, 1.0),
    )


def _ranked_panel(title: str, sides: Sequence[ScalingSide], picture: ScalingPicture) -> AreasPanel:
    """One query's largest weights at each d_head, largest first, with both factors."""
    count = sides[0].ranked.shape[1]
    some = _("keys, largest first")
    if count < picture.num_keys:
        some = _("keys, the largest {shown} of {all:,}", shown=count, all=picture.num_keys)
    areas = tuple(
        Area(
            name=_short(side.name),
            values=side.ranked,
            edges=np.arange(count + 1),
            role=_tone(side.name),
            said=tuple(f"{_short(side.name)}: {one:.2f}" for one in side.ranked[:, 0]),
        )
        for side in sides
    )
    return AreasPanel(
        title=title,
        areas=areas,
        labels=Axis(title=some, labels=tuple(str(rank + 1) for rank in range(count))),
        span=(0.0, float(count)),
        quantity=_("weight of each key, for one query"),
        limits=(0.0, 1.0),
    )


def _gradient_panel(title: str, sides: Sequence[ScalingSide], result: ScalingResult | None) -> LinesPanel:
    """The median gradient over d_head, up to the size that is looked at."""
    axes = {"title": title, "x": np.array(D_HEADS), "x_title": str(_D_HEAD), "log_x": True, "log_y": True}
    axes["y_title"] = _("gradient that reaches a typical query")
    if result is None:
        return LinesPanel(**axes, series=(), limits=_AWAITED, awaits=str(GUESS))
    curves = {one.name: one.gradient_median for one in result.curves}
    series = tuple(
        Series(name=_short(side.name), values=curves[side.name], role=_tone(side.name), pointed=True)
        for side in sides
    )
    limits, below = _decades([one.values for one in series])
    return LinesPanel(**axes, series=series, limits=limits, note=below, unfolds=True)


def _keys(picture: ScalingPicture) -> tuple[str, tuple[str, ...]]:
    """What the keys that are shown one by one are called, and their numbers."""
    labels = tuple(str(key + 1) for key in picture.keys)
    if len(labels) < picture.num_keys:  # those that get the largest weights
        return _("top {shown} of {all:,} keys", shown=len(labels), all=picture.num_keys), labels
    return _("key"), labels


def _single_scores(picture: ScalingPicture, side: ScalingSide) -> BarsPanel:
    some, labels = _keys(picture)
    return BarsPanel(
        title=_("Scores, {factor}", factor=label(side.name)),
        values=side.scores,
        labels=Axis(title=some, labels=labels, role="key"),
        quantity=_("score of one query"),
        role="ink",
    )


def _jacobian(picture: ScalingPicture, side: ScalingSide) -> MatrixPanel:
    _some, labels = _keys(picture)
    return MatrixPanel(
        title=_("Jacobian, {factor}", factor=label(side.name)),
        values=side.jacobian,
        rows=Axis(title=_("weight of key"), labels=labels, role="key"),
        columns=Axis(title=_("score of key"), labels=labels, role="key"),
        quantity="∂a_i/∂s_j",
        scale="diverging",
        limits=(-0.25, 0.25),  # a(1 − a) is no larger
    )


def _short(name: str) -> str:
    """A factor where it is written beside what it does."""
    return {"1": _("unscaled"), "1/√d_head": "÷ √d", "1/d_head": "÷ d"}.get(name) or _("chosen")


def _spoken(name: str) -> str:
    """A factor as people say it."""
    spoken = {
        "1": _("unscaled"),
        "1/√d_head": _("divided by the root"),
        "1/d_head": _("divided by the size itself"),
    }
    return spoken.get(name, _("with the chosen factor"))


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
        limits, below = _decades(
            [each for drawn in parts for _, values, band in drawn for each in (values, *(band or ()))]
        )
    panel = LinesPanel(
        title=str(TITLES[quantity]),
        x=np.array(D_HEADS),
        x_title=str(_D_HEAD),
        y_title=str(_Y_TITLES[quantity]),
        series=() if awaited else tuple(series),
        log_x=True,
        log_y=quantity in _LOG_Y,
        limits=_AWAITED if awaited else limits,
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
            factor=_spoken(curves.name),
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


def _decades(drawn: Sequence[Array]) -> tuple[Limits | None, str]:
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


def proof(result: ScalingResult) -> tuple[ProofStep, ...]:
    """Why softmax saturates without the factor, and what becomes of the gradient, beside the numbers measured."""

    def at(quantity: str, size: int, of: str = "unscaled") -> str:
        return f"`{format_number(result.at(quantity, size, of=of))}`"

    peak_at, peak = result.jacobian_peak
    keys, two = (result.verdict(f"scale-jac.{part}") for part in ("keys", "two"))
    return (
        ProofStep(
            _(
                "A score q·k is a sum of d_head products with mean 0 and variance 1, so its variance is d_head. "
                "Dividing by √d_head brings it back to 1."
            ),
            _(
                "Var(s) at d_head = 64: {unscaled}; ÷ √d_head: {scaled}.",
                unscaled=at("score_variance", 64),
                scaled=at("score_variance", 64, "scaled"),
            ),
            undone(result, "scale-var"),
        ),
        ProofStep(
            _(
                "The larger the scores, the sharper softmax: for ever more :blue[queries] one key takes nearly all "
                "of the weight. That is a statement in probability: it never becomes true of all of them."
            ),
            _(
                "Mean largest weight: {small} at 4, {large} at 4,096; scaled {scaled}. Of the queries {saturated} "
                "have one ≥ 0.9 at 4,096.",
                small=at("max_weight", 4),
                large=at("max_weight", 4096),
                scaled=at("max_weight", 4096, "scaled"),
                saturated=at("saturated", 4096),
            ),
            undone(result, "scale-sat"),
        ),
        ProofStep(
            _(
                "Softmax's Jacobian is J = diag(a) − aaᵀ. With ε the weight left to the others, ‖J‖ ≤ nε, and in "
                "fact ≤ 2ε whatever n is: a saturated softmax passes little on."
            ),
            _(
                "Above nε are `{keys} {rows}`, above 2ε `{two}`. ‖J‖ is largest at d_head = {size}: `{peak}`.",
                keys=format_number(keys.measured),
                rows=keys.unit,
                two=format_number(two.measured),
                peak=format_number(peak),
                size=peak_at,
            ),
            undone(result, "scale-jac"),
        ),
        ProofStep(
            _(
                "So the gradient vanishes? For the typical query, yes. But a query whose two best keys nearly tie "
                "still passes all of it on, times keys that have grown: the mean does not vanish, it becomes rare "
                "and huge."
            ),
            _(
                "At 4,096 the median is {median}, {vanished} of the queries are below 1e-6, the mean is {mean} (at "
                "64 {small}), and 1 % of them carry {share} of it. Scaled, the median is {scaled}.",
                median=at("gradient_median", 4096),
                vanished=at("gradient_vanished", 4096),
                mean=at("gradient_mean", 4096),
                small=at("gradient_mean", 64),
                share=at("gradient_top_share", 4096),
                scaled=at("gradient_median", 4096, "scaled"),
            ),
            undone(result, "scale-grad"),
        ),
    )
