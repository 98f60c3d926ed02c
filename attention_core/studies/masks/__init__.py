"""Masks: who may look at whom, in encoders, decoders and both."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.masks.claims import CLAIMS
from attention_core.studies.masks.forcing import ForcingResult as ForcingResult
from attention_core.studies.masks.forcing import run_forcing as run_forcing
from attention_core.studies.masks.length import LENGTHS as LENGTHS
from attention_core.studies.masks.length import LengthResult as LengthResult
from attention_core.studies.masks.length import run_length as run_length
from attention_core.studies.masks.measure import MasksResult as MasksResult
from attention_core.studies.masks.measure import ModuleMasks as ModuleMasks
from attention_core.studies.masks.measure import run_masks as run_masks
from attention_core.studies.masks.settings import STACKS as STACKS
from attention_core.studies.masks.settings import TABLE as TABLE
from attention_core.studies.masks.settings import MasksConfig as MasksConfig
from attention_core.studies.masks.snippet import SHORTEST as SHORTEST
from attention_core.studies.masks.snippet import forcing_snippet as forcing_snippet
from attention_core.studies.masks.snippet import headline
from attention_core.studies.masks.snippet import masks_snippet as masks_snippet
from attention_core.studies.masks.stack import PAD as PAD

STUDY = Study(
    name="masks",
    title=_("masks"),
    place=11,
    config=MasksConfig,
    snippet=masks_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
