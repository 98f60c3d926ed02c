"""Receptive field: how many inputs a token sees, layers up, when each head looks at one key.

Claims: ``rf-bound`` a token sees at most (k + 1)^layers inputs through k argmax heads and the residual; ``rf-tight``
heads that look back (j + 1)(k + 1)ˡ positions see exactly that many; ``rf-random`` random heads see most of them;
``head-tap`` heads that look a fixed distance back are the taps of a convolution.
Everything is measured on a stack of real attention layers, from where they look and by autograd.
"""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.receptive_field.claims import CLAIMS
from attention_core.studies.receptive_field.measure import AttendedKeys as AttendedKeys
from attention_core.studies.receptive_field.measure import ReachTable as ReachTable
from attention_core.studies.receptive_field.measure import ReceptiveFieldResult as ReceptiveFieldResult
from attention_core.studies.receptive_field.measure import run_attended_keys as run_attended_keys
from attention_core.studies.receptive_field.measure import run_table as run_table
from attention_core.studies.receptive_field.measure import steps_reach as steps_reach
from attention_core.studies.receptive_field.measure import steps_receptive_field as steps_receptive_field
from attention_core.studies.receptive_field.settings import MAX_LAYERS as MAX_LAYERS
from attention_core.studies.receptive_field.settings import MAX_TOKENS as MAX_TOKENS
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig as ReceptiveFieldConfig
from attention_core.studies.receptive_field.snippet import SHORTEST as SHORTEST
from attention_core.studies.receptive_field.snippet import headline
from attention_core.studies.receptive_field.snippet import receptive_field_snippet as receptive_field_snippet

STUDY = Study(
    name="receptive_field",
    title=_("receptive field"),
    place=5,
    config=ReceptiveFieldConfig,
    snippet=receptive_field_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
