"""What the receptive field's tests share: what came of its claims, and an oracle."""

import numpy as np

from attention_core.studies.receptive_field import ReceptiveFieldResult


def outcomes(result: ReceptiveFieldResult) -> dict[str, str]:
    """What came of the claims about reach; those about a kernel have tests of their own."""
    return {verdict.key: verdict.outcome for verdict in result.verdicts if verdict.claim.startswith("rf-")}


def seen_by_walking(targets: np.ndarray, residual: bool, layer: int, token: int) -> set[int]:
    """Inputs under a token, by following every path one by one: an oracle that shares no code with ``reach``."""
    if layer == 0:
        return {token}
    below = [int(keys[token]) for keys in targets[layer - 1]] + [token] * residual
    return set().union(*(seen_by_walking(targets, residual, layer - 1, key) for key in below))
