"""Products beside additive scores: the weights of both, and the singular values of their scores."""

import numpy as np

from attention_core.figures.matrix import Axis, LinesPanel, MatrixPanel, MatrixView, Series
from attention_core.figures.panels import of_head
from attention_core.figures.said import said
from attention_core.language import gettext as _
from attention_core.language import sentences
from attention_core.studies.variants import D_HEAD, VariantsConfig, VariantsResult

_LOWEST = 1e-6  # below it a log axis would show how small rounding is, and not that something ends


def additive_view(config: VariantsConfig, result: VariantsResult, head: str) -> MatrixView:
    """Whom words look at by products and by additive scores, and how many directions the scores of a head have.

    Args:
        config: The settings.
        result: Their result.
        head: Whose weights are shown, ``1`` … ``8``, or the average.
    """
    weights = [of_head(each, head) for each in (result.full, result.additive)]
    hidden = np.triu(np.ones(weights[0].shape, bool), 1) if config.causal else None
    limits = (0.0, max(float(np.nanmax(each)) for each in weights) or 1.0)
    matrices = tuple(
        MatrixPanel(
            title=title,
            values=values,
            rows=Axis(title=_("query"), labels=config.tokens, role="query"),
            columns=Axis(title=_("key"), labels=config.tokens, role="key"),
            quantity=_("weight"),
            scale="sequential",
            cells="weight",
            limits=limits,
            hidden=hidden,
            note=note,
        )
        for title, values, note in zip(
            (_("Products, q · k (Luong)"), _("Additive, w · tanh(q + k) (Bahdanau)")),
            weights,
            (_("One number for each pair."), _("{size} tanh, and as many numbers, for each pair.", size=D_HEAD)),
            strict=True,
        )
    )
    dots, sums = result.spectra
    spectrum = LinesPanel(
        title=_("Singular values of the scores"),
        x=np.arange(1, len(dots) + 1),
        x_title=_("number of the singular value; a head has {size} numbers", size=D_HEAD),
        y_title=_("beside the largest"),
        series=(
            Series(name=_("additive"), values=np.maximum(sums, _LOWEST), role="accent", pointed=True),
            Series(name=_("products"), values=np.maximum(dots, _LOWEST), role="ink", pointed=True),
        ),
        log_y=True,
        limits=(_LOWEST, 1.5),
        note=_("Of {count} drawn words, in one head; what is smaller lies on the floor.", count=len(dots)),
        marked=D_HEAD - 1,
    )
    return MatrixView(panels=(*matrices, spectrum), summary=_said(result))


def _said(result: VariantsResult) -> str:
    rank = said(
        result,
        "additive-rank",
        holds=_(
            "Products of query and key end after as many directions as a head has numbers, additive scores do not."
        ),
        fails=_("Without tanh an additive score has two parts, and softmax cancels the query’s."),
        undecided=_("How many directions additive scores have is not decided in this precision."),
    )
    cost = said(
        result,
        "additive-cost",
        holds=_("For it each pair of words takes {size} tanh, and {size} times the memory.", size=D_HEAD),
        fails="",
        undecided="",
    )
    order = said(
        result,
        "additive-order",
        holds=_("Additive scores know nothing of the order of words."),
        fails=_("Here additive scores are told the order of words."),
        undecided="",
    )
    return str(sentences((rank, cost, order)))
