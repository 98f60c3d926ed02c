"""One row of softmax as bars: eˢ of each key, and the share of 1 that each has of their sum."""

import numpy as np

from attention_core.figures.panels import Axis, BarsPanel, Whole
from attention_core.language import gettext as _
from attention_core.studies.anatomy import AnatomyConfig, AnatomyResult


def softmax_row(config: AnatomyConfig, result: AnatomyResult, head: int, row: int) -> BarsPanel | None:
    """The bars of one query, which share one bar as its weights do; None where they are no shares of 1.

    A bar is e^(s − max s): the factor that all of a row have in common leaves their shares as they are.

    Args:
        config: The settings.
        result: Their result.
        head: Number of the head, from 0.
        row: Number of the query, from 0.
    """
    scores, weights = result.masked[head, row], result.weights[head, row]
    if not np.isfinite(scores.max()) or not np.isfinite(weights).all():
        return None
    return BarsPanel(
        title=_("“{query}”: eˢ of each key, then its share", query=config.tokens[row]),
        values=np.exp(scores - scores.max()),
        labels=Axis(title=_("key"), labels=config.tokens, role="key"),
        quantity=_("eˢ, the largest as 1"),
        limits=(0.0, 1.0),
        lying=True,
        whole=Whole(names=config.tokens, values=weights, role=("accent",) * len(config.tokens), of_bars=True),
    )
