"""How each form is drawn: the plain way, the other way at work, and how far the two are apart."""

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.figures.lines import GUESS
from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series, Sweep
from attention_core.figures.said import said
from attention_core.language import gettext as _
from attention_core.language import ngettext
from attention_core.measuring.number_format import format_number
from attention_core.studies.exactness import (
    ALONE,
    BEGUN,
    BLOCKS,
    D_HEAD,
    LENGTHS,
    SHARING,
    WAYS,
    Batch,
    ExactnessConfig,
    ExactnessResult,
    Latent,
    Pairs,
    Speculation,
    Tiles,
)
from attention_core.studies.exactness.draw.parts import difference_panel

MOST = 12  # words of a vocabulary that are drawn


def exactness_view(config: ExactnessConfig, result: ExactnessResult, *, awaited: bool = False) -> MatrixView:
    """The picture of the form that was measured.

    Args:
        config: The settings.
        result: Their result.
        awaited: Whether it is still asked where a word changes: that is not to be seen yet.
    """
    part = result.part
    match part:
        case Tiles():
            return _tiles(config, result, part)
        case Batch():
            return _batch_awaited(part) if awaited else _batch(result, part)
        case Pairs():
            return _pairs(config, result, part)
        case Latent():
            return _latent(config, result, part)
        case Speculation():
            return _speculation(config, result, part)


def _tiles(config: ExactnessConfig, result: ExactnessResult, part: Tiles) -> MatrixView:
    n, words = len(config.tokens), _words(config.tokens)
    hidden = np.triu(np.ones((n, n), bool), 1) if config.causal else None
    shared: dict[str, Any] = {**words, "quantity": _("weight"), "scale": "sequential", "cells": "weight"}
    shared |= {"limits": (0.0, max(1.0, float(np.nanmax(np.nan_to_num(part.weights, posinf=1.0)))))}
    growth = LinesPanel(
        title=_("Numbers alive at once"), x=np.array(LENGTHS), x_title=_("words of the text"), y_title=_("numbers"),
        log_x=True, log_y=True,
        series=(
            Series(name=_("tile by tile"), values=part.alive[0], role="accent", pointed=True),
            Series(name=_("whole rows"), values=part.alive[1], role="ink", pointed=True),
        ),
        note=_("Counted, beside what is given, for one head."),
    )  # fmt: skip
    maxima = MatrixPanel(
        title=_("Maximum of each row so far"),
        values=np.moveaxis(np.nan_to_num(part.maxima[:, 0], neginf=0.0), 0, -1),
        rows=words["rows"],
        columns=Axis(title=_("tiles so far"), labels=tuple(str(i + 1) for i in range(len(part.order)))),
        quantity=_("largest score"),
        scale="diverging",
        note=_("Of the first head. Where it rises, what was summed up is rescaled."),
    )
    most = format_number(float(part.moved.max()))
    summary = said(
        result,
        "tile-exact",
        holds=_(
            "Each tile adds its keys and rescales what was there. After the last one every row is what softmax of "
            "the whole row gives, but for rounding: {most} at most.",
            most=most,
        ),
        fails=_(
            "Tile by tile the rows come to something else: the contexts are off by up to {most}, far more than "
            "rounding explains.",
            most=most,
        )
        if np.isfinite(part.moved).all()
        else _("Nothing is left of the rows: exp of the scores is more than a number can be."),
        undecided=_("Tile by tile, the contexts differ from those of whole rows by up to {most}.", most=most),
    )
    steps = tuple(_("{count}, tile {tile}", count=i + 1, tile=tile + 1) for i, tile in enumerate(part.order))
    return MatrixView(
        panels=(
            MatrixPanel(title=_("Whole rows"), values=part.plain, hidden=hidden, **shared),
            MatrixPanel(title=_("Tile by tile, so far"), values=part.weights, hidden=hidden, **shared),
            difference_panel(part.moved, part.bound, config.tokens),
            growth,
            maxima,
        ),
        summary=summary,
        sweep=Sweep(name="step", label=_("Tiles so far"), values=steps),
        front=3,
        second=2,
    )


def _batch(result: ExactnessResult, part: Batch) -> MatrixView:
    changed = MatrixPanel(
        title=_("Where the next word changes"),
        values=part.changed.astype(float),
        rows=Axis(title=_("computed"), labels=_ways()),
        columns=_after(part),
        quantity=_("changed"),
        scale="sequential",
        cells="weight",
        limits=(0.0, 1.0),
        note=_("Alone: beside float64. The others: beside alone."),
    )
    widest = np.repeat(part.bounds.max(axis=1)[:, None] * 2, 2, axis=1)
    ahead = replace(
        _ahead(part),
        overlay=(np.array([-0.5, len(part.words) - 0.5]), widest),
        overlay_name=_("twice what rounding may leave"),
        note=_("Only below the line can rounding change a word."),
    )
    return MatrixView(
        panels=(ahead, changed, _apart(part)),
        summary=_batch_said(result, part),
        sweep=_over_precisions(part),
        front=3,
    )


def _batch_awaited(part: Batch) -> MatrixView:
    """What there is to guess from: how sure the model is, and how far its logits move."""
    changed = LinesPanel(
        title=_("Where the next word changes"), x=np.arange(len(part.words)) + 1, x_title=_("word"),
        y_title=_("changed"), series=(), limits=(0.0, 1.2), awaits=str(GUESS),
    )  # fmt: skip
    return MatrixView(
        panels=(_ahead(part), changed, _apart(part)),
        summary=_("One text, read in four ways: the logits are not quite the same. Where does the next word change?"),
        sweep=_over_precisions(part),
        front=2,
    )


def _ahead(part: Batch) -> BarsPanel:
    return BarsPanel(
        title=_("How far the best next word is ahead"),
        values=np.repeat(part.margins[None], len(part.precisions), axis=0),
        labels=_after(part),
        quantity=_("margin of logits"),
        log_y=True,
        limits=(1e-3, float(part.margins.max()) * 3),
    )


def _apart(part: Batch) -> BarsPanel:
    return BarsPanel(
        title=_("How far the logits are off"),
        values=part.moved.max(axis=-1),
        labels=Axis(title=_("computed"), labels=_ways()),
        quantity=_("max |difference|"),
        log_y=True,
        overlay=(np.arange(len(_ways())), part.bounds),
        overlay_name=_("what rounding may leave"),
        note=_("No bar: the same, bit for bit."),
    )


def _ways() -> tuple[str, ...]:
    return (str(ALONE), *(str(each) for each in WAYS.values()))


def _after(part: Batch) -> Axis:
    return Axis(title=_("after"), labels=part.words, role="query")


def _over_precisions(part: Batch) -> Sweep:
    return Sweep(name="precision", label=_("Precision"), values=part.precisions)


def _batch_said(result: ExactnessResult, part: Batch) -> str:
    flips = int(part.changed.any(axis=(0, 1)).sum())
    times = ngettext("{count} next word", "{count} next words", flips)
    widest = format_number(float(part.margins[part.changed.any(axis=(0, 1))].max(initial=0.0)))
    if not flips:
        near = _("No precision and no way of computing changes a next word here: all margins are too wide.")
    else:
        near = _(
            "{times} change in some precision or way: each is one whose rival was near, {widest} behind at most.",
            times=times, widest=widest,
        )  # fmt: skip
    return said(
        result,
        "same-batch",
        "flip",
        holds=near,
        fails=_(
            "{times} change, even where the best was {widest} ahead: this is no rounding, it is a fault.",
            times=times, widest=widest,
        )
        if flips
        else _("The logits move by far more than rounding explains: this is a fault, though no next word changes."),
        undecided=near,
    )  # fmt: skip


def _pairs(config: ExactnessConfig, result: ExactnessResult, part: Pairs) -> MatrixView:
    shared: dict[str, Any] = {**_words(config.tokens), "quantity": _("score"), "scale": "diverging"}
    reach = max(float(np.abs(each).max()) for each in (part.neighbours, part.halves, part.unordered))
    shared["limits"] = (-reach, reach)
    numbers = tuple(str(i + 1) for i in range(D_HEAD))
    order = MatrixPanel(
        title=_("Which row goes where"),
        values=np.eye(D_HEAD)[list(part.order)],
        rows=Axis(title=_("row for halves"), labels=numbers),
        columns=Axis(title=_("row for neighbours"), labels=numbers),
        quantity=_("taken"),
        scale="sequential",
        cells="weight",
    )
    summary = said(
        result,
        "rope-pairs.same",
        holds=_(
            "Once the rows that make queries and keys are reordered, pairs of halves turn as pairs of neighbours "
            "did: not a score differs by more than rounding."
        ),
        fails=_("With the queries alone reordered, other numbers meet: the outputs are off by up to {most}.",
                most=format_number(float(part.moved.max()))),
        undecided=_("Pairs of halves and pairs of neighbours, beside each other."),
    )  # fmt: skip
    return MatrixView(
        panels=(
            MatrixPanel(title=_("Neighbours turn together"), values=part.neighbours, **shared),
            MatrixPanel(title=_("Halves turn together, rows reordered"), values=part.halves, **shared),
            difference_panel(part.moved, part.bound, config.tokens),
            MatrixPanel(
                title=_("Halves, rows as they were"), values=part.unordered,
                note=_("Where a word meets itself nothing turns, so the scores agree."), **shared,
            ),
            order,
        ),
        summary=summary,
        front=3,
        second=2,
    )  # fmt: skip


def _latent(config: ExactnessConfig, result: ExactnessResult, part: Latent) -> MatrixView:
    n = len(config.tokens)
    hidden = np.triu(np.ones((n, n), bool), 1) if config.causal else None
    shared: dict[str, Any] = {
        **_words(config.tokens), "quantity": _("weight"), "scale": "sequential", "cells": "weight", "hidden": hidden,
        "limits": (0.0, max(float(part.plain.max()), float(part.folded.max()))),
    }  # fmt: skip
    names = [ngettext("{count} head", "{count} heads", heads) for heads in SHARING]
    kept = BarsPanel(
        title=_("What is kept of each word"),
        values=part.token_bytes.astype(float),
        labels=Axis(title=_("keys and values"), labels=(*names, _("latent"))),
        quantity=_("bytes"),
    )
    summary = said(
        result,
        "mla-absorb",
        holds=_(
            "Queries that meet latents give the weights and outputs of queries that meet keys, and {size:,} bytes "
            "are kept of each word instead of {whole:,}.",
            size=int(part.token_bytes[-1]), whole=int(part.token_bytes[0]),
        ),
        fails=_(
            "With whole heads turned, folding gives other weights: the outputs are off by up to {most}. A part of "
            "each head must be kept apart for positions.",
            most=format_number(float(part.moved.max())),
        ),
        undecided=_("Queries that meet keys, and queries that meet latents."),
    )  # fmt: skip
    return MatrixView(
        panels=(
            MatrixPanel(title=_("Queries meet keys"), values=part.plain, **shared),
            MatrixPanel(title=_("Folded: queries meet latents"), values=part.folded, **shared),
            difference_panel(part.moved, part.bound, config.tokens),
            kept,
        ),
        summary=summary,
        front=3,
        second=1,
    )


def _speculation(config: ExactnessConfig, result: ExactnessResult, part: Speculation) -> MatrixView:
    new, calls = part.words[BEGUN:], int(part.calls.max()) + 1
    rows = np.zeros((calls, len(new)))
    rows[part.calls, np.arange(len(new))] = np.where(part.kept, 1.0, 0.5)
    written = MatrixPanel(
        title=_("What each call gave"),
        values=rows,
        rows=Axis(title=_("call"), labels=tuple(str(i + 1) for i in range(calls))),
        columns=Axis(title=_("new word"), labels=new, role="output"),
        quantity=_("1 kept draft, ½ its own word"),
        scale="sequential",
        cells="weight",
        limits=(0.0, 1.0),
        note=_("Each call ends with a word of its own."),
    )
    distribution = _at_each_word(result, part)
    speed = LinesPanel(
        title=_("Words for each call"), x=np.array(BLOCKS), x_title=_("words drafted at once"), y_title=_("words"),
        series=(Series(name=_("words"), values=part.by_block),), limits=(0.0, float(part.by_block.max()) * 1.1),
        marked=BLOCKS.index(config.block) if config.block in BLOCKS else None,
    )  # fmt: skip
    count = ngettext("{count} call", "{count} calls", calls)
    summary = said(
        result,
        "spec-greedy",
        "spec-dist",
        holds=_(
            "The large model is asked for {calls} instead of {words}, and what is written is what it would have "
            "written alone.",
            calls=count, words=len(new),
        ),
        fails=_("With {calls} instead of {words}, what comes out is not the large model’s any more.",
                calls=count, words=len(new)),
        undecided=_("The large model is asked for {calls} instead of {words}.", calls=count, words=len(new)),
    )  # fmt: skip
    steps = tuple(f"{i + 1}, {word}" for i, word in enumerate(new))
    return MatrixView(
        panels=(written, distribution, speed),
        summary=summary,
        sweep=Sweep(name="word", label=_("New word"), values=steps),
        front=2,
    )


def _at_each_word(result: ExactnessResult, part: Speculation) -> MatrixPanel:
    """p, q, what both share and what is written: of the words that are likeliest anywhere, and of all others."""
    order = np.argsort(-(part.target + part.drafted).max(axis=0))
    often, others = order[:MOST], order[MOST:]
    rows = np.stack([part.target, part.drafted, np.minimum(part.target, part.drafted), part.written], axis=1)
    rows = np.concatenate([rows[..., often], rows[..., others].sum(-1, keepdims=True)], axis=-1)
    return MatrixPanel(
        title=_("How likely each word is there"),
        values=rows,
        rows=Axis(title=_("distribution"), labels=(_("p, large model"), _("q, draft"), "min(p, q)", _("written"))),
        columns=Axis(title=_("word"), labels=(*(part.vocabulary[i] for i in often), _("others"))),
        quantity=_("probability"),
        scale="sequential",
        cells="weight",
        limits=(0.0, 1.0),
        note=said(
            result,
            "spec-dist",
            holds=_("What is written has the row of the large model."),
            fails=_("What is written has another row than the large model."),
            undecided="",
        ),
    )


def _words(tokens: tuple[str, ...]) -> dict[str, Any]:
    return {
        "rows": Axis(title=_("query"), labels=tokens, role="query"),
        "columns": Axis(title=_("key"), labels=tokens, role="key"),
    }
