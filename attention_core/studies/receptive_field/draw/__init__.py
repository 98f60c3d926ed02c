"""How the receptive field is drawn: the layered graph with a cone, reach matrices and curve, and tables."""

from attention_core.studies.receptive_field.draw.changes import reach_changed as reach_changed
from attention_core.studies.receptive_field.draw.graph import Cone as Cone
from attention_core.studies.receptive_field.draw.graph import cone as cone
from attention_core.studies.receptive_field.draw.graph import graph_summary as graph_summary
from attention_core.studies.receptive_field.draw.graph import graph_view as graph_view
from attention_core.studies.receptive_field.draw.graph import growth_panel as growth_panel
from attention_core.studies.receptive_field.draw.views import curve_view as curve_view
from attention_core.studies.receptive_field.draw.views import kernel_view as kernel_view
from attention_core.studies.receptive_field.draw.views import proof as proof
from attention_core.studies.receptive_field.draw.views import reach_summary as reach_summary
from attention_core.studies.receptive_field.draw.views import reach_view as reach_view
from attention_core.studies.receptive_field.draw.views import receptive_field_table as receptive_field_table
from attention_core.studies.receptive_field.draw.views import table_view as table_view
