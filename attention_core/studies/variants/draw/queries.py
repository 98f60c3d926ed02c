"""What an output takes of each word: queries of no other, keys and values of all that it sees."""

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView, Sweep
from attention_core.figures.said import said
from attention_core.figures.theme import Role
from attention_core.language import gettext as _
from attention_core.studies.variants import VariantsConfig, VariantsResult


def queries_view(config: VariantsConfig, result: VariantsResult) -> MatrixView:
    """How much each output is moved by the query, key and value of each word, and what of these a new word changes.

    Args:
        config: The settings.
        result: Their result.
    """
    n = len(result.keeps)
    labels = config.tokens[:n]
    later = np.arange(n)[:, None] > np.arange(n)[:, None, None]  # (steps, words, 1)
    output = Axis(title=_("output"), labels=labels, role="output")
    titles: tuple[tuple[str, str, Role], ...] = (
        (_("Queries that an output takes"), _("query"), "query"),
        (_("Keys that it takes"), _("key"), "key"),
        (_("Values that it takes"), _("value"), "value"),
    )
    panels: list[MatrixPanel] = [
        MatrixPanel(
            title=title,
            values=np.where(later, 0.0, taken),
            rows=output,
            columns=Axis(title=name, labels=labels, role=role),
            quantity=_("‖∂output / ∂{part}‖", part=name),
            role=role,
            scale="sequential",
        )
        for (title, name, role), taken in zip(titles, result.takes, strict=True)
    ]
    kept = MatrixPanel(
        title=_("Who changes what is kept"),
        values=np.where(later, 0.0, result.keeps),
        rows=Axis(title=_("kept key and value"), labels=labels),
        columns=Axis(title=_("changed by"), labels=labels),
        quantity=_("‖∂kept / ∂word‖"),
        note=_("In the second of two layers."),
        scale="sequential",
    )
    words = tuple(f"{i + 1}, {token}" for i, token in enumerate(labels))
    return MatrixView(
        panels=(*panels, kept),
        summary=_said(result),
        sweep=Sweep(name="word", label=_("Words so far"), values=words),
    )


def _said(result: VariantsResult) -> str:
    return said(
        result,
        "no-q-cache",
        holds=_(
            "An output takes its own query, and the keys and values of all words so far; no later word changes what "
            "is kept of these. No earlier query is needed again, so none is kept."
        ),
        fails=_(
            "An output takes its own query alone. But without a causal mask each new word changes what the second "
            "layer keeps of all others, and to make that anew their queries are needed again."
        ),
        undecided=_("There is one word here, and none before it whose query could be kept."),
    )
