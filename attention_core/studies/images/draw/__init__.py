"""How attention on pictures is drawn and told."""

from attention_core.studies.images.draw.names import head_name as head_name
from attention_core.studies.images.draw.names import patch_at as patch_at
from attention_core.studies.images.draw.names import patch_name as patch_name
from attention_core.studies.images.draw.names import token_name as token_name
from attention_core.studies.images.draw.table import images_table as images_table
from attention_core.studies.images.draw.view import COSTS as COSTS
from attention_core.studies.images.draw.view import LOOKS as LOOKS
from attention_core.studies.images.draw.view import ROWS as ROWS
from attention_core.studies.images.draw.view import agreement as agreement
from attention_core.studies.images.draw.view import images_view as images_view
from attention_core.studies.images.draw.words import proof as proof
