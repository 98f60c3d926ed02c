"""How the receptive field is drawn: the layered graph with a cone, reach matrices and curve, and tables."""

from attention_core.figures.receptive_field.graph import Cone, cone, graph_summary, graph_view
from attention_core.figures.receptive_field.views import (
    curve_view,
    kernel_view,
    proof,
    reach_summary,
    reach_view,
    receptive_field_table,
    table_view,
)

__all__ = [
    "Cone",
    "cone",
    "curve_view",
    "graph_summary",
    "graph_view",
    "kernel_view",
    "proof",
    "reach_summary",
    "reach_view",
    "receptive_field_table",
    "table_view",
]
