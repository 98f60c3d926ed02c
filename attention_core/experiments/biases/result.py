"""What the bias experiments report, and how tensors enter it."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.biases.config import BiasRole
from attention_core.experiments.verdict import Provenance, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasEffect:
    """What taking one bias out of the module changes.

    Attributes:
        role: ``q``, ``k``, ``v`` or ``o``.
        scores: Largest absolute change of a score.
        spread: Largest spread (maximum − minimum) along a row of what it adds to the scores.
        weights: Largest absolute change of a weight.
        output: Largest absolute change of an output.
        gradient: ‖∂L/∂b‖ for the loss L = Σ G·output with G ~ N(0, 1), by autograd.
    """

    role: BiasRole
    scores: float
    spread: float
    weights: float
    output: float
    gradient: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasesResult:
    """The claims about the biases at one size.

    Attributes:
        effects: One for each bias that is on, in the order q, k, v, o.
        weight_bound: What rounding alone explains of a change of weights when b_K is taken out.
        output_bound: The same for the output.
        gradient_bound: The same for ‖∂L/∂b_K‖.
        largest_weight: Largest weight without any bias.
        verdicts: Those of the biases that are on, of the four terms, and of softmax's shift.
        provenance: Where the numbers come from.
    """

    effects: tuple[BiasEffect, ...]
    weight_bound: float
    output_bound: float
    gradient_bound: float
    largest_weight: float
    verdicts: tuple[Verdict, ...]
    provenance: Provenance

    def effect(self, role: str) -> BiasEffect | None:
        """What the bias of ``role`` changes; None where it is off."""
        return next((effect for effect in self.effects if effect.role == role), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasSizesResult:
    """The module with its biases at every size of ``SIZES``, beside itself without any bias.

    A sink is the last key of scores and weights; it has no terms.

    Attributes:
        tokens: The sentence.
        sizes: ‖b‖ of each bias at each step (steps,).
        terms: The four parts of the scores, float32 (steps, 4, heads, tokens, tokens): x_i·y_j, x_i·b_K, b_Q·y_j and
            b_Q·b_K, each times the scale.
        constant: For each term, whether it is the same for every key of a row in this module.
        spreads: Largest spread along a row of each term and head, float64 (steps, 4, heads).
        weights: float32 (steps, heads, tokens, keys).
        scores_change: Scores with − without the biases, float32 (steps, heads, tokens, keys).
        weights_change: The same of the weights.
        output_change: The same of the output, float32 (steps, tokens, d_model).
        weight_bounds: What rounding alone explains of a change of weights (steps,).
        output_bounds: The same for the output (steps,).
        verdicts: None of its own; they belong to one size.
        provenance: Where the numbers come from.
    """

    tokens: tuple[str, ...]
    sizes: tuple[float, ...]
    terms: np.ndarray
    constant: tuple[bool, ...]
    spreads: np.ndarray
    weights: np.ndarray
    scores_change: np.ndarray
    weights_change: np.ndarray
    output_change: np.ndarray
    weight_bounds: tuple[float, ...]
    output_bounds: tuple[float, ...]
    verdicts: tuple[Verdict, ...] = ()
    provenance: Provenance


def double(values: Tensor) -> Tensor:
    """In float64 on the CPU, where differences are taken."""
    return values.to("cpu", torch.float64)


def largest(values: Tensor) -> float:
    """Largest absolute value; NaN where one is NaN."""
    return float(values.abs().max())


def frozen_array(values: Tensor, dtype: type = np.float32) -> np.ndarray:
    """A read-only array."""
    array = double(values).numpy().astype(dtype)
    array.flags.writeable = False
    return array
