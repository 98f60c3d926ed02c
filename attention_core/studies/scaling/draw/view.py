"""What becomes of scores, weights and gradient as heads grow, and in the second look single scores and Jacobians."""

from collections.abc import Sequence

import numpy as np

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
from attention_core.figures.theme import Tone
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.scaling import D_HEADS, ScalingPicture, ScalingResult, ScalingSide, check_d_head
from attention_core.studies.scaling.draw.curves import AWAITED, D_HEAD, decades, label, spoken


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
    sweep = Sweep(name="d_head", label=str(D_HEAD), values=tuple(f"{size:,}" for size in D_HEADS))
    at = check_d_head(d_head)
    summary = _(
        "At this size the best key takes {one} of the weight {first}, and {other} {second}.",
        one=f"{first.largest_weight(at):.2f}",
        other=f"{second.largest_weight(at):.2f}",
        first=spoken(first.name),
        second=spoken(second.name),
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
    axes = {"title": title, "x": np.array(D_HEADS), "x_title": str(D_HEAD), "log_x": True, "log_y": True}
    axes["y_title"] = _("gradient that reaches a typical query")
    if result is None:
        return LinesPanel(**axes, series=(), limits=AWAITED, awaits=str(GUESS))
    curves = {one.name: one.gradient_median for one in result.curves}
    series = tuple(
        Series(name=_short(side.name), values=curves[side.name], role=_tone(side.name), pointed=True)
        for side in sides
    )
    limits, below = decades([one.values for one in series])
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
