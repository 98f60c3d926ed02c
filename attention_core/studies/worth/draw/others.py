"""One head on many texts; and what the first token gets in all heads."""

from typing import Any

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.worth import TextsResult, WorthResult, ranks
from attention_core.studies.worth.draw.words import head_name, quoted


def texts_view(result: WorthResult, texts: TextsResult) -> MatrixView:
    """What edges are worth by the decile of their weight, over many texts and in this one; and each text's rank
    correlation.

    Args:
        result: What was measured on this text.
        texts: And on many.
    """
    deciles = np.arange(1, texts.deciles.shape[1] + 1)
    low, middle, high = texts.deciles
    there = result.choosable
    bins = np.minimum((ranks(result.weights[there]) * len(deciles)).astype(int), len(deciles) - 1)
    sizes = np.abs(result.effects[there])
    mine = [float(np.median(sizes[bins == at])) if (bins == at).any() else np.nan for at in range(len(deciles))]
    by_decile = LinesPanel(
        title=_("Effect by weight"), x=deciles, x_title=_("decile of the weight"), y_title=_("size of the effect"),
        log_y=True,
        series=(
            Series(name=_("{count} texts: 10 to 90 %", count=len(texts.correlations)), values=middle,
                   band=(low, high), role="accent", growing=True),
            Series(name=_("this text"), values=np.array(mine), crosses=True, role="ink"),
        ),
    )  # fmt: skip
    each = BarsPanel(
        title=_("Rank correlation in each text"),
        values=np.nan_to_num(np.sort(texts.correlations)),
        labels=Axis(title=_("text"), labels=tuple(str(at + 1) for at in range(len(texts.correlations)))),
        quantity=_("of weight and effect"),
        limits=(min(-0.1, float(np.nanmin(texts.correlations))), 1.0),
        note=_(
            "In order of size. This text: {value}. Mean, 95 %: {low} to {high}.",
            value=format_number(float(result.correlations[0])),
            low=format_number(float(texts.interval[0])),
            high=format_number(float(texts.interval[1])),
        ),
    )
    summary = _(
        "Over {count} texts the ranks of this head’s weights and effects correlate by {mean} on average.",
        count=len(texts.correlations), mean=format_number(texts.mean),
    )  # fmt: skip
    return MatrixView(panels=(by_decile, each), summary=summary)


def sink_view(result: WorthResult) -> MatrixView:
    """How much weight the first token gets in each head, how short what it writes is, and the same key by key."""
    layers, heads = result.first.shape
    axes: dict[str, Any] = {
        "rows": Axis(title=_("layer"), labels=tuple(str(at + 1) for at in range(layers))),
        "columns": Axis(title=_("head"), labels=tuple(str(at + 1) for at in range(heads))),
    }
    word = quoted(result.tokens[0])
    first = MatrixPanel(
        title=_("Mean weight on {word}", word=word), values=result.first, quantity=_("weight"), scale="sequential",
        cells="weight", limits=(0.0, 1.0), note=_("From all words behind it."), **axes,
    )  # fmt: skip
    length = MatrixPanel(
        title=_("‖W_O v‖ of {word}, by the others’ mean", word=word), values=result.first_length,
        quantity=_("times as long"), scale="sequential", **axes,
    )  # fmt: skip
    keys = Axis(title=_("key"), labels=result.tokens, role="key")
    row = BarsPanel(
        title=_("Where {word} looks", word=quoted(result.tokens[-1])), values=result.weights[-1], labels=keys,
        quantity=_("weight"), limits=(0.0, 1.0), note=head_name(result.head),
    )  # fmt: skip
    lengths = BarsPanel(title=_("How long each value writes"), values=result.lengths, labels=keys, quantity="‖W_O v‖")
    layer, head = np.unravel_index(int(result.first.argmax()), result.first.shape)
    summary = _(
        "The head that looks most at {word} gives it {weight} of its weight on average; what it fetches there has "
        "{times} times the length of the others’.",
        word=word, weight=format_number(float(result.first.max())),
        times=format_number(float(result.first_length[layer, head])),
    )  # fmt: skip
    return MatrixView(panels=(first, length, row, lengths), summary=summary)
