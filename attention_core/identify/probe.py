"""One input, what a module makes of it, and how far a design is from that."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core.identify.bound import relative_bound
from attention_core.identify.compute import Reference, factor
from attention_core.identify.design import Design

UNITS = {"float64": 2.0**-53, "float32": 2.0**-24}


@dataclass(slots=True)
class Probe:
    """One input and what the module made of it.

    Attributes:
        reference: What designs make of it.
        target: What the module made of it.
        near: How far a design may be off because of how the input was made, beside rounding.
    """

    reference: Reference
    target: Tensor
    near: float = 0.0
    _largest: float = 1.0

    def __post_init__(self) -> None:
        self._largest = float(self.target.abs().max()) or 1.0

    def distance(self, design: Design) -> float:
        """How far the design's output is from the module's, relative to its largest; ∞ where shapes or NaNs
        differ.
        """
        out = self.reference.output(design)
        if out.shape != self.target.shape:
            return float("inf")
        largest = float((out - self.target).abs().max())
        return largest / self._largest if largest < float("inf") else apart(out, self.target)

    def bound(self, design: Design, precision: str = "float64") -> float:
        """How far it may be by rounding."""
        reference, tokens = self.reference, self.target.shape[1]
        raw = reference.raw(design) * factor(design.scale, reference.sizes, tokens)
        largest = float(raw.abs().max()) if raw.isfinite().all() else 1.0
        return relative_bound(reference.sizes, tokens, UNITS[precision], largest)

    def equal(self, design: Design, precision: str = "float64") -> bool:
        """Whether it is the module's, as far as this input can tell."""
        distance = self.distance(design)
        return distance < 0.05 and (distance <= self.near or distance <= self.bound(design, precision))


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference, relative to the largest number; ∞ where shapes or NaNs differ, or all are NaN."""
    if one.shape != other.shape:
        return float("inf")
    finite = other.isfinite()
    if not finite.any() or not torch.equal(finite, one.isfinite()):
        return float("inf")
    largest = float(other[finite].abs().max())
    return float((one - other)[finite].abs().max()) / (largest or 1.0)
