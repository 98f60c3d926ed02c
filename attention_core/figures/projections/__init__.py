"""How the questions about projections are drawn and told."""

from attention_core.figures.projections.curves import figure_alt, projections_curves, projections_figure
from attention_core.figures.projections.view import projections_heatmap, projections_table, projections_view
from attention_core.figures.projections.words import proof

__all__ = [
    "figure_alt",
    "projections_curves",
    "projections_figure",
    "projections_heatmap",
    "projections_table",
    "projections_view",
    "proof",
]
