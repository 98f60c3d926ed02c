"""Gradient descent and AdamW on one vector: ``torch.optim`` would load torch's compiler for as much."""

import math
from typing import Final, Protocol

import torch
from torch import Tensor

DECAY: Final = 0.01
BETAS: Final = (0.9, 0.999)
EPS: Final = 1e-8


class Optimizer(Protocol):
    """Changes a vector of parameters by their gradient."""

    def step(self, values: Tensor, gradient: Tensor) -> None:
        """Change ``values`` in place."""
        ...


class SGD:
    """``values ← values − rate · gradient``.

    Args:
        rate: The learning rate.
    """

    def __init__(self, rate: float | Tensor) -> None:
        self.rate = rate

    def step(self, values: Tensor, gradient: Tensor) -> None:
        """Change ``values`` in place."""
        values.sub_(self.rate * gradient)


class AdamW:
    """Loshchilov & Hutter (2019), "Decoupled Weight Decay Regularization", algorithm 2, with torch's defaults.

    Args:
        rate: The learning rate.
        like: A vector of the parameters' shape.
    """

    def __init__(self, rate: float | Tensor, like: Tensor) -> None:
        self.rate, self.steps = rate, 0
        self.mean, self.square = torch.zeros_like(like), torch.zeros_like(like)

    def step(self, values: Tensor, gradient: Tensor) -> None:
        """Change ``values`` in place."""
        self.steps += 1
        self.mean.lerp_(gradient, 1 - BETAS[0])
        self.square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        size = self.square.sqrt().div_(math.sqrt(1 - BETAS[1] ** self.steps)).add_(EPS)
        update = (self.mean / (1 - BETAS[0] ** self.steps)).div_(size).add_(values, alpha=DECAY)
        values.sub_(self.rate * update)
