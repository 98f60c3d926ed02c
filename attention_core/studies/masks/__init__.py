"""Masks: who may look at whom, in encoders, decoders and both."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.masks.claims import CLAIMS
from attention_core.studies.masks.measure import MaskingResult as MaskingResult
from attention_core.studies.masks.measure import ModuleMasks as ModuleMasks
from attention_core.studies.masks.measure import run_masking as run_masking
from attention_core.studies.masks.settings import STACKS as STACKS
from attention_core.studies.masks.settings import MaskingConfig as MaskingConfig
from attention_core.studies.masks.snippet import SHORTEST as SHORTEST
from attention_core.studies.masks.snippet import masking_snippet as masking_snippet
from attention_core.studies.masks.stack import PAD as PAD

STUDY = Study(
    name="masks",
    title=_("masks"),
    place=10,
    config=MaskingConfig,
    snippet=masking_snippet,
    shortest=SHORTEST,
    claims=CLAIMS,
)
