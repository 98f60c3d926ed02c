"""How the questions about projections are drawn and told."""

from attention_core.figures.projections.curves import curves_view as curves_view
from attention_core.figures.projections.curves import projections_curves as projections_curves
from attention_core.figures.projections.view import projections_table as projections_table
from attention_core.figures.projections.view import projections_view as projections_view
from attention_core.figures.projections.words import proof as proof
