"""How the questions about projections are drawn and told."""

from attention_core.figures.projections.curves import curves_view, projections_curves
from attention_core.figures.projections.view import projections_table, projections_view
from attention_core.figures.projections.words import proof

__all__ = [
    "curves_view",
    "projections_curves",
    "projections_table",
    "projections_view",
    "proof",
]
