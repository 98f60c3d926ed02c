"""How the questions about norms are drawn: what depends on what, what comes out, what is left."""

from dataclasses import replace
from functools import singledispatch
from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Panel, Series
from attention_core.figures.panels import data_limits
from attention_core.figures.said import outcome, said
from attention_core.figures.table import Table
from attention_core.figures.theme import Tone
from attention_core.language import COMMA, joined
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.normalization import (
    DependenceResult,
    FeedForwardResult,
    LengthResult,
    NormalizationConfig,
    NormalizationResult,
    NormBiasResult,
    NormBlockResult,
)
from attention_core.studies.normalization.draw.feed_forward import feed_forward_panels, span_view
from attention_core.studies.normalization.draw.parts import WORDS, words_of

SHOWN: Final = 12
SHORT: Final = 0.01  # of a length, or of a bias: less than an eye sees
FORMS: Final = {"pre-norm": "x + f(N(x))", "post-norm": "N(x + f(x))", "residual post-norm": "x + N(f(x))"}
TONES_OF: Final[dict[str, Tone]] = {"pre-norm": "accent", "post-norm": "ink", "residual post-norm": "muted"}
Cell = tuple[int, int]


def normalization_view(config: NormalizationConfig, result: NormalizationResult, cell: Cell = (0, 0)) -> MatrixView:
    """The picture of a question.

    Args:
        config: The settings.
        result: Their result.
        cell: For the first question, token and feature of the output whose derivatives are drawn.
    """
    panels, summary = _panels(result, config, cell)
    # What survives may stand in the last, and what stands in the network's place beside it.
    front = len(panels) if isinstance(result, NormBiasResult | FeedForwardResult) else 2
    return MatrixView(panels=panels, summary=summary, front=front)


def normalization_table(config: NormalizationConfig, result: NormalizationResult, cell: Cell = (0, 0)) -> Table:
    """One row for each cell of the picture's matrices and what stands below, or for each vector of a known length.

    Args:
        config: The settings.
        result: Their result.
        cell: As in ``normalization_view``.
    """
    if isinstance(result, LengthResult):
        numbers = zip(result.before, result.after, result.lengths, result.predicted, strict=True)
        features = [f"{name}_{i + 1}" for name in "xy" for i in range(config.d_model)]
        rows = tuple(
            (i + 1, *map(float, (*x, *y, length, on_paper))) for i, (x, y, length, on_paper) in enumerate(numbers)
        )
        return Table(("vector", *features, "‖y − β1‖", "with ε, on paper"), rows)
    panels = normalization_view(config, result, cell).panels
    if isinstance(result, FeedForwardResult):
        panels += span_view(result, config).panels
    cells = [
        (panel.title, panel.rows.labels[i], panel.columns.labels[j], float(value))
        for panel in panels
        if isinstance(panel, MatrixPanel)
        for (i, j), value in np.ndenumerate(panel.values)
    ]
    if isinstance(result, DependenceResult):
        cells += [
            ("moves a token by", name, what, float(size))
            for name, sizes in zip(result.names, result.moved, strict=True)
            for what, size in zip(("other padding", "another sentence", "evaluation"), sizes, strict=True)
        ]
    return Table(("matrix", "row", "column", "value"), tuple(cells))


@singledispatch
def _panels(result: NormalizationResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    """Panels and summary of a result."""
    raise TypeError(f"no picture of {type(result).__name__}, {config.topic}, {cell}")


@_panels.register
def _dependence(result: DependenceResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    i, j = min(cell[0], config.num_tokens - 1), min(cell[1], config.d_model - 1)
    maps = result.jacobians[:, i, j]
    limits = data_limits(maps, "diverging")
    quantity = _("∂y/∂x, y at ({word}, {column})", word=WORDS[i], column=j + 1)
    shared: dict[str, Any] = {"quantity": quantity, "scale": "diverging", "limits": limits, **_axes(config)}
    titles = {"BatchNorm": _("BatchNorm, evaluation") if config.evaluation else _("BatchNorm, training")}
    notes = {result.names[0]: _("Choose a cell: it is the output y. A number is ∂y/∂x: how y follows that input.")}
    panels = tuple(
        MatrixPanel(title=titles.get(name, name), values=values, note=notes.get(name, ""), **shared)
        for name, values in sorted(zip(result.names, maps, strict=True), key=lambda one: one[0] == "RMSNorm")
    )
    return panels, said(
        result,
        "ln-deps",
        holds=_(
            "LayerNorm looks along a token, BatchNorm along a feature of all tokens. So with BatchNorm padding and "
            "neighbours change a token, and evaluation differs from training; with LayerNorm neither happens."
        ),
        fails=_(
            "LayerNorm looks along a token; BatchNorm, in evaluation, at one number alone: padding and neighbours no "
            "longer change a token, but in training it was another."
        ),
        undecided=_("The colours show what LayerNorm and BatchNorm look at."),
    )


@_panels.register
def _length(result: LengthResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    del cell
    numbers = tuple(str(i + 1) for i in range(SHOWN))
    axes: dict[str, Any] = {
        "rows": Axis(title=_("vector"), labels=numbers),
        "columns": Axis(title=_("feature"), labels=tuple(str(i + 1) for i in range(config.d_model))),
    }
    lengths = BarsPanel(
        title=_("Length ‖y − β1‖"),
        values=result.lengths[:SHOWN],
        labels=Axis(title=_("vector"), labels=numbers),
        quantity="‖y − β1‖",
        limits=(0.0, 1.15 * result.radius or 1.0),
        overlay=(np.array([-0.5, SHOWN - 0.5]), np.full(2, result.radius)),
        overlay_name="|γ|√d",
    )
    panels = (
        MatrixPanel(
            title=_("Before"),
            values=result.before[:SHOWN],
            quantity="x",
            scale="diverging",
            note="" if config.d_model == 3 else _("With three features a circle in space is drawn as well."),
            **axes,
        ),
        MatrixPanel(title=_("After LayerNorm"), values=result.after[:SHOWN], quantity="y", scale="diverging", **axes),
        lengths,
    )
    return panels, _lengths_said(result)


def _lengths_said(result: LengthResult) -> str:
    """Whether all vectors come out at one length, and where not, how long they are."""
    lengths, radius = result.lengths[:SHOWN], format_number(result.radius)
    if np.isnan(lengths).any():
        return _("A constant token without ε is 0 ÷ 0: nothing comes out that has a length.")
    least, most = (format_number(float(end)) for end in (lengths.min(), lengths.max()))
    spread = _(
        "The lengths run from {least} to {most}, beside {radius} of the line.", least=least, most=most, radius=radius
    )
    off = np.abs(lengths - result.radius) > SHORT * result.radius
    short = off & (lengths < result.radius)
    apart = spread
    if short.all() and least == most:
        apart = _("All of these come out {length} long, shorter than the line.", length=least)
    elif short.all():
        apart = _("All of these come out shorter than the line: from {least} to {most}.", least=least, most=most)
    elif (off == short).all() and short.any():
        apart = _("Vectors that are small beside ε come out short; the others reach the line.")
    return said(
        result,
        "ln-norm.sphere",
        holds=_("Whatever goes in, every token comes out at one length, {length}.", length=radius),
        fails=apart,
        undecided=spread,
    )


@_panels.register
def _bias(result: NormBiasResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    del cell
    limits = data_limits(result.moved, "diverging")
    shared: dict[str, Any] = {"quantity": _("with − without"), "scale": "diverging", "limits": limits}
    panels = tuple(
        MatrixPanel(
            title=str(name),
            values=values,
            note=_("Nothing is left of the bias.") if size < SHORT else "",
            **shared,
            **_axes(config),
        )
        for name, values, size in zip(result.names, result.moved, result.largest, strict=True)
    )
    return panels, _left_said(result)


def _left_said(result: NormBiasResult) -> str:
    """What each norm removes of a bias: all where little enough is left, nothing where all moves the output."""
    batch, mean, rest, rms = (
        outcome(result, f"bias-norm.{key}") for key in ("batch", "layer-mean", "layer-rest", "rms")
    )
    every, none, open_ = _("all of it"), _("nothing of it"), _("what cannot be told here")
    layer = {"holds": _("only its mean"), "fails": every, "undecided": open_}[rest] if mean == "holds" else open_
    return _(
        "Of a bias that is added before a norm, BatchNorm removes {batch}, LayerNorm {layer}, RMSNorm {rms}.",
        batch={"holds": every, "fails": none, "undecided": open_}[batch],
        layer=layer if mean != "fails" else none,
        rms={"holds": none, "fails": every, "undecided": open_}[rms],
    )


@_panels.register
def _block(result: NormBlockResult, config: NormalizationConfig, cell: Cell) -> tuple[tuple[Panel, ...], str]:
    del cell
    slots = Axis(title=_("token"), labels=tuple(str(WORDS[i]) for i in result.order))
    features = Axis(title=_("feature"), labels=tuple(str(i + 1) for i in range(config.d_model)))
    worst = [float(values.max()) for values in result.residuals]
    top = max(result.bounds) if max(worst) <= max(result.bounds) else float(np.abs(result.left).max()) or 1.0
    shared: dict[str, Any] = {"quantity": "f(σX) − σf(X)", "scale": "diverging", "limits": (-top, top)}
    panels = tuple(
        MatrixPanel(
            title=_("{name}: {value}", name=capital(name), value=FORMS[name]),
            values=values,
            rows=slots,
            columns=features,
            **shared,
        )
        for name, values in zip(result.placements, result.left, strict=True)
    )
    most = format_number(max(worst))
    return panels, said(
        result,
        "perm-block",
        holds=_(
            "Permute the tokens of a block and its outputs follow: in order again, they differ by rounding alone."
        ),
        fails=_("Permuting the tokens changes numbers, by up to {most}.", most=most),
        undecided=_("Permute the tokens of a block: in order again, its outputs differ by {most}.", most=most),
    )


@_panels.register
def _feed_forward(
    result: FeedForwardResult, config: NormalizationConfig, cell: Cell
) -> tuple[tuple[Panel, ...], str]:
    del cell
    return feed_forward_panels(result, config)


def depth_view(result: NormBlockResult) -> MatrixView:
    """What each placement keeps through a stack of blocks: a token's length, and its direction.

    Args:
        result: The result about a block.
    """
    drawn = (
        (_("Length of a token"), result.stretched, _("length ÷ √d")),
        (_("Likeness to what it was at first"), result.alike, _("cosine")),
    )
    panels = tuple(
        LinesPanel(
            title=title, x=np.arange(values.shape[1]), x_title=_("blocks"), y_title=quantity,
            series=tuple(
                Series(name=_("{name}: {value}", name=name, value=FORMS[name]), values=row, role=TONES_OF[name])
                for name, row in zip(result.placements, values, strict=True)
            ),
        )
        for title, values, quantity in drawn
    )  # fmt: skip
    return MatrixView(panels=panels, summary=values_after(result))


def place_view(result: NormBlockResult) -> MatrixView:
    """As ``depth_view``, for the place of the picture, below which stands less to read."""
    pre, post, _residual = (format_number(float(alike[-1])) for alike in result.alike)
    told = _(
        "After all blocks the cosine of a word to what it was is {pre} with pre-norm and {post} with post-norm.",
        pre=pre, post=post,
    )  # fmt: skip
    return replace(depth_view(result), summary=told)


def values_after(result: NormBlockResult) -> str:
    """How long tokens are, and how like what they were, after the last block of each placement."""
    ends = (
        _(
            "{name} {length} and {cosine}",
            name=name, length=format_number(float(length[-1])), cosine=format_number(float(alike[-1])),
        )
        for name, length, alike in zip(result.placements, result.stretched, result.alike, strict=True)
    )  # fmt: skip
    return _(
        "After {blocks} blocks a token's length ÷ √d and its cosine to what it was are: {ends}.",
        blocks=result.stretched.shape[1] - 1, ends=joined(COMMA, ends),
    )  # fmt: skip


def capital(text: str) -> str:
    """The text with a capital; a symbol stays as it is."""
    said = str(text)
    return said[:1].upper() + said[1:] if said[:1].isascii() else said


def _axes(config: NormalizationConfig) -> dict[str, Any]:
    return {
        "rows": Axis(title=_("token"), labels=words_of(config)),
        "columns": Axis(title=_("feature"), labels=tuple(str(i + 1) for i in range(config.d_model))),
    }
