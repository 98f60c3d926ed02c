"""Receptive field: how many inputs a token sees, layers up, when each head looks at one key.

Claims: ``rf-bound`` a token sees at most (k + 1)^layers inputs through k argmax heads and the residual; ``rf-tight``
heads that look back (j + 1)(k + 1)ˡ positions see exactly that many; ``rf-random`` random heads see most of them;
``head-tap`` heads that look a fixed distance back are the taps of a convolution.
Everything is measured on a stack of real attention layers, from where they look and by autograd.
"""

from attention_core.experiments.receptive_field.config import (
    MASKS,
    MAX_LAYERS,
    MAX_TOKENS,
    WEIGHTS,
    ReceptiveFieldConfig,
)
from attention_core.experiments.receptive_field.draws import RandomReach, RandomShare
from attention_core.experiments.receptive_field.measure import (
    Looks,
    ReachTable,
    ReceptiveFieldResult,
    run_looks,
    run_table,
    steps_receptive_field,
    steps_seen,
)
from attention_core.experiments.receptive_field.snippet import SHORTEST, receptive_field_snippet

__all__ = [
    "MASKS",
    "MAX_LAYERS",
    "MAX_TOKENS",
    "SHORTEST",
    "WEIGHTS",
    "Looks",
    "RandomReach",
    "RandomShare",
    "ReachTable",
    "ReceptiveFieldConfig",
    "ReceptiveFieldResult",
    "receptive_field_snippet",
    "run_looks",
    "run_table",
    "steps_receptive_field",
    "steps_seen",
]
