"""How teacher forcing is drawn and told: one pass over a text beside a pass over each beginning of it."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView
from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import said, undone
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.studies.masks import ForcingResult, MasksConfig

_TOLD: Final = 0.005  # of a share: what is less has no digit in a cell


def forcing_view(config: MasksConfig, result: ForcingResult) -> MatrixView:
    """Which word comes next, from one pass, from a pass for each word, and how far the two are apart.

    Args:
        config: The settings.
        result: What was measured with them.
    """
    rows = Axis(title=_("after the word"), labels=result.text[result.first - 1 :], role="output")
    columns = Axis(title=_("next word"), labels=result.kinds)
    axes: dict[str, Any] = {"rows": rows, "columns": columns}
    shares = axes | {
        "quantity": _("share of the prediction"), "scale": "sequential", "cells": "percent", "limits": (0.0, 1.0),
    }  # fmt: skip
    masked = config.stack != "encoder"
    left = result.one_pass - result.each_pass
    panels = (
        MatrixPanel(
            title=_("One pass, causal mask") if masked else _("One pass, no causal mask"),
            values=result.one_pass,
            note=said(
                result,
                "forcing",
                holds=_("The weights are drawn: which word comes next is by chance here, that both agree is not."),
                fails=(chance := _("The weights are drawn: which word comes next is by chance here.")),
                undecided=chance,
            ),
            **shares,
        ),
        MatrixPanel(title=_("A pass for each row"), values=result.each_pass, **shares),
        MatrixPanel(
            title=_("The difference"),
            values=np.where(np.abs(left) < _TOLD, 0.0, left),
            quantity=_("one pass − a pass for each"),
            scale="diverging",
            limits=(-1.0, 1.0),
            **axes,
        ),
    )
    summary = said(
        result,
        "forcing",
        holds=_(
            "One pass predicts at every word what a pass over the words so far predicts: the mask hides the answers, "
            "so all next words are learned at once."
        ),
        fails=_(
            "One pass predicts something else than a pass over the words so far: a word has seen what comes after "
            "it. Only the last one, which nothing follows, predicts the same."
        ),
        undecided=_("One pass over a text, beside a pass over the words so far for each next word."),
    )
    return MatrixView(panels=panels, summary=summary, front=3)


def forcing_table(result: ForcingResult) -> Table:
    """A row for each word and each word that may come next."""
    rows = tuple(
        (at + result.first, result.text[at + result.first - 1], kind, float(one), float(each))
        for at, shares in enumerate(zip(result.one_pass, result.each_pass, strict=True))
        for kind, one, each in zip(result.kinds, *shares, strict=True)
    )
    return Table(("words so far", "the last", "next word", "one pass", "a pass for each"), rows)


def forcing_proof(result: ForcingResult) -> tuple[ProofStep, ...]:
    """Why one pass is enough, beside what was measured."""
    words, passes = len(result.text), len(result.each_pass)
    return (
        ProofStep(
            _(
                "Under a causal mask a later word has weight 0, so in the first layer nothing of it enters what "
                "comes out at a word. The second layer reads these outputs under the same mask, and so on: whatever "
                "the depth, what comes out at a word depends on the words so far. Norms and feed-forward network "
                "look at each word alone."
            ),
            measured(result, "forcing"),
            undone(result, "forcing.later"),
        ),
        ProofStep(
            _(
                "So to cut off what follows changes nothing. One pass over the whole text gives every next word that "
                "a pass over each beginning of it gives, and in training all are compared with the text at once, "
                "which is called teacher forcing: the model reads the right words, not its own."
            ),
            _(
                "One pass reads {words} words, {passes} passes {all}.",
                words=code(words), passes=code(passes), all=code(sum(range(result.first, words + 1))),
            ),
            undone(result, "forcing"),
        ),
    )  # fmt: skip
