"""How forms that compute the same are drawn and told."""

from attention_core.studies.exactness.draw.table import exactness_table as exactness_table
from attention_core.studies.exactness.draw.view import exactness_view as exactness_view
from attention_core.studies.exactness.draw.words import proof as proof
