"""Projections: what W_Q, W_K, W_V and W_O are for."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.projections.claims import CLAIMS
from attention_core.studies.projections.collapse import COLLAPSED as COLLAPSED
from attention_core.studies.projections.collapse import CollapseResult as CollapseResult
from attention_core.studies.projections.fixed import FixedResult as FixedResult
from attention_core.studies.projections.gauge import GaugeResult as GaugeResult
from attention_core.studies.projections.identity import IdentityResult as IdentityResult
from attention_core.studies.projections.measure import ProjectionsResult as ProjectionsResult
from attention_core.studies.projections.measure import run_projections as run_projections
from attention_core.studies.projections.names import NamesResult as NamesResult
from attention_core.studies.projections.rank import RankResult as RankResult
from attention_core.studies.projections.settings import LAYERS as LAYERS
from attention_core.studies.projections.settings import NUM_HEADS as NUM_HEADS
from attention_core.studies.projections.settings import TOPICS as TOPICS
from attention_core.studies.projections.settings import ProjectionsConfig as ProjectionsConfig
from attention_core.studies.projections.snippet import SHORTEST as SHORTEST
from attention_core.studies.projections.snippet import headline
from attention_core.studies.projections.snippet import projections_snippet as projections_snippet
from attention_core.studies.projections.tying import TyingResult as TyingResult

STUDY = Study(
    name="projections",
    title=_("projections"),
    place=13,
    config=ProjectionsConfig,
    snippet=projections_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
