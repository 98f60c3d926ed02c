"""Projections: what W_Q, W_K, W_V and W_O are for."""

from attention_core.experiments.projections.collapse import CollapseResult
from attention_core.experiments.projections.config import (
    BIASES,
    D_HEADS,
    LAYERS,
    NUM_HEADS,
    POSITIONS,
    TOPICS,
    ProjectionsConfig,
)
from attention_core.experiments.projections.gauge import GaugeResult
from attention_core.experiments.projections.identity import IdentityResult
from attention_core.experiments.projections.measure import ProjectionsResult, run_projections
from attention_core.experiments.projections.rank import RankResult
from attention_core.experiments.projections.snippet import SHORTEST, projections_snippet
from attention_core.experiments.projections.tying import TyingResult

__all__ = [
    "BIASES",
    "D_HEADS",
    "LAYERS",
    "NUM_HEADS",
    "POSITIONS",
    "SHORTEST",
    "TOPICS",
    "CollapseResult",
    "GaugeResult",
    "IdentityResult",
    "ProjectionsConfig",
    "ProjectionsResult",
    "RankResult",
    "TyingResult",
    "projections_snippet",
    "run_projections",
]
