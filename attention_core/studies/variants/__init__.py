"""Variants: heads that share keys and values, a cache of them, and attention without softmax."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.clock import SECONDS as SECONDS
from attention_core.measuring.study import Study
from attention_core.studies.variants.claims import CLAIMS
from attention_core.studies.variants.crossing import CrossingConfig as CrossingConfig
from attention_core.studies.variants.crossing import CrossingResult as CrossingResult
from attention_core.studies.variants.crossing import steps_crossing as steps_crossing
from attention_core.studies.variants.measure import run_variants as run_variants
from attention_core.studies.variants.queries import FIRST as FIRST
from attention_core.studies.variants.result import VariantsResult as VariantsResult
from attention_core.studies.variants.settings import D_HEAD as D_HEAD
from attention_core.studies.variants.settings import HEADS as HEADS
from attention_core.studies.variants.settings import KIB as KIB
from attention_core.studies.variants.settings import KV_HEADS as KV_HEADS
from attention_core.studies.variants.settings import LENGTHS as LENGTHS
from attention_core.studies.variants.settings import VariantsConfig as VariantsConfig
from attention_core.studies.variants.snippet import SHORTEST as SHORTEST
from attention_core.studies.variants.snippet import headline
from attention_core.studies.variants.snippet import variants_snippet as variants_snippet

STUDY = Study(
    name="variants",
    title=_("variants"),
    place=10,
    config=VariantsConfig,
    snippet=variants_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
