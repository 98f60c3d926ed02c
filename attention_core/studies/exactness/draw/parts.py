"""Panels that several forms share: a difference beside its bound, on a log axis."""

from typing import Any

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel
from attention_core.figures.panels import Array
from attention_core.language import gettext as _


def difference_panel(moved: Array, bound: float | Array, labels: tuple[str, ...], **more: Any) -> BarsPanel:
    """How far each word is off, as bars on a log axis, with a line for what rounding may leave.

    Args:
        moved: The differences (words,), or in a sweep (steps, words).
        bound: One number, or one for each step.
        labels: What the bars stand for.
        more: What else of the panel is otherwise.
    """
    n, bound = len(labels), np.asarray(bound, dtype=float)
    line = np.repeat(bound[..., None], 2, axis=-1)
    positive = np.concatenate([moved[moved > 0], bound.ravel()])
    given = {
        "title": _("How far each word is off"),
        "quantity": _("max |difference|"),
        "limits": (float(positive.min()) / 10, float(positive.max()) * 3),
        "note": "" if (moved > 0).all() else _("What is 0 has no bar."),
        "overlay_name": _("what rounding may leave"),
    } | more
    return BarsPanel(
        values=moved,
        labels=Axis(title=_("word"), labels=labels),
        log_y=True,
        overlay=(np.array([-0.5, n - 0.5]), line),
        **given,
    )
