"""All parameters as one vector, and gradient descent and AdamW on it: ``torch.optim`` would load torch's compiler."""

import math
from typing import Final

import torch
from torch import Tensor, nn

DECAY: Final = 0.01
BETAS: Final = (0.9, 0.999)
EPS: Final = 1e-8


class SGD:
    """``values ← values − rate · gradient``."""

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
        decay: The weight decay λ; without it this is Adam: Kingma & Ba (2015), algorithm 1.
    """

    def __init__(self, rate: float | Tensor, like: Tensor, *, decay: float = DECAY) -> None:
        self.rate, self.decay, self.steps = rate, decay, 0
        self.mean, self.square = torch.zeros_like(like), torch.zeros_like(like)

    def step(self, values: Tensor, gradient: Tensor) -> None:
        """Change ``values`` in place."""
        self.steps += 1
        self.mean.lerp_(gradient, 1 - BETAS[0])
        self.square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        size = self.square.sqrt().div_(math.sqrt(1 - BETAS[1] ** self.steps)).add_(EPS)
        update = (self.mean / (1 - BETAS[0] ** self.steps)).div_(size).add_(values, alpha=self.decay)
        values.sub_(self.rate * update)


class FlatParameters:
    """All parameters of a model as one vector, and their gradients as another.

    The parameters become views of the vector, so that an optimizer's step is a few operations on one tensor: for
    models of this size that is what an optimizer costs.

    Args:
        model: The model; it is cast and moved.
        device: Where it will be.
        dtype: Its precision.

    Attributes:
        values: The parameters one after the other.
        gradient: Their gradients, added up by ``backward()``.
    """

    def __init__(self, model: nn.Module, device: torch.device, dtype: torch.dtype) -> None:
        self._shapes = {name: each.shape for name, each in model.named_parameters()}
        self.values = torch.cat([each.detach().flatten() for each in model.to(device, dtype).parameters()])
        self.gradient = torch.zeros_like(self.values)
        values, gradients = self.named(self.values), self.named(self.gradient)
        for name, each in model.named_parameters():
            each.data, each.grad = values[name], gradients[name]

    def named(self, vector: Tensor) -> dict[str, Tensor]:
        """Views of a vector like ``values``, one for each parameter."""
        parts = vector.split([shape.numel() for shape in self._shapes.values()])
        return {name: part.view(shape) for part, (name, shape) in zip(parts, self._shapes.items(), strict=True)}
