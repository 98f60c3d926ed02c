"""Anatomy: one forward pass of attention, cell by cell."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.anatomy.claims import CLAIMS
from attention_core.studies.anatomy.measure import AnatomyResult as AnatomyResult
from attention_core.studies.anatomy.measure import HeadTimes as HeadTimes
from attention_core.studies.anatomy.measure import run_anatomy as run_anatomy
from attention_core.studies.anatomy.measure import time_heads as time_heads
from attention_core.studies.anatomy.module import slowed as slowed
from attention_core.studies.anatomy.settings import MAX_HEADS as MAX_HEADS
from attention_core.studies.anatomy.settings import AnatomyConfig as AnatomyConfig
from attention_core.studies.anatomy.snippet import SHORTEST as SHORTEST
from attention_core.studies.anatomy.snippet import anatomy_snippet as anatomy_snippet
from attention_core.studies.anatomy.snippet import headline

STUDY = Study(
    name="anatomy",
    title=_("anatomy"),
    place=1,
    config=AnatomyConfig,
    snippet=anatomy_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
