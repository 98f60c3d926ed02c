"""The heads of a trained model: where each looks from the last word, all of them at once, and what each is for."""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from attention_core.figures.cells import Cells
from attention_core.figures.matrix import Arcs, Axis, BarsPanel, MatrixPanel, MatrixView, Panel, Whole
from attention_core.figures.theme import Role, Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, pgettext_lazy
from attention_core.measuring.number_format import percent
from attention_core.studies.trained import KINDS, AccuracyResult, Head, HeadsResult, TrainedResult
from attention_core.studies.trained.draw.words import (
    COLOURS,
    MEMBERS,
    OFF,
    greyed,
    head_name,
    heads_axis,
    next_said,
    quoted,
    short_name,
)

ASKED: Final = {
    "agreement-near": gettext_lazy("verb at once"),
    "agreement-phrase": gettext_lazy("past a phrase"),
    "agreement-clause": gettext_lazy("past a clause"),
    "agreement-bracket": gettext_lazy("past brackets"),
    "agreement-noun": gettext_lazy("noun at once"),
    "agreement-described": gettext_lazy("past how it is"),
    "agreement-place": gettext_lazy("past a place"),
    "measure": gettext_lazy("measure word"),
    "pronoun": gettext_lazy("he, she, it, they"),
    "reflexive": gettext_lazy("himself, itself"),
    "closing": gettext_lazy("closing ) or ”"),
    "names": gettext_lazy("name again"),
    "reverse": gettext_lazy("the letter"),
    "induction": gettext_lazy("the letter"),
}
ROOM: Final = 1.5  # times the likeliest word with all heads on: a bar that rises above it mostly keeps this scale
GUESSED: Final = 0.1  # above chance: what is right less often is called a guess
SHORT: Final = {
    "previous": gettext_lazy("word before"),
    "same": gettext_lazy("same word"),
    "induction": gettext_lazy("what followed"),
    "agreement": gettext_lazy("deciding word"),
}


def next_view(result: TrainedResult, head: Head, rows: tuple[Head, ...]) -> MatrixView:
    """Where every head looks from the last word, with arcs for one of them, and what comes next.

    Args:
        result: The pass.
        head: Layer and head of the one with arcs.
        rows: The heads that have a row each; empty for a cell each.
    """
    next_word = (next_panel(result),) if result.likely else ()
    return MatrixView(panels=(from_last(result, head, rows), *next_word), summary=next_said(result, head))


def large_view(result: TrainedResult, head: Head) -> MatrixView:
    """One head in large, from every word.

    Args:
        result: The pass.
        head: Layer and head.
    """
    panel = head_panel(result, head)
    return MatrixView(panels=(panel,), summary=panel.title)


def next_panel(result: TrainedResult) -> BarsPanel:
    """The likeliest next tokens, or last answers, each where it stands with all heads on, and what it was then.

    Where the text decides between two kinds of words one bar above them shows how likely each kind is.
    """
    tones: tuple[Tone, ...] = tuple(COLOURS.get(kind, "muted") for kind in result.kind)
    first = quoted(result.foremost)
    answer = _("Answer in the last place: {word}", word=first)
    return BarsPanel(
        title=_("Next word: {word}", word=first) if result.continues else answer,
        values=result.probabilities,
        labels=Axis(title=_("word"), labels=result.likely),
        quantity=_("probability"),
        limits=(0.0, max(float(result.probabilities.max()), ROOM * float(result.before.max()))),
        role=tones if result.kinds else None,
        lying=True,
        percent=True,
        before=result.before if result.off else None,
        whole=_kinds_of_words(result) if result.kinds else None,
    )


def _kinds_of_words(result: TrainedResult) -> Whole:
    """How likely each kind of words is next, and all others."""
    shares = np.vstack((result.shares, np.maximum(0, 1 - result.shares.sum(0))))
    return Whole(
        names=(*(str(MEMBERS[kind]) for kind in result.kinds), _("other words")),
        values=shares[:, 0],
        before=shares[:, 1] if result.off else None,
        role=(*(COLOURS[kind] for kind in result.kinds), "muted"),
    )


def from_last(result: TrainedResult, head: Head, rows: tuple[Head, ...]) -> MatrixPanel:
    """Where each head looks from the last word: a row for each; where none has one, how much each gives one word."""
    last = result.weights[:, :, -1]
    shared: dict[str, Any] = {
        "quantity": _("weight"), "scale": "sequential", "cells": "percent", "limits": (0.0, 1.0),
    }  # fmt: skip
    if rows:
        return MatrixPanel(
            title=_("Where {word} looks", word=quoted(result.tokens[-1])),
            values=np.array([last[one] for one in rows]),
            rows=heads_axis(rows),
            columns=Axis(title=_("key"), labels=result.tokens, role="key"),
            arcs=_arcs(result, head, rows.index(head)) if head in rows else None,
            **switched_rows(result.off, rows, len(result.tokens)),
            **shared,
        )
    token = int(last[head].argmax())
    return MatrixPanel(
        title=_("From {last} to {word}", last=quoted(result.tokens[-1]), word=quoted(result.tokens[token])),
        values=last[..., token],
        **layers_and_heads(result.shape, result.off),
        **shared,
    )


def layers_and_heads(shape: tuple[int, ...], off: tuple[Head, ...]) -> dict[str, Any]:
    """Rows of layers and columns of heads, with those in grey that are off."""
    names = (("rows", _("layer"), shape[0]), ("columns", _("head"), shape[1]))
    axes = {side: Axis(title=name, labels=tuple(str(i + 1) for i in range(n))) for side, name, n in names}
    return axes | greyed(off, shape)


def _arcs(result: TrainedResult, head: Head, row: int) -> Arcs:
    """Where one head looks from the last word, above the words."""
    weights, name = result.weights[head][-1], short_name(head)
    most = int(weights.argmax())
    told = {"head": name, "share": percent(float(weights[most])), "word": quoted(result.tokens[most])}
    off = head in result.off
    label = _("head {head} is off", head=name) if off else _("head {head}: {share} on {word}", **told)
    return Arcs(row=row, column=len(result.tokens) - 1, label=label, off=off)


def switched_rows(off: tuple[Head, ...], rows: tuple[Head, ...], columns: int) -> dict[str, Any]:
    """A switch for each row of a head, and in grey those that are off."""
    return {
        "hidden": np.repeat([[head in off] for head in rows], columns, axis=1),
        "hidden_as": str(OFF),
        "switches": tuple(head not in off for head in rows),
    }


def head_panel(result: TrainedResult, head: Head) -> MatrixPanel:
    """One head in large."""
    name = head_name(head).capitalize()
    return MatrixPanel(
        title=_("{head} (off)", head=name) if head in result.off else name,
        values=result.weights[head],
        rows=Axis(title=_("query"), labels=result.tokens, role="query"),
        columns=Axis(title=_("key"), labels=result.tokens, role="key"),
        quantity=_("weight"),
        scale="sequential",
        cells="weight",
        limits=(0.0, 1.0),
        hidden=result.hidden[head[0]],
    )


def grid_view(result: TrainedResult, head: Head) -> MatrixView:
    """All heads at once, layers below each other and heads side by side, and one in large.

    Args:
        result: The pass.
        head: Layer and head of the one in large.
    """
    layers, heads = result.shape
    n = len(result.tokens)
    rows, columns = (
        Axis(title=name, labels=result.tokens * count, role=role, groups=tuple(map(str, range(1, count + 1))))
        for name, role, count in _sides(layers, heads)
    )
    squares = np.kron(greyed(result.off, result.shape)["hidden"], np.ones((n, n), dtype=bool))
    hidden_as = _("hidden by the mask, or switched off") if result.off else _("hidden by the mask")
    grid = MatrixPanel(
        title=_("All heads"),
        values=result.weights.transpose(0, 2, 1, 3).reshape(layers * n, heads * n),
        rows=rows,
        columns=columns,
        quantity=_("weight"),
        scale="sequential",
        cells="weight",
        limits=(0.0, 1.0),
        hidden=np.tile(result.hidden.reshape(layers * n, n), (1, heads)) | squares,
        hidden_as=hidden_as,
    )
    kinds: tuple[tuple[str, str, np.ndarray, Cells], ...] = (
        (_("Entropy of a row"), _("mean, bits"), result.entropy, "score"),
        (_("How far it looks back"), _("mean, places"), result.distance, "score"),
        (_("Weight on the first token"), _("mean, weight"), result.first, "weight"),
    )
    further: dict[str, Any] = layers_and_heads(result.shape, result.off) | {"scale": "sequential"}
    means = (
        MatrixPanel(title=title, values=values, quantity=mean, cells=cells, **further)
        for title, mean, values, cells in kinds
    )
    on = np.where(greyed(result.off, result.shape)["hidden"], np.inf, result.entropy)
    firm = np.unravel_index(int(on.argmin()), result.shape)
    return MatrixView(
        panels=(grid, replace(head_panel(result, head), hidden_as=hidden_as), *means),
        front=2,
        summary=_(
            "Each small square is a head; {head} spreads its weight least.",
            head=head_name((int(firm[0]), int(firm[1]))),
        )
        if np.isfinite(on).any()
        else _("Each small square is a head; all are switched off."),
    )


def _sides(layers: int, heads: int) -> tuple[tuple[str, Role, int], tuple[str, Role, int]]:
    return (_("layer"), "query", layers), (_("head"), "key", heads)


def roles_view(
    found: HeadsResult, accuracy: AccuracyResult | None, off: tuple[Head, ...], rows: tuple[Head, ...]
) -> MatrixView:
    """What each head is for, by measurement, and what the model is worth without it.

    Args:
        found: The heads' scores.
        accuracy: Accuracy on each construction; None for a model that was brought.
        off: Layer and head of those that are switched off.
        rows: The heads that have a row each; empty for a cell each.
    """
    kinds = {kind: at for at, kind in enumerate(KINDS) if np.isfinite(found.chance).all() or kind != "agreement"}
    shared: dict[str, Any] = {
        "quantity": _("mean weight"), "scale": "sequential", "cells": "weight", "limits": (0.0, 1.0),
    }  # fmt: skip
    if not rows:
        shared |= layers_and_heads(found.scores.shape[1:], off)
        panels: tuple[Panel, ...] = tuple(
            MatrixPanel(title=str(SHORT[kind]).capitalize(), values=found.scores[at], **shared)
            for kind, at in kinds.items()
        )
        return MatrixView(panels=panels, summary=_roles_said(found))
    scores = MatrixPanel(
        title=_("What each head looks at"),
        values=np.array([found.scores[(slice(None), *head)] for head in rows])[:, [*kinds.values()]],
        rows=heads_axis(rows),
        columns=Axis(
            title=str(pgettext_lazy("of a head", "score")), labels=tuple(str(SHORT[kind]) for kind in kinds)
        ),
        **switched_rows(off, rows, len(kinds)),
        **shared,
    )
    if accuracy is None:
        return MatrixView(panels=(scores,), summary=_roles_said(found))
    each = zip(heads_axis(rows).labels, (accuracy.each[head] for head in rows), strict=True)
    answers = {_("all on"): accuracy.whole} | dict(each)
    if len(accuracy.off) > 1:
        answers[_("these off")] = accuracy.left
    without = MatrixPanel(
        title=_("Right answers with one head off"),
        values=np.array([*answers.values(), accuracy.chance]),
        rows=Axis(title=str(pgettext_lazy("heads", "off")), labels=(*answers, _("chance"))),
        columns=Axis(title=_("asked for"), labels=tuple(str(ASKED[name]) for name in accuracy.names)),
        quantity=_("share that is right"),
        scale="sequential",
        cells="percent",
        limits=(0.0, 1.0),
    )
    return MatrixView(panels=(scores, without), summary=_roles_said(found, accuracy))


def _roles_said(found: HeadsResult, accuracy: AccuracyResult | None = None) -> str:
    head = found.best("agreement")
    if head is None or accuracy is None:
        best = found.best("previous") or (0, 0)
        return _("The head that looks most at the word before is {head}.", head=head_name(best))
    about = [at for at, name in enumerate(accuracy.names) if name.startswith("agreement")] or [0]
    lost = max(about, key=lambda at: accuracy.whole[at] - accuracy.each[head][at])
    left, falls = accuracy.each[head][lost], accuracy.whole[lost] - accuracy.each[head][lost]
    told = {"head": head_name(head).capitalize(), "asked": accuracy.labels[lost]}
    if left < accuracy.chance[lost] + GUESSED:
        return _("{head} looks most at the word that decides; without it {asked} is no more than a guess.", **told)
    if falls > GUESSED:
        return _("{head} looks most at the word that decides; without it {asked} comes out less often.", **told)
    return _(
        "{head} looks most at the word that decides; without it {asked} comes out almost as often as with it.", **told
    )
