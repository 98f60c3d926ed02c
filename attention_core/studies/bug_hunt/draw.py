"""How the bug hunt is drawn and told."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView, Panel
from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.language import COMMA, gettext_lazy, joined, sentences
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.bug_hunt import (
    BESIDE,
    LETTERS,
    BugHuntResult,
    IdentifiedResult,
    Probed,
)

NAMES: Final = {
    BESIDE: gettext_lazy("beside the right one"),
    "shuffle": gettext_lazy("shuffle the words"),
    "later": gettext_lazy("change a later word"),
    "second": gettext_lazy("a second sentence"),
    "padding": gettext_lazy("pad it"),
    "size": gettext_lazy("larger heads"),
    "sums": gettext_lazy("sums of rows and columns"),
}
_DONE: Final = {
    "shuffle": gettext_lazy("The words before the last are shuffled, and the last is to get what it got."),
    "later": gettext_lazy("The last word is another, and those before it are to get what they got."),
    "second": gettext_lazy("A second sentence comes into the batch, and the first is to get what it got."),
    "padding": gettext_lazy("Padding stands behind the words, and they are to get what they got."),
    "size": gettext_lazy(
        "Heads are four times as large, with the same products of queries and keys: weights are to stay."
    ),
}
FAINT: Final = 0.1  # where colours end if no difference is larger: rounding has none


def hunt_view(result: BugHuntResult, letter: str, probe: str) -> MatrixView:
    """The right one's weights, those of one of the eight, and what is not as it should be.

    Args:
        result: What was measured.
        letter: Which of the eight.
        probe: A key of ``NAMES``.
    """
    probed, at = result.probe(probe), 1 + LETTERS.index(letter)
    shown = [_weights(probed, 0, _("The right one")), _weights(probed, at, letter)]
    if probe == "sums":
        shown += _sums(probed, at, letter)
    else:
        shown += _moved(result, probed, at, letter)
    return MatrixView(panels=tuple(shown), summary=_summary(probed, at, letter), front=2, second=len(shown) - 3)


def _axes(words: tuple[str, ...]) -> dict[str, Any]:
    return {
        "rows": Axis(title=_("query"), labels=words, role="query"),
        "columns": Axis(title=_("key"), labels=words, role="key"),
    }


def _weights(probed: Probed, at: int, title: str) -> MatrixPanel:
    values, both = probed.weights[at], probed.weights[[0, at]]
    low, high = float(both.min()), max(1.0, float(both.max()))
    return MatrixPanel(
        title=title,
        values=values,
        quantity=_("mean weight"),
        scale="diverging" if low < 0 else "sequential",
        cells="weight",
        limits=(-max(-low, high), max(-low, high)) if low < 0 else (0.0, high),
        hidden=values == 0,
        hidden_as=_("no weight"),
        **_axes(probed.tokens),
    )


def _moved(result: BugHuntResult, probed: Probed, at: int, letter: str) -> list[Panel]:
    """How weights and outputs differ; with larger heads outputs are not compared."""
    words, held = result.config.tokens, probed.held
    beside = probed.name == BESIDE
    title = _("{letter} minus the right one", letter=letter) if beside else _("What moves in {letter}", letter=letter)
    shared: dict[str, Any] = {"scale": "diverging", "cells": "weight"}
    panels: list[Panel] = [
        MatrixPanel(
            title=title,
            values=probed.weights_moved[at],
            quantity=_("difference of mean weights"),
            limits=_around_zero(probed.weights_moved[at][held]),
            hidden=np.repeat(~held[:, None], len(words), axis=1),
            hidden_as=_("it may move"),
            **shared,
            **_axes(words),
        )
    ]
    if probed.name != "size":
        features = tuple(str(i + 1) for i in range(probed.outputs_moved.shape[2]))
        panels.append(
            MatrixPanel(
                title=_("Its outputs"),
                values=probed.outputs_moved[at],
                rows=Axis(title=_("word"), labels=words, role="query"),
                columns=Axis(title=_("feature"), labels=features, role="output"),
                quantity=_("difference of outputs"),
                role="output",
                limits=_around_zero(probed.outputs_moved[at][held]),
                hidden=np.repeat(~held[:, None], len(features), axis=1),
                hidden_as=_("it may move"),
                scale="diverging",
            )
        )
    return panels


def _around_zero(values: np.ndarray) -> tuple[float, float]:
    reach = max(FAINT, float(np.abs(values).max()))
    return (-reach, reach)


def _sums(probed: Probed, at: int, letter: str) -> list[Panel]:
    axes = _axes(probed.tokens)
    return [
        BarsPanel(title=title, values=probed.weights[at].sum(axis), labels=axes[side], quantity=_("sum of weights"))
        for title, axis, side in (
            (_("Rows of {letter} sum to", letter=letter), 1, "rows"),
            (_("Columns of {letter} sum to", letter=letter), 0, "columns"),
        )
    ]


def _summary(probed: Probed, at: int, letter: str) -> str:
    """What is seen, chosen by what was measured."""
    names, change = {"letter": letter}, format_number(float(probed.change[at]))
    if probed.name == BESIDE:
        if probed.stays[at]:
            return _("Beside the right one nothing of {letter} differs.", **names)
        if np.abs(probed.weights_moved[at]).max() <= probed.bound[at]:
            return _(
                "{letter} looks where the right one looks, and its outputs are others, by up to {by}.",
                by=change,
                **names,
            )
        return _(
            "{letter} looks elsewhere than the right one, and its outputs are others, by up to {by}.",
            by=change,
            **names,
        )
    if probed.name == "sums":
        if probed.stays[at]:
            return _("Each row of {letter} sums to 1, as each of the right one does.", **names)
        return _("Rows of {letter} do not sum to 1: they are off by up to {by}.", by=change, **names)
    if probed.stays[at]:
        found = _("In {letter} it stays.", **names)
    elif probed.stays[0]:
        found = _("In {letter} it moves, by up to {by}.", by=change, **names)
    else:
        found = _("In {letter} it moves, and so it does in the right one, by its positions.", **names)
    return str(sentences((_DONE[probed.name], found)))


def grid_view(result: BugHuntResult) -> MatrixView:
    """What each probe says of each of the eight."""
    stays = np.stack([probed.stays for probed in result.probed])
    return MatrixView(
        panels=(
            MatrixPanel(
                title=_("What each probe says"),
                values=stays,
                rows=Axis(title=_("probe"), labels=tuple(str(NAMES[one.name]) for one in result.probed)),
                columns=Axis(title=_("attention"), labels=(_("right"), *LETTERS)),
                quantity=_("stays"),
                scale="sequential",
                cells="allowed",
                limits=(0.0, 1.0),
                hidden=~stays,
                hidden_as=_("it moves"),
                note=_("A dot: what is to stay stays. Hatched: it moves."),
            ),
        ),
        summary=_("What each probe says of the right one, and of each of the eight."),
    )


def hunt_table(result: BugHuntResult) -> Table:
    """One row for each probe of each attention."""
    rows = tuple(
        (probed.name, name, float(probed.change[at]), float(probed.bound[at]), bool(probed.stays[at]))
        for probed in result.probed
        for at, name in enumerate(("right", *LETTERS))
    )
    return Table(("probe", "attention", "moves by", "rounding explains", "stays"), rows)


def proof(result: BugHuntResult, identified: tuple[IdentifiedResult, ...]) -> tuple[ProofStep, ...]:
    """What each choice computes, what a slip makes of it, and which probe shows that.

    Args:
        result: What the probes say.
        identified: What ``identify`` says of those that are accused.
    """
    told = "  \n".join(measured(one) for one in identified)
    return (
        ProofStep(
            _(
                "Scores are Q Kᵀ / √d_head. Heads four times as large, each number of them written four times and "
                "queries halved, double q·k, and the larger root takes that back. With 1/√d_model, 1/d_head, √d_head "
                "or no scale it does not, so weights move."
            ),
            _("Larger heads move weights by: {moved}", moved=_changes(result.probe("size"))),
            undone(result, "id-probes.size"),
        ),
        ProofStep(
            _(
                "Softmax runs over keys: Σⱼ Aᵢⱼ = 1. Over queries columns sum to 1 instead; over heads, or over "
                "the batch, nothing of a sentence does; softmax(S) ⊙ M, the mask after it, takes from rows what "
                "later words got."
            ),
            _("Sums of rows are off 1 by: {moved}", moved=_changes(result.probe("sums"))),
            undone(result, "id-probes.sums"),
        ),
        ProofStep(
            _(
                "The mask makes later scores −∞ before softmax, so a word's output is made of those up to it. "
                "Whatever lets later words in, a mask of ones added, a small number for −∞, is moved by what comes "
                "later."
            ),
            _("Another last word moves those before it by: {moved}", moved=_changes(result.probe("later"))),
            undone(result, "id-probes.later", "id-probes.second", "id-probes.padding"),
        ),
        ProofStep(
            _(
                "Heads are cut by view(B, T, H, D).transpose(1, 2). A view(B, H, T, D) gives a head parts of several "
                "words, so their order counts, as it does with positions. A weighted mean alone has none."
            ),
            _("Shuffled words move the last one by: {moved}", moved=_changes(result.probe("shuffle"))),
            undone(result, "id-probes.shuffle"),
        ),
        ProofStep(
            _(
                "No probe shows which matrix is whose: S = K Qᵀ, or V = x W_Kᵀ. Given the weights, though, each "
                "design is a function, and two functions that differ do not agree on drawn numbers: `identify` "
                "compares thousands in float64."
            ),
            str(sentences((_("Beside the right one: {moved}", moved=_changes(result.probe(BESIDE))), told))),
            str(sentences(dict.fromkeys(undone(one, "id-right", "id-names") for one in identified))),
        ),
    )


def _changes(probed: Probed) -> str:
    """What a probe moves, of each of the eight."""
    return str(joined(COMMA, (f"{letter} {code(by)}" for letter, by in zip(LETTERS, probed.change[1:], strict=True))))
