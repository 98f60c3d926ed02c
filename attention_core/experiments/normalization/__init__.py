"""Normalization: what LayerNorm, RMSNorm and BatchNorm do, and what they do not."""

from attention_core.experiments.normalization.bias import BiasResult
from attention_core.experiments.normalization.block import BlockResult
from attention_core.experiments.normalization.config import (
    EPS,
    NORMS,
    PLACEMENTS,
    STDS,
    TOPICS,
    NormalizationConfig,
    read_cell,
    write_cell,
)
from attention_core.experiments.normalization.dependence import DependenceResult
from attention_core.experiments.normalization.length import LengthResult
from attention_core.experiments.normalization.measure import NormalizationResult, run_normalization
from attention_core.experiments.normalization.snippet import SHORTEST, normalization_snippet

__all__ = [
    "EPS",
    "NORMS",
    "PLACEMENTS",
    "SHORTEST",
    "STDS",
    "TOPICS",
    "BiasResult",
    "BlockResult",
    "DependenceResult",
    "LengthResult",
    "NormalizationConfig",
    "NormalizationResult",
    "normalization_snippet",
    "read_cell",
    "run_normalization",
    "write_cell",
]
