"""The sides of a matrix of queries and keys, and what the mask hides of it."""

from typing import Any

import numpy as np

from attention_core.figures.matrix import Axis
from attention_core.language import gettext as _
from attention_core.studies.projections import ProjectionsConfig


def token_axes(words: tuple[str, ...]) -> dict[str, Any]:
    """Rows and columns of words that meet each other."""
    return {
        "rows": Axis(title=_("query"), labels=words, role="query"),
        "columns": Axis(title=_("key"), labels=words, role="key"),
    }


def hidden_cells(config: ProjectionsConfig) -> np.ndarray | None:
    """What the causal mask hides, where it is on."""
    return np.triu(np.ones((len(config.tokens),) * 2, bool), 1) if config.causal else None
