"""The picture with one query's weights on its patches, the classes, what covering costs, and all weights."""

from typing import Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView
from attention_core.figures.said import said
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number, percent
from attention_core.studies.images import GRID, ImagesConfig, ImagesResult
from attention_core.studies.images.draw.names import answer_of, class_names, patch_name, token_names

LOOKS, ROWS, COSTS = 0, 3, 2  # the panels that can be pressed
_NUMBERS: Final = tuple(str(at + 1) for at in range(GRID))


def images_view(config: ImagesConfig, result: ImagesResult, *, layer: int, head: int, query: int) -> MatrixView:
    """The picture's panels.

    Args:
        config: The settings.
        result: Their result.
        layer: Whose weights are shown, counted from 0.
        head: Counted from 1; 0 for the mean of all.
        query: The token that looks: 0 collects, the patches follow.
    """
    weights = weights_of(result, layer, head)
    looks = weights[query, 1:].reshape(GRID, GRID)
    rows, columns = Axis(title=_("row"), labels=_NUMBERS), Axis(title=_("column"), labels=_NUMBERS)
    tokens = token_names()
    changed = config.shuffled or bool(config.covered)
    panels = (
        MatrixPanel(
            title=_("Where the answer looks") if query == 0 else _("Where patch {name} looks", name=tokens[query]),
            values=looks,
            rows=rows,
            columns=columns,
            quantity=_("weight"),
            scale="sequential",
            cells="weight",
            limits=(0.0, float(looks.max()) or 1.0),
            image=result.picture,
        ),
        BarsPanel(
            title=_("What is it?"),
            values=result.probabilities,
            labels=Axis(title=_("shape"), labels=class_names()),
            quantity=_("probability"),
            limits=(0.0, 1.0),
            lying=True,
            percent=True,
            before=result.before if changed else None,
        ),
        MatrixPanel(
            title=_("What covering costs"),
            values=result.costs.reshape(GRID, GRID),
            rows=rows,
            columns=columns,
            quantity=_("lead lost"),
            scale="sequential",
            limits=(0.0, max(float(result.costs.max()), 1e-3)),
            image=result.picture,
        ),
        MatrixPanel(
            title=_("All weights"),
            values=weights,
            rows=Axis(title=_("query"), labels=tokens, role="query"),
            columns=Axis(title=_("key"), labels=tokens, role="key"),
            quantity=_("weight"),
            scale="sequential",
            cells="weight",
            limits=(0.0, float(weights.max())),
            hidden=_hidden(config, weights),
        ),
    )
    return MatrixView(panels=panels, summary=_said(config, result, looks), front=1, second=1)


def weights_of(result: ImagesResult, layer: int, head: int) -> np.ndarray:
    """The weights of one head, or their mean over all (tokens, tokens)."""
    heads = result.weights[layer]
    return heads.mean(0) if head == 0 else heads[head - 1]


def _hidden(config: ImagesConfig, weights: np.ndarray) -> np.ndarray | None:
    return weights == 0 if config.window else None


def _said(config: ImagesConfig, result: ImagesResult, looks: np.ndarray) -> str:
    """What is seen: what the change did, or what the picture is taken for and what is looked at."""
    answer, sure = answer_of(result), percent(float(result.probabilities.max()))
    if config.covered:
        patch = config.covered - 1
        cost = float(result.costs[patch])
        told = {"name": patch_name(patch), "answer": answer, "sure": sure, "lead": format_number(result.lead)}
        told["size"] = format_number(abs(cost))
        if cost < 0:
            return _(
                "Without patch {name} it is taken for: {answer}, {sure}. That adds {size} to a lead of {lead}.",
                **told,
            )
        return _(
            "Without patch {name} it is taken for: {answer}, {sure}. That takes {size} from a lead of {lead}.", **told
        )
    if config.shuffled:
        was = {"was": class_names()[int(result.before.argmax())], "answer": answer, "sure": sure}
        moved = _("With its patches shuffled it is taken for: {answer}, {sure}; as drawn, for: {was}.", **was)
        return said(
            result,
            "vit-order.same",
            holds=_("Its patches are shuffled, and it is taken for the same: {answer}, {sure}.", **was),
            fails=moved,
            undecided=moved,
        )
    if np.ptp(looks.round(2)) == 0:  # as the numbers on the picture are
        return _(
            "It is taken for: {answer}, {sure}. All patches have about the same weight.", answer=answer, sure=sure
        )
    most = int(looks.argmax())
    return str(
        _(
            "It is taken for: {answer}, {sure}. Of the patches {name} has the most weight.",
            answer=answer, sure=sure, name=patch_name(most),
        )
    )  # fmt: skip


def agreement(result: ImagesResult, layer: int, head: int) -> str:
    """How far the weights of the token that collects agree with what covering costs, in a sentence; empty if nothing
    can be ranked.

    Args:
        result: The result.
        layer: Counted from 0.
        head: Counted from 1; 0 for the mean of all, of which nothing is said.
    """
    rank = float(result.ranks[layer, head - 1]) if head else np.nan
    if np.isnan(rank):
        return ""
    return str(
        _(
            "Where the answer looks and what covering costs agree with a rank correlation of {rank}.",
            rank=format_number(rank),
        )
    )  # fmt: skip
