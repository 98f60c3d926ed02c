"""How the cost of attention is drawn and told."""

from attention_core.figures.complexity.curves import times_curves
from attention_core.figures.complexity.view import (
    cell_of,
    complexity_heatmap,
    complexity_table,
    complexity_view,
    lines_table,
    times_said,
)

__all__ = [
    "cell_of",
    "complexity_heatmap",
    "complexity_table",
    "complexity_view",
    "lines_table",
    "times_curves",
    "times_said",
]
