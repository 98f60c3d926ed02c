"""Numbers for a module's parameters, such that no two designs agree by accident."""

from typing import Final

import torch
from torch import Tensor

from attention_core.identify.subject import Subject
from attention_core.identify.weights import Weights

TINY: Final = 1e-4


def drawn(subject: Subject, seed: int) -> Tensor:
    """A number for each parameter: matrices such that scores are of size 1, biases of size 1/2, norms around 1."""
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for one in subject.parameters:
        numbers = torch.randn(one.shape, generator=generator, dtype=torch.float64)
        if len(one.shape) > 1:
            numbers = numbers * (1.2 * subject.d_model**-0.5)
        elif one.norm is not None and not one.name.endswith("bias"):
            numbers = 1 + 0.3 * numbers
        else:
            numbers = 0.5 * numbers
        parts.append(numbers.reshape(-1))
    return torch.cat(parts or [torch.zeros(0, dtype=torch.float64)])


def tokens(batch: int, length: int, d_model: int, seed: int) -> Tensor:
    """Tokens (batch, tokens, d_model)."""
    return torch.randn(batch, length, d_model, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def flattened(
    numbers: Tensor, weights: Weights, layout: str, stored: str, values: str, *, tiny: float = TINY
) -> Tensor:
    """The numbers with all scores 0, up to ``TINY²``: of queries, keys and values only the values' matrix is left.

    It is made tiny, and that of the output as large, so that what values are multiplied with themselves vanishes too;
    with ``tiny = 0`` values are 0.
    """
    parts = weights.layouts[layout, stored]
    made = numbers.clone()
    kept = torch.cat(
        [parts[name].reshape(-1) for name in (values, f"{values}_bias") if name in parts] or [made[:0].long()]
    )
    for role in "qkv":
        for name in (role, f"{role}_bias", f"{role}_norm_bias"):
            if name in parts and role != values:
                places = parts[name].reshape(-1)
                made[places[(places >= 0) & ~torch.isin(places, kept)]] = 0
    made[kept[kept >= 0]] *= tiny
    if "o" in parts:
        made[parts["o"].reshape(-1)] /= TINY
    return made
