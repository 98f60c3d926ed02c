"""How the variants of attention are drawn and told."""

from attention_core.studies.variants.draw.table import variants_table as variants_table
from attention_core.studies.variants.draw.view import SHOWN as SHOWN
from attention_core.studies.variants.draw.view import crossing_said as crossing_said
from attention_core.studies.variants.draw.view import crossing_view as crossing_view
from attention_core.studies.variants.draw.view import saving_view as saving_view
from attention_core.studies.variants.draw.view import together as together
from attention_core.studies.variants.draw.view import variants_view as variants_view
from attention_core.studies.variants.draw.words import proof as proof
