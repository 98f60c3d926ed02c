"""How the bias experiments are drawn and said: matrices, curves, tables, and the proof beside its numbers."""

from attention_core.figures.panels import AVERAGE as AVERAGE
from attention_core.studies.biases.draw.changes import biases_changed as biases_changed
from attention_core.studies.biases.draw.curves import CURVES as CURVES
from attention_core.studies.biases.draw.curves import appendix_view as appendix_view
from attention_core.studies.biases.draw.curves import curve_view as curve_view
from attention_core.studies.biases.draw.curves import mean_view as mean_view
from attention_core.studies.biases.draw.curves import norms_view as norms_view
from attention_core.studies.biases.draw.curves import residual_view as residual_view
from attention_core.studies.biases.draw.curves import shift_view as shift_view
from attention_core.studies.biases.draw.curves import source as source
from attention_core.studies.biases.draw.curves import training_view as training_view
from attention_core.studies.biases.draw.history import history as history
from attention_core.studies.biases.draw.tables import biases_table as biases_table
from attention_core.studies.biases.draw.tables import curve_table as curve_table
from attention_core.studies.biases.draw.tables import size_table as size_table
from attention_core.studies.biases.draw.tables import terms_table as terms_table
from attention_core.studies.biases.draw.view import GRADIENTS as GRADIENTS
from attention_core.studies.biases.draw.view import TERMS as TERMS
from attention_core.studies.biases.draw.view import difference_view as difference_view
from attention_core.studies.biases.draw.view import gradient_view as gradient_view
from attention_core.studies.biases.draw.view import size_view as size_view
from attention_core.studies.biases.draw.view import terms_view as terms_view
from attention_core.studies.biases.draw.words import curve_summary as curve_summary
from attention_core.studies.biases.draw.words import proof as proof
from attention_core.studies.biases.draw.words import training_step as training_step
