"""How scores are drawn whose places all move on together, of two kinds of positions, and what is told of them."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView
from attention_core.figures.panels import AVERAGE, data_limits, of_head
from attention_core.figures.proof import ProofStep, measured
from attention_core.figures.said import said, undone
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.permutation import ALL_NAMES, AlongResult, PermutationConfig

_WHERE: Final = ("here", "there")


def along_view(config: PermutationConfig, result: AlongResult, head: str = AVERAGE) -> MatrixView:
    """The scores at the first places and at later ones, with the page's positions and with others beside them.

    Args:
        config: The text.
        result: Its scores.
        head: Number of the head that is drawn, from ``1``; or their average.
    """
    scores = _scores(result, head)
    rows = Axis(title=_("query"), labels=config.tokens, role="query")
    columns = Axis(title=_("key"), labels=config.keys, role="key")
    shared: dict[str, Any] = {
        "rows": rows,
        "columns": columns,
        "quantity": _("score, average over heads") if head == AVERAGE else _("score in head {head}", head=head),
        "scale": "diverging",
        "limits": data_limits(scores, "diverging"),
    }
    panels = tuple(
        MatrixPanel(title=_("{positions}, from {place}", positions=ALL_NAMES[kind], place=place), values=values,
                    **shared)
        for kind, offset, pair in zip(result.positions, result.offsets, scores, strict=True)
        for place, values in zip((1, 1 + offset), pair, strict=True)
    )  # fmt: skip
    return MatrixView(panels=panels, summary=_along_said(result), front=2)


def _scores(result: AlongResult, head: str) -> np.ndarray:
    """For each kind of positions, the scores here and there (2, 2, q_len, kv_len)."""
    return np.stack(
        [[of_head(values, head) for values in pair] for pair in zip(result.here, result.there, strict=True)]
    )


def _along_said(result: AlongResult) -> str:
    (own, other), (moved, rest) = (ALL_NAMES[kind] for kind in result.positions), map(format_number, result.moved)
    told = {"own": own, "other": other, "moved": moved, "rest": rest}
    return said(
        result,
        "rope-relative",
        holds=_(
            "All places moved on together: every score stays ({own}); with {other} positions scores change by up to "
            "{rest}.",
            **told,
        ),
        fails=_(
            "All places moved on together: scores change by up to {moved} ({own}), with {other} positions by {rest}.",
            **told,
        ),
        undecided=_(
            "All places moved on together: scores change by {moved} ({own}) and by {rest} with {other} positions, "
            "which tells nothing here.",
            **told,
        ),
    )


def along_step(result: AlongResult) -> ProofStep:
    """The step of the proof: why turned queries and keys know of a distance alone."""
    return ProofStep(
        _(
            "What do rotary positions do that added ones do not? They turn a :blue[query] at place p and an "
            ":orange[key] at place r by angles that grow with p and r. The product of two turned vectors depends on "
            "the angle between them, so on r − p alone; ALiBi's penalty is of that distance, too. A vector that is "
            "added for p meets each word and each other place: the score depends on p and r themselves."
        ),
        measured(result, "rope-relative"),
        undone(result, "rope-relative"),
    )


def along_table(config: PermutationConfig, result: AlongResult, *, head: str = AVERAGE) -> Table:
    """One row for each query and key: its score at the first places and at later ones, for both kinds."""
    scores = _scores(result, head)
    named = tuple(f"{kind}, {where}" for kind in result.positions for where in _WHERE)
    return Table(
        ("query slot", "key slot", "query", "key", *named),
        tuple(
            (i + 1, j + 1, query, key, *map(float, scores[:, :, i, j].flatten()))
            for i, query in enumerate(config.tokens)
            for j, key in enumerate(config.keys)
        ),
    )
