"""Normalization: what LayerNorm, RMSNorm and BatchNorm do, and what they do not."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.normalization.bias import NormBiasResult as NormBiasResult
from attention_core.studies.normalization.block import NormBlockResult as NormBlockResult
from attention_core.studies.normalization.claims import CLAIMS
from attention_core.studies.normalization.dependence import DependenceResult as DependenceResult
from attention_core.studies.normalization.feed_forward import FeedForwardResult as FeedForwardResult
from attention_core.studies.normalization.length import LengthResult as LengthResult
from attention_core.studies.normalization.measure import NormalizationResult as NormalizationResult
from attention_core.studies.normalization.measure import run_normalization as run_normalization
from attention_core.studies.normalization.settings import NORMS as NORMS
from attention_core.studies.normalization.settings import TOPICS as TOPICS
from attention_core.studies.normalization.settings import NormalizationConfig as NormalizationConfig
from attention_core.studies.normalization.settings import read_cell as read_cell
from attention_core.studies.normalization.settings import write_cell as write_cell
from attention_core.studies.normalization.snippet import SHORTEST as SHORTEST
from attention_core.studies.normalization.snippet import headline
from attention_core.studies.normalization.snippet import normalization_snippet as normalization_snippet

STUDY = Study(
    name="normalization",
    title=_("normalization"),
    place=12,
    config=NormalizationConfig,
    snippet=normalization_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
