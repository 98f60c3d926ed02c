"""Receptive field: how many inputs a token sees, layers up, when each head looks at one key.

Claims: ``rf-bound`` a token sees at most (k + 1)^layers inputs through k argmax heads and the residual; ``rf-tight``
heads that look back (j + 1)(k + 1)ˡ positions see exactly that many; ``rf-random`` random heads see most of them.
Everything is measured on a stack of real attention layers, from where they look and by autograd.
"""

from attention_core.experiments.receptive_field.config import (
    MASKS,
    MAX_HEADS,
    MAX_LAYERS,
    MAX_TOKENS,
    WEIGHTS,
    ReceptiveFieldConfig,
)
from attention_core.experiments.receptive_field.draws import RandomReach, RandomShare
from attention_core.experiments.receptive_field.measure import (
    ReceptiveFieldResult,
    run_receptive_field,
    steps_receptive_field,
)
from attention_core.experiments.receptive_field.snippet import receptive_field_snippet

__all__ = [
    "MASKS",
    "MAX_HEADS",
    "MAX_LAYERS",
    "MAX_TOKENS",
    "WEIGHTS",
    "RandomReach",
    "RandomShare",
    "ReceptiveFieldConfig",
    "ReceptiveFieldResult",
    "receptive_field_snippet",
    "run_receptive_field",
    "steps_receptive_field",
]
