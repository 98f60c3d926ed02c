"""How the receptive field is drawn: reach matrices layer by layer, reach against depth, and tables of both."""

from typing import Final

import numpy as np

from attention_core.figures.cells import Cells
from attention_core.figures.matrix import (
    Axis,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Series,
    Sweep,
)
from attention_core.figures.proof import ProofStep
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.language import SEMICOLON, joined, sentences
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.receptive_field import ReachTable, ReceptiveFieldResult
from attention_core.studies.receptive_field.draw.graph import soft_said

MAX_SIDE: Final = 128  # cells along a side of a reach matrix; more tokens share a cell


def reach_view(result: ReceptiveFieldResult) -> MatrixView:
    """Which inputs each token sees, 1, 2, 3 … layers up: by the argmax graph, and by autograd.

    Args:
        result: With more than 128 tokens neighbours share a cell.
    """
    tokens, layers = result.config.tokens, result.config.layers
    starts = np.arange(0, tokens, -(-tokens // MAX_SIDE))
    width = np.diff(starts, append=tokens)
    sees = np.add.reduceat(np.add.reduceat(result.sees, starts, axis=1, dtype=np.float64), starts, axis=2)
    paths = np.add.reduceat(result.paths, starts, axis=2, dtype=np.float64)
    inputs = Axis(title=_("input"), labels=_spans(starts, width), role="key")
    shared = len(starts) < tokens
    return MatrixView(
        panels=(
            MatrixPanel(
                title=_("Seen, along the largest weights"),
                values=sees / (width[:, None] * width),
                rows=Axis(title=_("token"), labels=_spans(starts, width), role="query"),
                columns=inputs,
                quantity=_("share of the cell that is seen") if shared else _("seen (1) or not (0)"),
                scale="sequential",
                cells="percent" if shared else "count",
                limits=(0.0, 1.0),
            ),
            MatrixPanel(
                title=_("Weight of all paths, by the gradient"),
                values=paths / paths.max(axis=2, keepdims=True),
                rows=Axis(title=_("token"), labels=tuple(str(i + 1) for i in result.chosen), role="query"),
                columns=inputs,
                quantity=_("∂ output / ∂ input, of the row's largest"),
                scale="sequential",
                cells="percent",
                limits=(0.0, 1.0),
            ),
        ),
        summary=_(
            "At the top, the last token's heads look at {looked_at:,} inputs; at least a little of {reached:,} "
            "reaches it.",
            looked_at=result.reach_graph[-1, -1],
            reached=result.reach_autograd[-1, -1],
        ),
        sweep=Sweep(name="layers", label=_("Layers up"), values=tuple(str(n) for n in range(1, layers + 1))),
    )


def curve_view(result: ReceptiveFieldResult) -> MatrixView:
    """Inputs that the last token sees against depth, beside (k + 1)^layers capped by the tokens, on a log axis.

    Args:
        result: Random heads also get the mean over draws, with the band of all tokens and draws.
    """
    config, random = result.config, result.random
    series = [
        Series(
            name=_(
                "one key each: ({heads} + 1)^layers, at most {tokens:,}", heads=config.heads, tokens=config.tokens
            ),
            values=_from_one(result.bound),
            dashed=True,
        ),
        Series(name=_("along the largest weights"), values=_from_one(result.reach_graph[:, -1]), role="accent"),
        Series(name=_("by the gradient"), values=_from_one(result.reach_autograd[:, -1]), role="ink"),
    ]
    if random is not None:
        band = (_from_one(random.low), _from_one(random.high))
        name = _("mean of {draws} draws, band: 98 % of their tokens", draws=format_number(random.draws))
        series.append(Series(name=name, values=_from_one(random.mean), band=band, role="pale"))
    panel = LinesPanel(
        title=_("Inputs that the last token sees"),
        x=np.arange(config.layers + 1),
        x_title=_("layers up"),
        y_title=_("inputs"),
        series=tuple(series),
        log_y=True,
        limits=(0.9, 1.1 * config.tokens),
    )
    return MatrixView(panels=(panel,), summary=reach_summary(result))


def kernel_view(result: ReceptiveFieldResult) -> MatrixView:
    """The first layer's heads as a kernel: the weight at each distance, and by how much it differs between tokens.

    Args:
        result: What was measured.
    """
    kernel = result.kernel
    heads = Axis(title=_("head"), labels=tuple(str(k + 1) for k in range(result.config.heads)))
    back = Axis(title=_("steps back"), labels=tuple(map(str, kernel.distances.tolist())))
    drawn: tuple[tuple[str, np.ndarray, str, Cells], ...] = (
        (_("Weight at each distance, mean"), kernel.weights, _("weight"), "weight"),
        (_("Its spread over the tokens"), kernel.spread, _("largest − smallest weight"), "score"),
    )
    panels = tuple(
        MatrixPanel(
            title=title, values=values, rows=heads, columns=back, quantity=quantity, scale="sequential",
            cells=cells, limits=(0.0, 1.0),
        )
        for title, values, quantity, cells in drawn
    )  # fmt: skip
    summary = _(
        "Over {tokens:,} tokens the weight at a distance differs by at most {most}; a kernel has the same at every "
        "token.",
        tokens=kernel.compared,
        most=format_number(float(kernel.spread.max())),
    )
    return MatrixView(panels=panels, summary=summary)


def table_view(table: ReachTable) -> MatrixView:
    """Inputs that the last token sees by the constructed weights, for 1 … 8 heads and 1 … 8 layers.

    Args:
        table: What was counted.
    """
    heads, layers = table.counts.shape
    panel = MatrixPanel(
        title=_("Inputs that the last of {tokens:,} tokens sees", tokens=table.tokens)
        if table.tokens > 1
        else _("Inputs that the only token sees"),
        values=table.counts,
        rows=Axis(title=_("heads"), labels=tuple(str(k + 1) for k in range(heads))),
        columns=Axis(title=_("layers"), labels=tuple(str(n + 1) for n in range(layers))),
        quantity=_("inputs seen, capped by the tokens"),
        scale="sequential",
        cells="count",
    )
    return MatrixView(panels=(panel,), summary=_table_said(table))


def _table_said(table: ReachTable) -> str:
    """Whether many layers of one head see more than one layer of many heads, and how many stacks see the most."""
    heads, layers = table.counts.shape
    most, deep, wide = int(table.counts.max()), int(table.counts[0, -1]), int(table.counts[-1, 0])
    if (table.counts == most).all():
        return _("All of {stacks} stacks see the same number of inputs: {most}.", stacks=heads * layers, most=most)
    many = _(
        "{full} of {stacks} stacks see the most that any does, {most}.",
        full=int((table.counts == most).sum()),
        stacks=heads * layers,
        most=most,
    )
    if deep > wide:
        return _("Layers help more than heads: {many}", many=many)
    return _("Heads help more than layers: {many}", many=many) if wide > deep else many


def reach_summary(result: ReceptiveFieldResult) -> str:
    """What the curve shows, and what soft heads see, in sentences."""
    reached, bound = int(result.reach_graph[-1, -1]), int(result.bound[-1])
    if result.config.soft:
        first = _(
            "One layer up the last token sees {soft:,} of the inputs, as heads are soft.", soft=result.soft_reach
        )
        top = _(
            "At the top {seen:,} count as seen; along the largest weights alone it would see {reached:,}.",
            seen=result.reach_autograd[-1, -1],
            reached=reached,
        )
        return str(sentences((first, top)))
    if reached == bound:
        said = _(
            "Layer by layer the last token sees all that is possible, {reached:,} inputs at the top.", reached=reached
        )
    else:
        said = _(
            "At the top the last token sees {reached:,} inputs, where {bound:,} would be possible.",
            reached=reached,
            bound=bound,
        )
    return str(sentences((said, soft_said(result))))


def receptive_field_table(result: ReceptiveFieldResult) -> Table:
    """One row a depth: the bound, what the last token sees each way, and the spread over all tokens."""
    columns = (
        "layers up",
        "(k + 1)^layers",
        "capped by tokens",
        "last token, argmax graph",
        "last token, autograd",
        "fewest of all tokens",
        "mean of all tokens",
        "most of all tokens",
    )
    graph, random = result.reach_graph, result.random
    rows = [
        (
            n + 1,
            (result.config.heads + 1) ** (n + 1),
            int(result.bound[n]),
            int(graph[n, -1]),
            int(result.reach_autograd[n, -1]),
            int(graph[n].min()),
            float(graph[n].mean()),
            int(graph[n].max()),
        )
        for n in range(result.config.layers)
    ]
    if random is None:
        return Table(columns, tuple(rows))
    drawn = (f"mean of {random.draws} draws", "1 % quantile", "99 % quantile")
    spread = zip(rows, random.mean, random.low, random.high, strict=True)
    return Table(
        (*columns, *drawn), tuple((*row, float(mean), float(low), float(high)) for row, mean, low, high in spread)
    )


def _from_one(values: np.ndarray) -> np.ndarray:
    """The values led by what a token sees without any layer: itself."""
    return np.concatenate(([1], values))


def _spans(starts: np.ndarray, width: np.ndarray) -> tuple[str, ...]:
    """Numbers of the tokens that share a cell, counted from 1: ``7`` or ``7–9``."""
    return tuple(
        str(start + 1) if count == 1 else f"{start + 1}–{start + count}"
        for start, count in zip(starts, width, strict=True)
    )


def proof(result: ReceptiveFieldResult) -> tuple[ProofStep, ...]:
    """Why a token sees no more than (k + 1)ⁿ inputs, and when it sees as many, beside what was counted."""
    config, reached = result.config, int(result.reach_graph[-1, -1])
    found = "  \n".join(
        f"{one.says} `{format_number(one.measured)}{f' {one.unit}' if one.unit else ''}`" for one in result.verdicts
    )
    shares = joined(
        SEMICOLON,
        (
            _(
                "{tokens:,} tokens, {layers} layers: `{share}`",
                tokens=one.tokens,
                layers=one.layers,
                share=format_number(one.mean),
            )
            for one in result.shares
        ),
    )
    return (
        ProofStep(
            _(
                "A saturated softmax looks at one :orange[key]. With k heads and the residual a token is made of k + "
                "1 tokens of the layer below, each of those of k + 1 again: at most (k + 1)ⁿ inputs after n layers."
            ),
            _(
                "({heads} + 1)^{layers}, capped by {tokens:,} tokens, is `{bound:,}`; the last token sees "
                "`{reached:,}`. A softmax that is not saturated gives each key it sees some weight: `{soft:,}` "
                "inputs in one layer.",
                heads=config.heads,
                layers=config.layers,
                tokens=config.tokens,
                bound=int(result.bound[-1]),
                reached=reached,
                soft=result.soft_reach,
            ),
            undone(result, "rf-bound"),
        ),
        ProofStep(
            _(
                "The bound is reached if no two paths end at the same input: head j of layer l looks back "
                "(j + 1)(k + 1)ˡ positions, so each path spells a number of its own in base k + 1."
            ),
            found,
            undone(result, "rf-tight"),
        ),
        ProofStep(
            _(
                "Who sees whom is counted twice: along the largest weights, and by the gradient, which tells of the "
                "real stack whether an :violet[output] changes with an input."
            ),
            _(
                "Last token: `{reached:,}` along the largest weights, `{autograd:,}` by the gradient; smallest of "
                "the looked-at weights: `{smallest}`.",
                reached=reached,
                autograd=int(result.reach_autograd[-1, -1]),
                smallest=format_number(result.smallest_weight),
            ),
        ),
        ProofStep(
            _(
                "Heads that look anywhere at random meet again on the way, and see less; with many more tokens they "
                "seldom meet."
            ),
            str(shares) or _("Choose random heads to measure it."),
            undone(result, "rf-random"),
        ),
        ProofStep(
            _(
                "A head that looks j back gives every token W_O W_V of the token j before it: tap j of a "
                "convolution's kernel, and the residual is tap 0. So k heads are a kernel of k + 1 taps. What a "
                "kernel cannot do is choose: its weight at a distance is the same at every token, a head's may "
                "depend on what stands there."
            ),
            f"`{result.verdict('head-tap').numbers}`  \n"
            + _(
                "At one distance the weights of different tokens differ by `{most}` at most.",
                most=format_number(float(result.kernel.spread.max())),
            ),
            undone(result, "head-tap"),
        ),
    )
