"""How the cost of attention is drawn and told."""

from attention_core.figures.complexity.curves import complexity_curves, curves_summary
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
    "complexity_curves",
    "complexity_heatmap",
    "complexity_table",
    "complexity_view",
    "curves_summary",
    "lines_table",
    "times_said",
]
