"""What saturation does to one row of attention weights, in formulas that neither cancel nor underflow."""

import torch
from jaxtyping import Float
from torch import Tensor

# Numbers up to half of the smallest subnormal become 0.
_BECOMES_ZERO = {torch.float16: 2.0**-25, torch.bfloat16: 2.0**-134}


def rest_of_row(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """``ε = Σ_{j≠max} a_j``: what the largest weight of each row leaves to the others.

    The others are added; ``1 − a_max`` would cancel to 0 as soon as ``ε`` is below the unit roundoff.
    """
    return weights.scatter(-1, weights.argmax(-1, keepdim=True), 0.0).sum(-1)


def jacobian_norm(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """``‖J‖_F`` of softmax's Jacobian ``J = diag(a) − aaᵀ``, for each row ``a``.

    ``‖J‖²_F = Σ_i a_i²(Σ_{j≠i} a_j)² + Σ_{i≠j} a_i²a_j²``, where the textbook's ``Σa² − 2Σa³ + (Σa²)²`` cancels and
    turns negative. With the largest weight a₁ taken apart and the rest divided by the second largest u, r = a / u::

        ‖J‖²_F / u² = a₁²((Σr)² + 2Σr²) + Σr²(1 − a)² + u²((Σr²)² − Σr⁴)       sums over the rest

    No square underflows, 1 − a is at least ½, and what the last difference cancels is below the roundoff of the first
    term, as u ≤ a₁: the result is 0 only where all but one weight are 0.

    Args:
        weights: Rows that are ≥ 0 and sum to 1.

    Returns:
        A number ≥ 0 for each row, at most 2 · ``rest_of_row``.
    """
    largest, at = weights.max(-1, keepdim=True)
    rest = weights.scatter(-1, at, 0.0)
    unit = rest.amax(-1, keepdim=True)
    ratio = rest / torch.where(unit > 0, unit, 1.0)
    squares = ratio.square()
    total, fourth = squares.sum(-1), squares.square().sum(-1)
    top = largest.squeeze(-1).square() * (ratio.sum(-1).square() + 2 * total)
    diagonal = (squares * (1 - rest).square()).sum(-1)
    unit = unit.squeeze(-1)
    return unit * (top + diagonal + unit.square() * (total.square() - fourth)).sqrt()


def jacobian(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows keys keys"]:
    """``J = diag(a) − aaᵀ`` for each row: ``a_i(1 − a_i)`` on the diagonal, ε for the largest's ``1 − a_i``."""
    matrix = -weights.unsqueeze(-1) * weights.unsqueeze(-2)
    others = (1 - weights).scatter(-1, weights.argmax(-1, keepdim=True), rest_of_row(weights).unsqueeze(-1))
    matrix.diagonal(dim1=-2, dim2=-1).copy_(weights * others)
    return matrix


def entropy(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """``H = −Σ a_j ln a_j`` in nats, with ``0 · ln 0 = 0``, for each row."""
    return torch.special.entr(weights).sum(-1)


def row_norms(rows: Float[Tensor, "*rows d"]) -> Float[Tensor, "*rows"]:
    """Euclidean norm of each row, in float64; where its squares would underflow, its largest entry is divided out."""
    norms = torch.linalg.vector_norm(rows, dim=-1, dtype=torch.float64)
    small = norms < 1e-140
    if rows.is_cpu and not small.any():  # on an accelerator it is quicker to do both than to wait for the answer
        return norms
    unit = rows.double().abs().amax(-1, keepdim=True)
    scaled = torch.linalg.vector_norm(rows.double() / torch.where(unit > 0, unit, 1.0), dim=-1)
    return torch.where(small, unit.squeeze(-1) * scaled, norms)


def zeros_in(half: torch.dtype, weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """Share of each row's weights that are 0 once stored in ``half``: float16 or bfloat16."""
    return (weights <= _BECOMES_ZERO[half]).to(torch.float64).mean(-1)
