"""How the questions about norms are drawn and told."""

from attention_core.figures.normalization.space import space_alt, space_figure
from attention_core.figures.normalization.view import normalization_heatmap, normalization_table, normalization_view
from attention_core.figures.normalization.words import proof

__all__ = [
    "normalization_heatmap",
    "normalization_table",
    "normalization_view",
    "proof",
    "space_alt",
    "space_figure",
]
