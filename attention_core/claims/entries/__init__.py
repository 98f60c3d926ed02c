"""The entries of the ledger, in the order of the pages."""

from typing import Final

from attention_core.measuring.claim import Claim
from attention_core.studies.anatomy import claims as anatomy
from attention_core.studies.biases import claims as biases
from attention_core.studies.complexity import claims as complexity
from attention_core.studies.learning import claims as learning
from attention_core.studies.masks import claims as masks
from attention_core.studies.normalization import claims as normalization
from attention_core.studies.permutation import claims as permutation
from attention_core.studies.projections import claims as projections
from attention_core.studies.receptive_field import claims as receptive_field
from attention_core.studies.scaling import claims as scaling
from attention_core.studies.variants import claims as variants

CLAIMS: Final[tuple[Claim, ...]] = (
    *anatomy.CLAIMS,
    *permutation.CLAIMS,
    *biases.CLAIMS,
    *scaling.CLAIMS,
    *receptive_field.CLAIMS,
    *learning.CLAIMS,
    *complexity.CLAIMS,
    *variants.CLAIMS,
    *masks.CLAIMS,
    *normalization.CLAIMS,
    *projections.CLAIMS,
)
