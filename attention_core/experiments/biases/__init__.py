"""Biases: which of b_Q, b_K, b_V and b_O change what attention computes, and which cancel."""

from attention_core.experiments.biases.appendix import AppendixResult, AppendixRow, run_appendix
from attention_core.experiments.biases.config import (
    DIRECTIONS,
    DROPOUT,
    KEY_SIZES,
    NAMES,
    NUM_HEADS,
    ROLES,
    SHIFT,
    SIZES,
    AfterNormConfig,
    AppendixConfig,
    BiasesConfig,
    BiasesSetting,
    MeanConfig,
    TrainingConfig,
)
from attention_core.experiments.biases.layers import (
    AfterNormResult,
    MeanResult,
    Survival,
    run_after_norm,
    run_mean,
)
from attention_core.experiments.biases.measure import BiasEffect, BiasesResult, run_biases
from attention_core.experiments.biases.sizes import BiasSizesResult, run_bias_sizes
from attention_core.experiments.biases.snippet import SHORTEST, biases_snippet
from attention_core.experiments.biases.sweep import (
    KeySweepResult,
    ShiftResult,
    run_shift,
    steps_size_sweep,
)
from attention_core.experiments.biases.training import TrainingResult, steps_training

__all__ = [
    "DIRECTIONS",
    "DROPOUT",
    "KEY_SIZES",
    "NAMES",
    "NUM_HEADS",
    "ROLES",
    "SHIFT",
    "SHORTEST",
    "SIZES",
    "AfterNormConfig",
    "AfterNormResult",
    "AppendixConfig",
    "AppendixResult",
    "AppendixRow",
    "BiasEffect",
    "BiasSizesResult",
    "BiasesConfig",
    "BiasesResult",
    "BiasesSetting",
    "KeySweepResult",
    "MeanConfig",
    "MeanResult",
    "ShiftResult",
    "Survival",
    "TrainingConfig",
    "TrainingResult",
    "biases_snippet",
    "run_after_norm",
    "run_appendix",
    "run_bias_sizes",
    "run_biases",
    "run_mean",
    "run_shift",
    "steps_size_sweep",
    "steps_training",
]
