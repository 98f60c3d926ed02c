"""What this app says of attention, asked of trained weights: biases, order, saturation, and depth."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series
from attention_core.figures.said import said
from attention_core.figures.theme import Role
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.trained import FACTORS, Head, TrainedResult
from attention_core.studies.trained.draw.heads import layers_and_heads
from attention_core.studies.trained.draw.words import head_name, percent

_ROLES: Final[tuple[Role, ...]] = ("query", "key", "value")
ROUNDED: Final = 1e-3  # of all: less than any precision here may leave
_BIASES: Final = ("b_Q", "b_K", "b_V")


def bias_view(result: TrainedResult) -> MatrixView:
    """How far the last states move without each bias of each layer."""
    layers = len(result.biases)
    names = tuple(f"{name}, {layer + 1}" for name in _BIASES for layer in range(layers))
    roles: tuple[Role, ...] = tuple(role for role in _ROLES for _ in range(layers))
    panel = BarsPanel(
        title=_("Without one bias of one layer"),
        values=result.biases.T.ravel(),
        labels=Axis(title=_("bias, layer"), labels=names, formulas=True),
        quantity=_("‖difference‖ / ‖states‖"),
        role=roles,
    )
    return MatrixView(panels=(panel,), summary=_biases_said(result))


def _biases_said(result: TrainedResult) -> str:
    q, k, v = (np.nanmax(column) if np.isfinite(column).any() else np.nan for column in result.biases.T)
    if np.isnan([q, k, v]).all():
        return _("This model has no biases of queries, keys and values to take out.")
    if np.isnan(k):
        moved = percent(np.nanmax([q, v]))
        return _("There is no key bias here; without another bias the states move by up to {moved}.", moved=moved)
    moved = percent(k)
    nothing = _("Without a key bias of any layer nothing moves, but for rounding.")
    if not np.isnan(v):
        nothing = _(
            "Without a key bias of any layer nothing moves, but for rounding; without a value bias the states move "
            "by up to {moved}.",
            moved=percent(v),
        )
    return said(
        result,
        "bias-k",
        holds=nothing,
        fails=_("The key bias counts here: without it the states move by up to {moved}.", moved=moved),
        undecided=_("Without a key bias the states move by up to {moved}.", moved=moved),
    )


def order_view(result: TrainedResult) -> MatrixView:
    """What becomes of the next word as the words before the last are shuffled."""
    said = " ".join(result.order)
    orders = (_("as it is"), _("no positions"), _("nor mask"))
    moved = _("‖difference‖ / ‖state‖")
    if result.likely:
        moved = (
            _("of the next word’s probability, share that moves")
            if result.continues
            else _("of its answer, share that moves")
        )
    panel = BarsPanel(
        title=_("Shuffled: {words}", words=said if len(said) <= 48 else said[:47] + "…"),
        values=result.shuffled,
        labels=Axis(title=_("the model"), labels=orders),
        quantity=moved,
        limits=(0.0, 1.0) if result.likely else None,
    )
    return MatrixView(panels=(panel,), summary=_order_said(result))


def _order_said(result: TrainedResult) -> str:
    if result.order == result.tokens:
        return _("There is nothing to shuffle here: give it at least three words, of which two differ.")
    whole, bare = result.shuffled[0], result.shuffled[2]
    bare_moves = _("nothing moves, but for rounding") if bare < ROUNDED else _("{share} moves", share=percent(bare))
    share = percent(whole)
    moves = (
        _("{share} of the next word’s probability moves", share=share)
        if result.continues
        else _("{share} of the probability of its answer in the last place moves", share=share)
        if result.likely
        else _("{share} of its length is how far the last state moves", share=share)
    )
    return _(
        "As the words are shuffled, {moves}; without positions and mask {bare_moves}.",
        moves=moves, bare_moves=bare_moves,
    )  # fmt: skip


def scores_view(result: TrainedResult, head: Head) -> MatrixView:
    """How decided each head is at its own scale, and what becomes of it and of its gradient at others.

    Args:
        result: The pass.
        head: Layer and head of the curve beside that of all heads.
    """
    here = FACTORS.index(result.config.factor)
    shared: dict[str, Any] = layers_and_heads(result.shape, result.off) | {"scale": "sequential"}
    largest = MatrixPanel(
        title=_("Largest weight"), values=result.largest[here], quantity=_("mean largest weight"), cells="weight",
        limits=(0.0, 1.0),
        **shared,
    )  # fmt: skip
    spread = MatrixPanel(
        title=_("Spread of the scores"), values=result.spread, quantity=_("standard deviation"), **shared
    )
    lines = tuple(
        LinesPanel(
            title=title, x=np.array(FACTORS), x_title=_("factor of the scores"), y_title=what, log_x=True,
            series=(
                Series(name=head_name(head), values=values[:, head[0], head[1]]),
                Series(
                    name=_("all heads"), values=values.mean((1, 2)), dashed=True,
                    band=(values.min((1, 2)), values.max((1, 2))),
                ),
            ),
            marked=here,
        )
        for title, what, values in (
            (_("The same at other scales"), _("mean largest weight"), result.largest),
            (_("What softmax passes back"), _("‖Jacobian‖"), result.gradient),
        )
    )  # fmt: skip
    return MatrixView(
        panels=(largest, lines[0], spread, lines[1]),
        front=2,
        summary=_largest_said(result),
    )


def _largest_said(result: TrainedResult) -> str:
    """How decided the heads are as they are set, and beside that at other scales."""
    own, here, last = (
        result.largest[at].mean() for at in (FACTORS.index(1.0), FACTORS.index(result.config.factor), -1)
    )
    if result.config.factor == 1.0:
        return _(
            "A head’s largest weight is {now} on average; with scores eight times as large it would be {then}.",
            now=percent(here),
            then=percent(last),
        )
    return _(
        "With scores {factor:g} times as large as the model has them a head’s largest weight is {now} on average; "
        "with its own it is {then}.",
        factor=result.config.factor,
        now=percent(here),
        then=percent(own),
    )


def depth_view(result: TrainedResult) -> MatrixView:
    """How many inputs the last word depends on, and how alike the words grow, layer by layer."""
    layers = np.arange(len(result.reach)).astype(float)
    n = len(result.tokens)
    reach = LinesPanel(
        title=_("Inputs that the last word depends on"), x=layers, x_title=_("layers"), y_title=_("effective number"),
        series=(
            Series(name=_("this text"), values=result.reach),
            Series(name=_("tokens there are"), values=np.full(len(layers), float(n)), dashed=True),
        ),
        limits=(0.0, n * 1.05),
    )  # fmt: skip
    near = LinesPanel(
        title=_("How alike the words are"), x=layers, x_title=_("layers"), y_title=_("mean cosine of two"),
        series=(Series(name=_("this text"), values=result.cosine),),
        limits=(min(0.0, float(result.cosine.min()) * 1.05), 1.05),
    )  # fmt: skip
    shared: dict[str, Any] = {**layers_and_heads(result.shape, result.off)}
    rank = MatrixPanel(
        title=_("Directions a head compares"),
        values=result.rank,
        quantity=_("effective rank of W_Qᵀ W_K, at most {most}", most=result.d_head),
        scale="sequential",
        limits=(0.0, float(result.d_head)),
        **shared,
    )
    top = format_number(round(float(result.reach[-1]), 1))
    above, below = (format_number(float(result.cosine[at])) for at in (-1, 0))
    closer = _("more alike than below") if result.cosine[-1] > result.cosine[0] else _("less alike than below")
    closer = _("as alike as below") if above == below else closer
    return MatrixView(
        panels=(reach, near, rank),
        summary=_(
            "At the top the last word depends on about {top} of {n} inputs; words are {closer}.",
            top=top,
            n=n,
            closer=closer,
        ),
    )
