"""How the cost of attention is drawn and told."""

from attention_core.figures.complexity.curves import times_curves
from attention_core.figures.complexity.view import (
    cell_of,
    complexity_table,
    complexity_view,
    lines_table,
    times_said,
)
from attention_core.figures.complexity.words import proof

__all__ = [
    "cell_of",
    "complexity_table",
    "complexity_view",
    "lines_table",
    "proof",
    "times_curves",
    "times_said",
]
