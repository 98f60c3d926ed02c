"""How shuffles are drawn: four matrices of weights or outputs, their table, and the residuals of all orders."""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView
from attention_core.figures.panels import AVERAGE, BarsPanel, data_limits
from attention_core.figures.proof import ProofStep
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.figures.theme import Role
from attention_core.language import AND, COMMA, gettext_lazy, joined, pgettext_lazy
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number, format_tick
from attention_core.studies.permutation import (
    AlongResult,
    BlockCase,
    BlockResult,
    DepthResult,
    OrderResult,
    PermutationResult,
    ShuffleConfig,
    ShuffleResult,
    TermsResult,
)
from attention_core.studies.permutation.draw.along import along_step
from attention_core.studies.permutation.draw.same_numbers import HALF, Measured, Quantity, picked, tally_of
from attention_core.studies.permutation.draw.terms import terms_step

MOVED: Final = {
    "perm-kv": gettext_lazy("Keys move with their values"),
    "perm-q": gettext_lazy("Queries move"),
    "perm-self": gettext_lazy("All tokens move"),
    "perm-pool": gettext_lazy("All tokens move, and their mean is taken"),
}
_NONE: Final = pgettext_lazy("how many", "none")
ROLES: Final[tuple[Role | None, ...]] = ("key", "query", None)  # what each claim moves: keys, queries, both
AFTER: Final = 1  # the panel whose rows and columns stand in the order of the chips
PAIR: Final = (0, AFTER)


def shuffle_view(
    config: ShuffleConfig, result: ShuffleResult, *, quantity: Quantity = "weights", head: str = AVERAGE,
    panels: tuple[int, ...] = (0, 1, 2, 3), other: Measured | None = None,
) -> MatrixView:  # fmt: skip
    """Before, after, undone, and what undoing leaves over; of the first two alone, where each row went.

    Args:
        config: The shuffle.
        result: Its result.
        quantity: ``weights`` (queries × keys) or ``output`` (queries × features).
        head: Number of the head whose weights are drawn, from ``1``; or their average.
        panels: Which of the four are drawn.
        other: The same shuffle with the positions that this one has not, or without those it has: how many numbers
            are the same is told of both.
    """
    drawn = _panels(config, result, quantity, head)
    return MatrixView(
        panels=tuple(drawn[i] for i in panels),
        summary=_summary(config, result, quantity, drawn[-1] if len(drawn) - 1 in panels else None),
        front=min(2, len(panels)),
        bands=config.query_order or tuple(range(len(config.tokens))) if panels == PAIR else (),
        tally=tally_of((config, result), other, quantity, head) if other else None,
    )


def _panels(
    config: ShuffleConfig, result: ShuffleResult, quantity: Quantity, head: str
) -> tuple[MatrixPanel, MatrixPanel, MatrixPanel, MatrixPanel]:
    before, after, undone = (
        picked(values, quantity, head)
        for values in (
            (result.weights_before, result.output_before),
            (result.weights_after, result.output_after),
            (result.weights_undone, result.output_undone),
        )
    )
    left = undone - before
    kind: dict[str, Any] = (
        {"scale": "sequential", "cells": "weight"}
        if quantity == "weights"
        else {"scale": "diverging", "role": "output"}
    )
    named, limits = _named(config, quantity, head), data_limits(np.stack((before, after, undone)), kind["scale"])
    rows, columns = _axes(config, quantity, before.shape[1], moved=False)
    moved_rows, moved_columns = _axes(config, quantity, before.shape[1], moved=True)

    def panel(title: str, values: np.ndarray, rows: Axis, columns: Axis) -> MatrixPanel:
        return MatrixPanel(
            title=title, values=values, rows=rows, columns=columns, quantity=named, limits=limits, **kind
        )

    shuffled = any(_moved(config))
    rounding = (-result.bound, result.bound) if np.abs(left).max() <= result.bound else None
    return (
        panel(_("As written"), before, rows, columns),
        panel(_("After the shuffle") if shuffled else _("Not shuffled"), after, moved_rows, moved_columns),
        panel(_("Put back in order"), undone, rows, columns),
        MatrixPanel(
            title=_("Difference after undoing"),
            values=left,
            rows=rows,
            columns=columns,
            quantity=_("after undoing, minus as written"),
            scale="diverging",
            limits=rounding,
        ),
    )


def follows(config: ShuffleConfig) -> tuple[Role, ...]:
    """Whose order only reorders the picture: that of queries and of keys, unless something stays in its place."""
    return ("query", "key") if config.only_reorders else ()


def pair_view(config: ShuffleConfig, result: ShuffleResult, other: Measured | None = None) -> MatrixView:
    """The weights before and after the shuffle alone, averaged over heads; see ``shuffle_view``."""
    return shuffle_view(config, result, panels=PAIR, other=other)


def shuffle_table(
    config: ShuffleConfig, result: ShuffleResult, *, quantity: Quantity = "weights", head: str = AVERAGE
) -> Table:
    """One row for each cell of the four matrices, with the tokens that stand there before and after."""
    panels = _panels(config, result, quantity, head)
    rows, columns = panels[0].rows.labels, panels[0].columns.labels
    moved_rows, moved_columns = panels[AFTER].rows.labels, panels[AFTER].columns.labels
    column = "key" if quantity == "weights" else "feature"
    slots = ("query slot", f"{column} slot", "query", column, "before")
    return Table(
        (*slots, "query after", f"{column} after", "after", "undone", "left over"),
        tuple(
            (
                i + 1,
                j + 1,
                rows[i],
                columns[j],
                float(panels[0].values[i, j]),
                moved_rows[i],
                moved_columns[j],
                *(float(panel.values[i, j]) for panel in panels[AFTER:]),
            )
            for i in range(len(rows))
            for j in range(len(columns))
        ),
    )


def residual_view(result: PermutationResult) -> MatrixView:
    """How large the residual is over the orders, claim by claim: log bins, and one of its own for exact zeros.

    Args:
        result: Residuals of each claim, order by order.
    """
    positive = np.concatenate([values[values > 0] for values in result.residuals])
    low = int(np.floor(np.log10(min(positive.min(initial=result.eps), result.eps))))
    high = int(np.ceil(np.log10(max(positive.max(initial=result.bound), result.bound))))
    starts = [digit * 10.0**decade for decade in range(low, high + 1) for digit in (1, 2, 5)]
    counts = [
        np.concatenate([[np.count_nonzero(values == 0)], np.histogram(values[values > 0], [*starts, np.inf])[0]])
        for values in result.residuals
    ]
    labels = Axis(title=_("largest difference"), labels=("0", *(format_tick(start) for start in starts)))
    bound = 0.5 + np.interp(np.log10(result.bound), np.log10(starts), np.arange(len(starts)))
    top = float(max(map(np.max, counts)))
    panels = tuple(
        BarsPanel(
            title=str(MOVED[claim]),
            values=values,
            labels=labels,
            quantity=_("orders"),
            limits=(0.0, top),
            overlay=(np.array([bound, bound]), np.array([0.0, top])),
            overlay_name=_("bound of rounding"),
            role=role,
        )
        for claim, values, role in zip(result.claims, counts, ROLES, strict=False)
    )
    return MatrixView(panels=panels, summary=residual_words(result))


def residual_words(result: PermutationResult) -> str:
    """What the histogram shows, in a sentence, and in half precision why so much of it may be exactly 0."""
    residuals = np.concatenate(result.residuals)
    zeros, above = (f"{n:,}" if n else str(_NONE) for n in ((residuals == 0).sum(), (residuals > result.bound).sum()))
    words = _(
        "Of {count:,} shuffles, undone, {above} leave more than rounding explains and {zeros} leave exactly 0; the "
        "largest difference left is {largest}.",
        count=len(residuals),
        zeros=zeros,
        above=above,
        largest=format_number(float(residuals.max())),
    )
    half = result.provenance.dtype in HALF
    if half and (residuals == 0).any() and not (residuals > result.bound).any():
        return _(
            _(
                "{words} In half precision sums are added up in float32 and rounded only at the end, so another "
                "order of the same terms nearly always gives the very same bits."
            ),
            words=words,
        )
    return words


def proof(
    shuffle: ShuffleResult, laws: PermutationResult, built: BlockResult, order: OrderResult, depth: DepthResult,
    terms: TermsResult, along: AlongResult,
) -> tuple[ProofStep, ...]:  # fmt: skip
    """The steps of the proof, each beside what was measured for it under these settings.

    Args:
        shuffle: This shuffle.
        laws: The residuals of every order.
        built: Pooling, biases and blocks.
        order: What lets attention see order.
        depth: At which depth it becomes visible.
        terms: The four terms of a score.
        along: Scores with all places moved on.
    """
    brought = joined(COMMA, [f"{name} `{format_number(change)}`" for name, change in order.brought_in])
    every = replace(laws, verdicts=(*laws.verdicts, *built.verdicts, *order.verdicts, *depth.verdicts))
    return (
        ProofStep(
            _(
                "A :blue[query] takes a weighted mean of the :green[values], Σⱼ aⱼ vⱼ, with weights from its scores "
                "with the :orange[keys]. A sum does not ask in which order its terms come."
            ),
            _(
                "This shuffle, undone, leaves `{left}`; rounding alone explains `{bound}`. {residuals}",
                left=format_number(shuffle.moved),
                bound=format_number(shuffle.bound),
                residuals=residual_words(laws),
            ),
            undone(every, "perm-kv"),
        ),
        ProofStep(
            _(
                "Every :blue[query] is treated alike and by itself: move it, and its row of the :violet[output] "
                "moves along, unchanged. That is equivariance; invariance is when nothing moves. In self-attention "
                "both happen at once, so f(σX) = σ f(X), and a mean over the rows does not change at all."
            ),
            "  \n".join(f"`{one.numbers}`" for one in laws.verdicts)
            + "  \n"
            + _(
                "Row by row as they stand, the outputs differ by `{moved}`.",
                moved=format_number(shuffle.moved_in_place),
            ),
            undone(every, "perm-q", "perm-self", "perm-pool"),
        ),
        ProofStep(
            _(
                "A whole block keeps the law. The *Notes on attention bias* (2025), a source listed under Claims, "
                "take it for lost, since LayerNorm is not invariant. But equivariance is all that is needed, and "
                "LayerNorm looks at one token at a time, as the feed-forward network and the residual do. Even "
                "BatchNorm, which looks at all tokens, does not ask for their order."
            ),
            block_words(built),
            undone(every, "perm-block"),
        ),
        ProofStep(
            _(
                "So what brings order in? What stays in its place while tokens move: a position or a mask. Biases "
                "are added to every token alike, and break nothing."
            ),
            _(
                "Without positions and mask `{without}`; with each of them alone: {brought}.",
                without=format_number(order.without),
                brought=brought,
            ),
            undone(every, "pe-order", "perm-bias"),
        ),
        terms_step(terms),
        along_step(along),
        ProofStep(
            _(
                "A causal mask is enough, given depth. In one layer the last token sees a set of words; in the "
                "second, each of them has itself seen only those before it, and so tells where it stood."
            ),
            _(
                "Over all orders of the words before it that were tried, the last output moves by `{one}` after one "
                "layer, by `{two}` after two.",
                one=format_number(depth.one_layer),
                two=format_number(depth.two_layers),
            ),
            undone(every, "nope-depth"),
        ),
        ProofStep(
            _(
                "And attention cannot count: a mean of equal values is that value, whether there are two of them or "
                "sixteen. Only positions added to the tokens make them differ."
            ),
            _(
                "One token, repeated up to 16 times: outputs differ by `{moved}`.",
                moved=format_number(depth.repeats),
            ),
            undone(every, "count-blind"),
        ),
    )


def block_words(result: BlockResult) -> str:
    """Residuals of whole blocks, placement by placement and norm by norm, as a Markdown table."""
    if not result.blocks:
        return _("A block attends to itself: leave the second sentence empty to measure it.")
    norms = tuple(dict.fromkeys(case.norm for case in result.blocks))
    rows = [("", *norms), ("---",) * (len(norms) + 1)]
    for placement in dict.fromkeys(case.placement for case in result.blocks):
        rows.append((placement, *(_held(case) for case in result.blocks if case.placement == placement)))
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def _held(case: BlockCase) -> str:
    relation = "≤" if case.residual <= case.bound else ">"
    return f"`{format_number(case.residual)} {relation} {format_number(case.bound)}`"


def _named(config: ShuffleConfig, quantity: Quantity, head: str) -> str:
    if quantity == "output":
        return _("output") if config.model == "attention" else _("output of the block")
    return _("weight, average over heads") if head == AVERAGE else _("weight in head {head}", head=head)


def _axes(config: ShuffleConfig, quantity: Quantity, width: int, *, moved: bool) -> tuple[Axis, Axis]:
    queries, keys = list(config.tokens), list(config.keys)
    if moved and config.query_order:
        queries = [queries[i] for i in config.query_order]
    if moved and config.key_order:
        keys = [keys[i] for i in config.key_order]
    rows = Axis(title=_("query"), labels=tuple(queries), role="query")
    if quantity == "output":
        return rows, Axis(title=_("feature"), labels=tuple(str(i + 1) for i in range(width)), role="output")
    return rows, Axis(title=_("key"), labels=tuple(keys), role="key")


def _moved(config: ShuffleConfig) -> tuple[bool, bool]:
    """Whether queries, and whether keys, stand in another order than they are written."""
    queries, keys = (order != tuple(range(len(order))) for order in (config.query_order, config.key_order))
    return queries, keys


def _summary(config: ShuffleConfig, result: ShuffleResult, quantity: Quantity, left: MatrixPanel | None) -> str:
    """What the shuffle did to the numbers; where they differ, how far in this picture, and what brings order in.

    It compares two orders, and tells of no move: who has just arrived saw none.
    """
    queries, keys = _moved(config)
    if not queries and not keys:
        return _("Nothing is shuffled: both pictures are the same.")
    if result.moved > result.bound:
        return _differing(config, result, left)
    why = _("attention does not see order unless told")
    if config.positions != "none" and config.carried:
        why = _("each position moved with its word")
    if not queries:
        why = _("the keys and values stand in another order, which attention does not see")
    if _bringers(config):
        why = _("what tells order makes no difference that shows here")
    if all(len(set(words)) == 1 for words in (config.tokens, config.keys)):
        why = _("all of these words are alike")
    if quantity == "weights":
        return _("Each pair of words has the same number in both orders: {why}.", why=why)
    if not queries:
        return _("Both pictures are the same: {why}.", why=why)
    return _("Each word's row holds the same numbers in both orders: {why}.", why=why)


def _differing(config: ShuffleConfig, result: ShuffleResult, left: MatrixPanel | None) -> str:
    told = joined(AND, _bringers(config)) or _("what stays in its place")
    apart = float(np.abs(left.values).max()) if left else 0.0
    if apart > result.bound:
        return _(
            "In this order the same words give other numbers, up to {left} apart, because of {told}.",
            left=format_number(apart),
            told=told,
        )
    return _("In this order the same words give another result, because of {told}.", told=told)


def _bringers(config: ShuffleConfig) -> list[str]:
    """What tells order, or takes keys from their values."""
    bringers = (
        (_("keys that leave their values behind"), config.keys_alone),
        (_("the positions"), config.positions != "none" and not config.carried),
        (_("the causal mask"), config.mask == "causal"),
    )
    return [name for name, on in bringers if on]
