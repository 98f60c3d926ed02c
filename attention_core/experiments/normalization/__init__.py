"""Normalization: what LayerNorm, RMSNorm and BatchNorm do, and what they do not."""

from attention_core.experiments.normalization.bias import NormBiasResult as NormBiasResult
from attention_core.experiments.normalization.block import NormBlockResult as NormBlockResult
from attention_core.experiments.normalization.config import NORMS as NORMS
from attention_core.experiments.normalization.config import TOPICS as TOPICS
from attention_core.experiments.normalization.config import NormalizationConfig as NormalizationConfig
from attention_core.experiments.normalization.config import read_cell as read_cell
from attention_core.experiments.normalization.config import write_cell as write_cell
from attention_core.experiments.normalization.dependence import DependenceResult as DependenceResult
from attention_core.experiments.normalization.length import LengthResult as LengthResult
from attention_core.experiments.normalization.measure import NormalizationResult as NormalizationResult
from attention_core.experiments.normalization.measure import run_normalization as run_normalization
from attention_core.experiments.normalization.snippet import SHORTEST as SHORTEST
from attention_core.experiments.normalization.snippet import normalization_snippet as normalization_snippet
