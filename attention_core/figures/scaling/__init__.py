"""How scaling is drawn: scores, weights and gradient as heads grow, the Jacobian, and curves over d_head."""

from attention_core.figures.scaling.curves import TITLES as TITLES
from attention_core.figures.scaling.curves import curve_summary as curve_summary
from attention_core.figures.scaling.curves import curves_view as curves_view
from attention_core.figures.scaling.curves import label as label
from attention_core.figures.scaling.curves import scaling_table as scaling_table
from attention_core.figures.scaling.view import scaling_view as scaling_view
from attention_core.figures.scaling.words import proof as proof
