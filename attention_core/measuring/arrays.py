"""Results hold their tensors as read-only arrays, in records."""

from dataclasses import fields
from typing import Any

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


class Record:
    """Base of frozen dataclasses that hold measurements.

    Each tensor becomes a float64 array of its own, each array is read-only, and so are those in a tuple
    or a dictionary. Its ``repr`` is short, however many numbers it holds.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        cls.__repr__ = Record.__repr__  # ``dataclass`` makes none where there is one

    def __post_init__(self) -> None:
        for each in fields(self):  # pyright: ignore[reportArgumentType]
            object.__setattr__(self, each.name, _frozen_copy(getattr(self, each.name)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._brief()}>"

    def _brief(self) -> str:
        """The names of its fields."""
        return ", ".join(each.name for each in fields(self))  # pyright: ignore[reportArgumentType]


def _frozen_copy(value: Any) -> Any:
    if isinstance(value, Tensor):
        value = on_cpu(value)
        if value.untyped_storage().nbytes() > value.nbytes:  # a part would keep all that it is part of
            value = value.clone()
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return frozen(value)
    if type(value) is tuple:
        return tuple(map(_frozen_copy, value))
    return {name: _frozen_copy(part) for name, part in value.items()} if type(value) is dict else value


def largest_difference(one: np.ndarray, other: np.ndarray) -> float:
    """The largest |one − other| in float64; 0 where there is nothing."""
    return float(np.abs(np.subtract(one, other, dtype=np.float64)).max(initial=0.0))
