"""How the cost of attention is drawn and told."""

from attention_core.studies.complexity.draw.curves import times_curves as times_curves
from attention_core.studies.complexity.draw.view import cell_of as cell_of
from attention_core.studies.complexity.draw.view import complexity_table as complexity_table
from attention_core.studies.complexity.draw.view import complexity_view as complexity_view
from attention_core.studies.complexity.draw.view import lines_table as lines_table
from attention_core.studies.complexity.draw.view import times_said as times_said
from attention_core.studies.complexity.draw.words import proof as proof
