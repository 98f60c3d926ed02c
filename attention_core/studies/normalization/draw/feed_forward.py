"""How the feed-forward network is drawn: which words each part of a block looks at, and where its results lie."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView, Panel
from attention_core.figures.said import said
from attention_core.language import gettext as _
from attention_core.measuring.number_format import percent
from attention_core.studies.normalization import FeedForwardResult, NormalizationConfig
from attention_core.studies.normalization.draw.parts import words_of

SEEN: Final = 0.005  # of a length: what is less has no digit in a cell


def feed_forward_panels(result: FeedForwardResult, config: NormalizationConfig) -> tuple[tuple[Panel, ...], str]:
    """What depends on what in a block: first attention, then the feed-forward network; and the summary."""
    words = words_of(config)
    shared: dict[str, Any] = {
        "rows": Axis(title=_("what comes out at"), labels=words),
        "columns": Axis(title=_("depends on"), labels=words),
        "quantity": _("largest |∂y/∂x|"),
        "scale": "sequential",
        "limits": (0.0, float(result.depends.max())),
    }
    second = _("2 Attention in its place") if config.attention_instead else _("2 Feed-forward network")
    notes = (
        _("A number: how much a word's output follows the word of the column, at most."),
        "",
        _("Its {count} weights are the same whatever the words are, and for {words} words only.",
          count=result.places, words=len(words)),
    )  # fmt: skip
    titles = (_("1 Attention"), second, _("Instead: fully connected over places"))
    panels = tuple(
        MatrixPanel(title=title, values=values, note=note, **shared)
        for title, values, note in zip(titles, result.depends, notes, strict=True)
    )
    return panels, said(
        result,
        "ffn-alone",
        holds=_(
            "Attention mixes words; the feed-forward network then changes each word by itself: nothing of another "
            "enters."
        ),
        fails=_("With attention in its place every word depends on others once more."),
        undecided=_("Which words each part of a block looks at."),
    )


def span_view(result: FeedForwardResult, config: NormalizationConfig) -> MatrixView:
    """Below the picture: how much lies outside of what the values span, and where a block's parameters are.

    Args:
        result: The result about the feed-forward network.
        config: Its settings.
    """
    attention, feed, norms = result.parameters
    outside = MatrixPanel(
        title=_("Outside of what the values span"),
        values=np.where(result.outside < SEEN, 0.0, result.outside).T,
        rows=Axis(title=_("vector"), labels=(_("context"), _("after the network"))),
        columns=Axis(title=_("word"), labels=words_of(config)),
        quantity=_("share of the length"),
        scale="sequential",
        cells="percent",
        limits=(0.0, 1.0),
        note=_("Empty: nothing of it lies outside."),
    )
    shares = BarsPanel(
        title=_("Parameters of a block"),
        values=np.array(result.parameters) / sum(result.parameters),
        labels=Axis(title=_("part"), labels=(_("attention"), _("feed-forward"), _("norms"))),
        quantity=_("share of the parameters"),
        lying=True,
        percent=True,
        note=_(
            "{attention:,}, {feed:,} and {norms:,}; between its layers the network is four times as wide as a word.",
            attention=attention, feed=feed, norms=norms,
        ),
    )  # fmt: skip
    kept = said(
        result,
        "ffn-span",
        holds=_(
            "A context stays within what the values span: it is a mixture of them. The feed-forward network leaves "
            "it, by {least} of a word's length and more.",
            least=percent(float(result.outside[:, 1].min())),
        ),
        fails=_("There are no more features than words: the values span all there is, and nothing can leave it."),
        undecided=_("How much of a context, and of what the network makes of it, the values do not span."),
    )
    return MatrixView(panels=(outside, shares), summary=kept)
