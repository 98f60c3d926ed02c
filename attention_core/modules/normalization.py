"""Normalization: three ways to bring vectors to a common scale, behind one interface.

A *choice* (``LayerNorm``, ``RMSNorm``, ``BatchNorm``, ``NoNorm``) is a small value; its ``build`` makes the torch
module that maps ``(batch, tokens, d_model)`` to the same shape.
"""

from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """Each token on its own: ``γ ⊙ (x − mean) / √(var + eps) + β`` over its features.

    Ba et al. (2016), "Layer Normalization". What a token becomes depends on no other token.

    Attributes:
        eps: Added to the variance, so that a constant token becomes β.
    """

    eps: float = 1e-5

    def build(
        self, d_model: int, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> nn.Module:
        """The module, with γ = 1 and β = 0."""
        return nn.LayerNorm(d_model, eps=self.eps, device=device, dtype=dtype)


@dataclass(frozen=True, slots=True)
class RMSNorm:
    """Each token on its own, without centring: ``γ ⊙ x / √(mean(x²) + eps)``.

    Zhang & Sennrich (2019), "Root Mean Square Layer Normalization".

    Attributes:
        eps: Added to the mean square; torch's default, the precision's own rounding unit, when None.
        plus_one: Whether what is learned is γ − 1, as in Gemma: see :class:`ShiftedRMSNorm`.
    """

    eps: float | None = None
    plus_one: bool = False

    def build(
        self, d_model: int, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> nn.Module:
        """The module, with γ = 1."""
        if self.plus_one:
            return ShiftedRMSNorm(d_model, eps=self.eps, device=device, dtype=dtype)
        return nn.RMSNorm(d_model, eps=self.eps, device=device, dtype=dtype)


@dataclass(frozen=True, slots=True)
class BatchNorm:
    """Each feature on its own, over all tokens of the batch: see :class:`TokenBatchNorm`.

    Attributes:
        eps: Added to the variance.
        momentum: Weight of the newest batch in the running statistics that are used outside training.
    """

    eps: float = 1e-5
    momentum: float = 0.1

    def build(
        self, d_model: int, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> nn.Module:
        """The module, with γ = 1 and β = 0."""
        return TokenBatchNorm(d_model, eps=self.eps, momentum=self.momentum, device=device, dtype=dtype)


@dataclass(frozen=True, slots=True)
class NoNorm:
    """Nothing is normalised."""

    def build(
        self, d_model: int, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> nn.Module:
        """A module that returns its input."""
        del d_model, device, dtype
        return nn.Identity()


Norm: TypeAlias = LayerNorm | RMSNorm | BatchNorm | NoNorm
NORMS = (LayerNorm, RMSNorm, BatchNorm, NoNorm)


class ShiftedRMSNorm(nn.RMSNorm):
    """``(1 + w) ⊙ x / √(mean(x²) + eps)``: :class:`RMSNorm` whose γ is 1 where nothing is learned yet.

    Gemma Team (2024), "Gemma 2", and the authors' code. Half precision is computed in float32 and rounded once, since
    1 + w would lose most of a small w.
    """

    def reset_parameters(self) -> None:
        """Set w to 0."""
        if self.weight is not None:
            nn.init.zeros_(self.weight)

    def forward(self, x: Float[Tensor, "*shape features"]) -> Float[Tensor, "*shape features"]:
        """``x`` with every row normalised."""
        precise = torch.promote_types(x.dtype, torch.float32)
        weight = 1 + self.weight.to(precise)
        return F.rms_norm(x.to(precise), self.normalized_shape, weight, self.eps).to(x.dtype)


class TokenBatchNorm(nn.BatchNorm1d):
    """Batch normalization over batch × tokens: ``γ ⊙ (x − mean) / √(var + eps) + β`` for every feature.

    Ioffe & Szegedy (2015), "Batch Normalization". ``nn.BatchNorm1d`` alone would take the second dimension of
    ``(batch, tokens, d_model)`` for the features and normalise each slot instead. In training, mean and variance are
    those of all tokens at hand, padding included; in evaluation, those of past batches, and each token stands alone.

    Raises:
        ValueError: In training, on a single token: its variance is 0 whatever it holds.
    """

    def forward(self, input: Float[Tensor, "batch tokens d_model"]) -> Float[Tensor, "batch tokens d_model"]:  # noqa: A002 - torch's name
        """``input`` with every feature normalised."""
        rows = input.flatten(0, 1)  # (batch · tokens, d_model)
        if not len(rows):  # no mean to take, and none to remember
            rows = F.batch_norm(rows, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
            return rows.view_as(input)
        if self.training and len(rows) < 2:
            raise ValueError(
                "BatchNorm() cannot train on a single token: give two or more, or call eval() to use past statistics."
            )
        return super().forward(rows).view_as(input)
