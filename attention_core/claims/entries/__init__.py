"""The entries of the ledger, one file a page, in the order of the pages."""

from typing import Final

from attention_core.claims.claim import Claim
from attention_core.claims.entries import (
    anatomy,
    biases,
    complexity,
    learning,
    masks,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
    variants,
)

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
