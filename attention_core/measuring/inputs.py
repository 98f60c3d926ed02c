"""Seeded inputs and parameters: drawn on the CPU in float64, so one seed is one input in every precision."""

import math
from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode

from attention_core.measuring.plain import draw as draw
from attention_core.measuring.plain import embed as embed
from attention_core.measuring.plain import generator as generator

Module = TypeVar("Module", bound=nn.Module)


def draw_parameters(module: Module, seed: int, *, bias_std: float = 1.0) -> Module:
    """Redraw a module's parameters in place from their own generator; norms' gains keep their ones.

    Weight matrices are N(0, 1/fan_in), so unit-variance inputs give unit-variance queries, keys and values; tables of
    learned vectors are N(0, 1), biases N(0, ``bias_std``²).

    Args:
        module: A module in any precision, on any device; the numbers are drawn in float64 on the CPU.
        seed: Another seed gives other parameters; each parameter has a stream of its own, named after it.
        bias_std: Standard deviation of every bias.

    Returns:
        The module itself.
    """
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() >= 2:
                std = 1.0 if name.endswith("table") else 1 / math.sqrt(parameter.shape[-1])
            elif name.endswith("bias"):
                std = bias_std
            else:
                continue
            parameter.copy_(draw(parameter.shape, seed, "parameter", name).mul_(std))
    return module


class SeededDropout(TorchFunctionMode):
    """Have dropout draw from a generator of its own: torch's is shared by all threads of the process.

    Args:
        seed: Another seed drops other numbers.
        purpose: As in :func:`generator`.
    """

    def __init__(self, seed: int, *purpose: object) -> None:
        super().__init__()
        self.draw = generator(seed, *purpose)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """``F.dropout``: each number stays with probability 1 − p and is divided by it. All else is as it was."""
        if func is not F.dropout:
            return func(*args, **(kwargs or {}))
        values, p = (*args, *(kwargs or {}).values())[:2]
        kept = torch.rand(values.shape, generator=self.draw, dtype=torch.float64) >= p
        return values * kept.to(values.device) / (1 - p)
