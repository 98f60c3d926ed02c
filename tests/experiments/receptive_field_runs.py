"""What the receptive field's tests share: picking verdicts, and an oracle."""

import numpy as np

from attention_core.experiments.receptive_field import ReceptiveFieldResult
from attention_core.experiments.verdict import Verdict


def verdicts(result: ReceptiveFieldResult, claim: str) -> list[Verdict]:
    return [verdict for verdict in result.verdicts if verdict.claim == claim]


def seen_by_walking(targets: np.ndarray, residual: bool, layer: int, token: int) -> set[int]:
    """Inputs under a token, by following every path one by one: an oracle that shares no code with ``reach``."""
    if layer == 0:
        return {token}
    below = [int(keys[token]) for keys in targets[layer - 1]] + [token] * residual
    return set().union(*(seen_by_walking(targets, residual, layer - 1, key) for key in below))
