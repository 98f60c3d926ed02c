"""How scaling is drawn: one query, all scores and the Jacobian at each d_head, and curves over d_head."""

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
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Panel,
    Series,
    Sweep,
)
from attention_core.figures.panels import Array, Limits
from attention_core.figures.proof import ProofStep
from attention_core.figures.table import Table
from attention_core.figures.theme import Role

_Part = tuple[str, Array, tuple[Array, Array] | None]

TITLES: Final[dict[str, str]] = {
    "variance": "Variance of the scores",
    "max_weight": "Largest weight of a query",
    "entropy": "Entropy of a query's weights",
    "jacobian": "Size of softmax's Jacobian",
    "gradient": "Gradient that reaches a query",
    "underflow": "Weights that half precision stores as 0",
}
_Y_TITLES: Final[dict[str, str]] = {
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
    "variance": "Bands: five standard errors below and above.",
    "jacobian": "Dashed: the bounds nε, above, and 2ε, below.",
    "gradient": "Bands: 98 % of the queries.",
}
# Unscaled, scaled, chosen: colours that can be told apart.
_ROLES: Final[tuple[Role, ...]] = ("key", "query", "output")
_D_HEAD: Final = "Size of a head, d_head"


def scaling_view(picture: ScalingPicture, d_head: int = D_HEADS[-1]) -> MatrixView:
    """The chosen factor and what it is compared with, each in its place, over d_head: one query's weights and all
    scores, then its scores and softmax's Jacobian.

    Each of the two has its own scale of scores, the same for all d_head; weights and Jacobians share theirs.

    Args:
        picture: What is drawn.
        d_head: The size of a head that is looked at.
    """
    pairs = zip(*(_side(picture, side) for side in _in_place(picture)), strict=True)
    panels = tuple(panel for pair in pairs for panel in pair)
    spreads = zip(*(map(format_number, side.spread.tolist()) for side in _in_place(picture)), strict=True)
    values = tuple(
        f"{size:,} (σ of the scores: {' and '.join(both)})" for size, both in zip(D_HEADS, spreads, strict=True)
    )
    sweep = Sweep(name="d_head", label=_D_HEAD, values=values)
    return MatrixView(panels=panels, summary=_summary(picture, check_d_head(d_head)), sweep=sweep, front=2)


def _in_place(picture: ScalingPicture) -> list[ScalingSide]:
    """The two factors from left to right, whichever is chosen: one that knows no d_head first, then the root."""

    def place(side: ScalingSide) -> int:
        return 0 if _is_unscaled(side) else 1 if side.name == "1/√d_head" else 2

    return sorted((picture.chosen, picture.beside), key=place)


def _is_unscaled(side: ScalingSide) -> bool:
    return "d_head" not in side.name


def _side(picture: ScalingPicture, side: ScalingSide) -> tuple[Panel, ...]:
    labels = tuple(str(key + 1) for key in picture.keys)
    shown, said = len(labels), label(side.name)
    some = f"{shown} of {picture.num_keys:,} keys" if shown < picture.num_keys else "key"
    keys = Axis(title=some, labels=labels, role="key")
    return (
        BarsPanel(
            title=f"Weights, {said}",
            values=side.weights,
            labels=keys,
            quantity="weight",
            limits=(0, 1),
            role="query",
        ),
        BarsPanel(
            title=f"All scores, {said}",
            values=side.shares,
            labels=Axis(title="score", labels=()),
            quantity="count (peak = 1)",
            limits=(0, 1),
            edges=side.edges,
            overlay=(side.normal_x, side.normal),
            overlay_name="N(0, d_head)" if side.name == "1" else f"N(0, d_head · ({side.name})²)",
        ),
        BarsPanel(
            title=f"Scores, {said}",
            values=side.scores,
            labels=keys,
            quantity="score of one query",
            role="key",
        ),
        MatrixPanel(
            title=f"Jacobian, {said}",
            values=side.jacobian,
            rows=Axis(title="weight of key", labels=labels, role="key"),
            columns=Axis(title="score of key", labels=labels, role="key"),
            quantity="∂a_i/∂s_j",
            scale="diverging",
            limits=(-0.25, 0.25),  # a(1 − a) is no larger
        ),
    )


def _summary(picture: ScalingPicture, step: int) -> str:
    first, second = _in_place(picture)
    one, other = (format_number(side.largest_weight(step)) for side in (first, second))
    why = (
        "unscaled scores spread as heads grow"
        if _is_unscaled(first)
        else "the smaller the scores, the softer softmax"
    )
    first_said, second_said = _spoken(first.name), _spoken(second.name)
    return f"One key takes {one} of this query's weight {first_said}, {other} {second_said}: {why}."


def _spoken(name: str) -> str:
    """A factor as people say it."""
    spoken = {"1": "unscaled", "1/√d_head": "divided by the root", "1/d_head": "divided by the size itself"}
    return spoken.get(name, "with the chosen factor")


def curves_view(result: ScalingResult, quantity: str, d_head: int | None = None) -> MatrixView:
    """One quantity over d_head, without a factor, with 1/√d_head, and with the chosen factor where that is another.

    Dashed curves are what a measured one is compared with: the claimed variance, ln n, the bounds nε and 2ε; and for
    the gradient the mean beside the median and its 1–99 % band.

    Args:
        result: What was measured.
        quantity: Which curve, an id of ``TITLES``.
        d_head: Where a line marks what is looked at; None marks nothing.

    Raises:
        ConfigError: If ``d_head`` is not part of the sweep.
    """
    parts = [_parts(curves, quantity) for curves in result.curves]
    series = [
        Series(name=f"{label(curves.name)}{what}", values=values, band=band, role=role, dashed=i > 0)
        for curves, role, drawn in zip(result.curves, _ROLES, parts, strict=False)
        for i, (what, values, band) in enumerate(drawn)
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
        title=TITLES[quantity],
        x=np.array(D_HEADS),
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


def curve_summary(result: ScalingResult, quantity: str) -> str:
    """What a curve shows, in a sentence: where the quantity ends, with the last two factors."""
    field = _MEASURED[quantity]
    ends = [f"{format_number(float(getattr(curves, field)[-1]))} {_spoken(curves.name)}" for curves in result.curves]
    return f"{TITLES[quantity]}, where heads are largest: {' and '.join(ends[-2:])}."


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


def label(name: str) -> str:
    """What a factor's curves are called in a legend: ``unscaled``, ``× 1/√d_head``."""
    return "unscaled" if name == "1" else f"× {name}"


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


def proof(result: ScalingResult) -> tuple[ProofStep, ...]:
    """Why softmax saturates without the factor, and what becomes of the gradient, beside the numbers measured."""

    def at(quantity: str, size: int, of: str = "unscaled") -> str:
        return f"`{format_number(result.at(quantity, size, of=of))}`"

    peak_at, peak = result.jacobian_peak
    keys, two = (result.verdict(f"scale-jac.{part}") for part in ("keys", "two"))
    return (
        ProofStep(
            "A score q·k is a sum of d_head products with mean 0 and variance 1, so its variance is d_head. Dividing "
            "by √d_head brings it back to 1.",
            f"Var(s) at d_head = 64: {at('score_variance', 64)}; ÷ √d_head: {at('score_variance', 64, 'scaled')}.",
        ),
        ProofStep(
            "The larger the scores, the sharper softmax: for ever more :blue[queries] one key takes nearly all of "
            "the weight. That is a statement in probability: it never becomes true of all of them.",
            f"Mean largest weight: {at('max_weight', 4)} at 4, {at('max_weight', 4096)} at 4,096; scaled "
            f"{at('max_weight', 4096, 'scaled')}. Of the queries {at('saturated', 4096)} have one ≥ 0.9 at 4,096.",
        ),
        ProofStep(
            "Softmax's Jacobian is J = diag(a) − aaᵀ. With ε the weight left to the others, ‖J‖ ≤ nε, and in fact "
            "≤ 2ε whatever n is: a saturated softmax passes little on.",
            f"Above nε are `{format_number(keys.measured)} {keys.unit}`, above 2ε `{format_number(two.measured)}`. "
            f"‖J‖ first rises, to `{format_number(peak)}` at d_head = {peak_at}, and then falls.",
        ),
        ProofStep(
            "So the gradient vanishes? For the typical query, yes. But a query whose two best keys nearly tie still "
            "passes all of it on, times keys that have grown: the mean does not vanish, it becomes rare and huge.",
            f"At 4,096 the median is {at('gradient_median', 4096)}, {at('gradient_vanished', 4096)} of the queries "
            f"are below 1e-6, the mean is {at('gradient_mean', 4096)} (at 64 {at('gradient_mean', 64)}), and 1 % of "
            f"them carry {at('gradient_top_share', 4096)} of it. Scaled, the median is "
            f"{at('gradient_median', 4096, 'scaled')}.",
        ),
    )
