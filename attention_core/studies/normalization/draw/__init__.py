"""How the questions about norms are drawn and told."""

from attention_core.studies.normalization.draw.feed_forward import span_view as span_view
from attention_core.studies.normalization.draw.space import space_alt as space_alt
from attention_core.studies.normalization.draw.space import space_figure as space_figure
from attention_core.studies.normalization.draw.view import depth_view as depth_view
from attention_core.studies.normalization.draw.view import normalization_table as normalization_table
from attention_core.studies.normalization.draw.view import normalization_view as normalization_view
from attention_core.studies.normalization.draw.view import place_view as place_view
from attention_core.studies.normalization.draw.words import proof as proof
