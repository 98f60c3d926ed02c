"""How the questions about projections are drawn and told."""

from attention_core.studies.projections.draw.curves import curves_view as curves_view
from attention_core.studies.projections.draw.curves import projections_curves as projections_curves
from attention_core.studies.projections.draw.view import projections_table as projections_table
from attention_core.studies.projections.draw.view import projections_view as projections_view
from attention_core.studies.projections.draw.words import proof as proof
