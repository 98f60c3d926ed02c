"""The feed-forward network of a transformer block: the same two layers for each token on its own."""

from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.modules.masks import require_choice, require_positive


@dataclass(frozen=True, slots=True)
class ReLU:
    """``max(0, x)``: Vaswani et al. (2017), section 3.3."""

    def __call__(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Apply to every number."""
        return F.relu(x)


@dataclass(frozen=True, slots=True)
class GELU:
    """``x · Φ(x)`` with the normal distribution function Φ: Hendrycks & Gimpel (2016); BERT, GPT.

    Attributes:
        tanh: Whether Φ is replaced by ``(1 + tanh(√(2/π) (x + 0.044715 x³))) / 2``, section 2 of the paper; GPT-2.
    """

    tanh: bool = False

    def __call__(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Apply to every number."""
        return F.gelu(x, approximate="tanh" if self.tanh else "none")


@dataclass(frozen=True, slots=True)
class SiLU:
    """``x / (1 + exp(−x))``: Hendrycks & Gimpel (2016), section 4; Llama."""

    def __call__(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Apply to every number."""
        return F.silu(x)


Activation: TypeAlias = ReLU | GELU | SiLU
ACTIVATIONS = (ReLU, GELU, SiLU)
GELU_ACTIVATION = GELU()


class FeedForward(nn.Module):
    """``f(x W_1ᵀ + b_1) W_2ᵀ + b_2`` for each token: Vaswani et al. (2017), section 3.3.

    With a gate, ``(f(x W_gᵀ + b_g) ⊙ (x W_1ᵀ + b_1)) W_2ᵀ + b_2``: Shazeer (2020), "GLU Variants Improve
    Transformer".

    Args:
        d_model: Size of a token's vector.
        d_ff: Width between the two layers; ``4 · d_model`` when None, as in the paper.
        activation: f, ``ReLU()``, ``GELU()`` or ``SiLU()``.
        gated: Whether there is a gate.
        bias: Whether the layers have biases.
        device: Where the parameters live.
        dtype: Their precision.

    Raises:
        TypeError: If ``activation`` is no such choice.
        ValueError: If a size is not positive.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int | None = None,
        *,
        activation: Activation = GELU_ACTIVATION,
        gated: bool = False,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        d_ff = 4 * d_model if d_ff is None else d_ff
        require_positive(d_model=d_model, d_ff=d_ff)
        require_choice("activation", activation, ACTIVATIONS)
        self.activation = activation
        self.widen = nn.Linear(d_model, d_ff, bias, device=device, dtype=dtype)
        self.narrow = nn.Linear(d_ff, d_model, bias, device=device, dtype=dtype)
        self.gate = nn.Linear(d_model, d_ff, bias, device=device, dtype=dtype) if gated else None

    def extra_repr(self) -> str:
        """The activation."""
        return f"activation={self.activation!r}"

    def forward(self, x: Float[Tensor, "batch tokens d_model"]) -> Float[Tensor, "batch tokens d_model"]:
        """Each token through all layers."""
        wide = self.widen(x)
        return self.narrow(self.activation(wide) if self.gate is None else self.activation(self.gate(x)) * wide)
