"""How a layer is drawn beside another: one in which W_Q and W_K have changed places, and a full layer."""

from typing import Any

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, Panel
from attention_core.figures.panels import data_limits
from attention_core.figures.said import outcome, said
from attention_core.language import gettext as _
from attention_core.language import listed, ngettext
from attention_core.measuring.number_format import format_number
from attention_core.studies.projections import FixedResult, NamesResult, ProjectionsConfig
from attention_core.studies.projections.draw.axes import hidden_cells, token_axes


def names_panels(result: NamesResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    """Scores and outputs, each beside those of the layer with W_Q and W_K exchanged."""
    axes, hidden = token_axes(config.tokens), hidden_cells(config)
    limits = data_limits(np.stack((result.scores, result.exchanged)), "diverging")
    score: dict[str, Any] = {"quantity": _("score"), "scale": "diverging", "limits": limits, **axes}
    output: dict[str, Any] = {
        "quantity": _("output"),
        "scale": "diverging",
        "role": "output",
        "limits": data_limits(np.stack((result.output, result.output_exchanged)), "diverging"),
        "rows": axes["rows"],
        "columns": Axis(title=_("feature"), labels=tuple(str(i + 1) for i in range(config.d_model)), role="output"),
    }
    mirrored = outcome(result, "qkv-names.scores") == "holds"
    panels = (
        MatrixPanel(title=_("Scores"), values=result.scores, hidden=hidden, **score),
        MatrixPanel(
            title=_("W_Q alone changed") if config.one_side else _("W_Q and W_K exchanged"),
            values=result.exchanged,
            hidden=None if hidden is None else hidden.T,
            note=_("The same numbers, mirrored at the diagonal.") if mirrored else "",
            **score,
        ),
        MatrixPanel(title=_("Output"), values=result.output, **output),
        MatrixPanel(
            title=_("Output, W_Q alone changed") if config.one_side else _("Output, exchanged"),
            values=result.output_exchanged,
            **output,
        ),
    )
    if not config.differ and not config.one_side:
        return panels, _("There is only one word here, and no other whose score could be mirrored.")
    return panels, said(
        result,
        "qkv-names",
        holds=_(
            "The matrices of queries and keys have changed places: the scores are mirrored, and with softmax over "
            "their columns the output is the same."
        ),
        fails=_(
            "The queries' matrix alone has changed: mirrored, the scores differ by up to {scores}, and the outputs "
            "by up to {moved}.",
            scores=format_number(result.verdict("qkv-names.scores").measured),
            moved=format_number(result.moved),
        ),
        undecided=_(
            "The matrices of queries and keys have changed places; whether the output moved these numbers cannot "
            "tell."
        ),
    )


def fixed_panels(result: FixedResult, config: ProjectionsConfig) -> tuple[tuple[Panel, ...], str]:
    """Weights over places of a full layer and of attention, each of words as written and moved on by one place."""
    hidden, moved = hidden_cells(config), result.moved_words
    weight: dict[str, Any] = {"quantity": _("weight"), "scale": "sequential", "cells": "weight", "hidden": hidden}
    full: dict[str, Any] = {"quantity": "∂yᵢ/∂xⱼ", "scale": "diverging"}
    one_length = ngettext(
        "Takes {count} word, and no other number of them.", "Takes {count} words, and no other number of them.",
        len(config.tokens),
    )  # fmt: skip
    several = _("Takes any number of words, as {lengths}.", lengths=listed(map(str, result.lengths)))
    takes_all = result.taken[1] == len(result.lengths)
    panels = (
        MatrixPanel(
            title=_("Full layer"), values=result.full[0], note=one_length, **full, **_places(config.tokens)
        ),
        MatrixPanel(title=_("Full layer, moved"), values=result.full[1], **full, **_places(moved)),
        MatrixPanel(
            title=_("Attention"), values=result.weights[0], note=several if takes_all else one_length, **weight,
            **token_axes(config.tokens),
        ),
        MatrixPanel(title=_("Attention, moved"), values=result.weights[1], **weight, **token_axes(moved)),
    )  # fmt: skip
    if not config.differ:
        return panels, _("There is only one word here, and wherever it moves it meets itself.")
    return panels, said(
        result,
        "fc-fixed",
        holds=_(
            "The words have moved on by one place: the weights of the full layer stayed, and those of attention are "
            "others."
        ),
        fails=_(
            "With its weights kept attention is a full layer, too: the words have moved on by one place, and no "
            "weight has."
        ),
        undecided=_(
            "The words have moved on by one place: the weights of the full layer stayed, and whether those of "
            "attention did these numbers cannot tell."
        ),
    )


def _places(words: tuple[str, ...]) -> dict[str, Any]:
    """Rows and columns of a full layer, in which none asks: the words that stand at the places."""
    return {"rows": Axis(title=_("to"), labels=words), "columns": Axis(title=_("from"), labels=words)}
