"""Gradients of many outputs at once, each weighed by what comes back to it."""

from collections.abc import Sequence

import torch
from torch import Tensor


def pull_back(
    outputs: Tensor, inputs: Tensor | Sequence[Tensor], upstream: Tensor, *, keep: bool = False
) -> tuple[Tensor, ...]:
    """``∂ Σ (upstream · outputs) / ∂ inputs``, by autograd.

    ``torch.autograd.grad`` takes ``upstream`` as well, and gives the same to the last bit; but to compare two shapes
    it imports its compiler's algebra, sympy, which holds 40 MB.

    Args:
        outputs: What depends on the inputs.
        inputs: By what is differentiated.
        upstream: What comes back to each output.
        keep: Whether another pass through the same graph follows.
    """
    return torch.autograd.grad((outputs * upstream).sum(), inputs, retain_graph=keep)
