"""How scaling is drawn: scores, weights and gradient as heads grow, the Jacobian, and curves over d_head."""

from attention_core.studies.scaling.draw.changes import scaling_changed as scaling_changed
from attention_core.studies.scaling.draw.curves import TITLES as TITLES
from attention_core.studies.scaling.draw.curves import curve_summary as curve_summary
from attention_core.studies.scaling.draw.curves import curves_view as curves_view
from attention_core.studies.scaling.draw.curves import label as label
from attention_core.studies.scaling.draw.curves import scaling_table as scaling_table
from attention_core.studies.scaling.draw.lengths import lengths_table as lengths_table
from attention_core.studies.scaling.draw.lengths import lengths_view as lengths_view
from attention_core.studies.scaling.draw.view import scaling_view as scaling_view
from attention_core.studies.scaling.draw.words import lengths_proof as lengths_proof
from attention_core.studies.scaling.draw.words import proof as proof
