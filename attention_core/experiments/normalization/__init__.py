"""Normalization: what LayerNorm, RMSNorm and BatchNorm do, and what they do not."""

from attention_core.experiments.normalization.bias import BiasResult
from attention_core.experiments.normalization.block import BlockResult
from attention_core.experiments.normalization.config import (
    D_MODELS,
    EPS,
    LIMIT,
    NORMS,
    STDS,
    TOKENS,
    TOPICS,
    NormalizationConfig,
    read_cell,
)
from attention_core.experiments.normalization.dependence import DependenceResult
from attention_core.experiments.normalization.length import LengthResult
from attention_core.experiments.normalization.measure import NormalizationResult, run_normalization
from attention_core.experiments.normalization.snippet import normalization_snippet

__all__ = [
    "D_MODELS",
    "EPS",
    "LIMIT",
    "NORMS",
    "STDS",
    "TOKENS",
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
]
