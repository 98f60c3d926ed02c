"""Permutation: what happens to attention when its tokens change places."""

from attention_core.experiments.permutation.block import BlockCase, BlockResult, steps_blocks
from attention_core.experiments.permutation.config import (
    BLOCKS,
    MASKS,
    MODELS,
    NUM_HEADS,
    POSITIONS,
    SENTENCE,
    PermutationConfig,
    ShuffleConfig,
    order_of,
)
from attention_core.experiments.permutation.depth import DepthResult, run_depth
from attention_core.experiments.permutation.measure import (
    PermutationResult,
    ShuffleResult,
    run_permutation,
    run_shuffle,
)
from attention_core.experiments.permutation.order import OrderResult, steps_order
from attention_core.experiments.permutation.snippet import SHORTEST, permutation_snippet

__all__ = [
    "BLOCKS",
    "MASKS",
    "MODELS",
    "NUM_HEADS",
    "POSITIONS",
    "SENTENCE",
    "SHORTEST",
    "BlockCase",
    "BlockResult",
    "DepthResult",
    "OrderResult",
    "PermutationConfig",
    "PermutationResult",
    "ShuffleConfig",
    "ShuffleResult",
    "order_of",
    "permutation_snippet",
    "run_depth",
    "run_permutation",
    "run_shuffle",
    "steps_blocks",
    "steps_order",
]
