"""How the questions about norms are drawn and told."""

from attention_core.figures.normalization.space import space_alt, space_figure
from attention_core.figures.normalization.view import depth_view, normalization_table, normalization_view
from attention_core.figures.normalization.words import proof

__all__ = [
    "depth_view",
    "normalization_table",
    "normalization_view",
    "proof",
    "space_alt",
    "space_figure",
]
