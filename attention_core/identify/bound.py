"""How far apart two ways to compute one design may be, by rounding alone."""

import math

from attention_core.identify.compute import Sizes

CERTAINTY = 6.0  # λ: the chance that one sum's error exceeds λ√n·u is below 2·exp(−λ²/2), about 3e-8


def relative_bound(sizes: Sizes, tokens: int, unit: float, scores: float) -> float:
    """How much the outputs of two evaluations of one design may differ, relative to their largest.

    A sum of n products has an error of at most λ√n·u of the sum of their magnitudes, but for a chance of
    2·exp(−λ²/2): Higham and Mary (2019), "A New Approach to Probabilistic Rounding Error Analysis", theorem 2.4. The
    sums are d_model long (projections), d_head (scores), tokens (softmax, context) and width (output), with some 32
    steps of norms and turns. An error of the scores S comes out of softmax as at most 2·max|S| times theirs,
    relative. Magnitudes exceed what they sum up to by about the root of their number, as the numbers are drawn;
    two evaluations make it twice.

    Args:
        sizes: The sizes of the attention.
        tokens: Number of tokens.
        unit: The unit roundoff u of what it is computed in.
        scores: The largest score.
    """
    steps = sizes.d_model + sizes.d_head + 2 * tokens + sizes.width + 32
    longest = max(sizes.d_model, sizes.width)
    return 2 * CERTAINTY * math.sqrt(steps) * unit * math.sqrt(longest) * (1 + 2 * scores)
