"""Tensors as the arrays that a result holds."""

import numpy as np
import torch
from torch import Tensor


def on_cpu(values: Tensor) -> Tensor:
    """The values in float64 on the CPU, where they are compared."""
    return values.detach().to("cpu", torch.float64)


def frozen(values: np.ndarray) -> np.ndarray:
    """Mark the array read-only and return it."""
    values.flags.writeable = False
    return values


def array(values: Tensor) -> np.ndarray:
    """The values as a read-only float64 array."""
    return frozen(on_cpu(values).numpy())
