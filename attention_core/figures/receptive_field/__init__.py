"""How the receptive field is drawn: the layered graph with a cone, reach matrices and curve, and tables."""

from attention_core.figures.receptive_field.graph import Cone, cone, graph_summary, layered_graph
from attention_core.figures.receptive_field.views import (
    heads_layers_table,
    heads_layers_view,
    reach_curve,
    reach_summary,
    reach_view,
    receptive_field_table,
)

__all__ = [
    "Cone",
    "cone",
    "graph_summary",
    "heads_layers_table",
    "heads_layers_view",
    "layered_graph",
    "reach_curve",
    "reach_summary",
    "reach_view",
    "receptive_field_table",
]
