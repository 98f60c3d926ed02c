"""What saturation does to one row of attention weights, in formulas that neither cancel nor underflow."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def _before(values: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows keys"]:
    """Sum of the values before each one, added directly: ``Σ_{j<i} v_j``."""
    return F.pad(values.cumsum(-1)[..., :-1], (1, 0))


def _after(values: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows keys"]:
    """Sum of the values after each one, added directly: ``Σ_{j>i} v_j``."""
    return _before(values.flip(-1)).flip(-1)


def rest_of_row(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """``ε = Σ_{j≠max} a_j``: what the largest weight of each row leaves to the others.

    The others are added; ``1 − a_max`` would cancel to 0 as soon as ``ε`` is below the unit roundoff.
    """
    return weights.scatter(-1, weights.argmax(-1, keepdim=True), 0.0).sum(-1)


def jacobian_norm(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """``‖J‖_F`` of softmax's Jacobian ``J = diag(a) − aaᵀ``, for each row ``a``.

    ``‖J‖²_F = Σ_i a_i²(Σ_{j≠i} a_j)² + 2 Σ_{i<j} a_i²a_j²`` has non-negative terms only, where the textbook's
    ``Σa² − 2Σa³ + (Σa²)²`` cancels and turns negative. The largest weight is taken apart and the rest divided by the
    second largest, so no square underflows: the result is 0 only where all but one weight are 0.

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
    others = _before(weights) + _after(weights)
    top = largest.squeeze(-1).square() * (ratio.sum(-1).square() + 2 * squares.sum(-1))
    diagonal = (ratio * others).square().sum(-1)
    off_diagonal = 2 * unit.squeeze(-1).square() * (squares * _after(squares)).sum(-1)
    return unit.squeeze(-1) * (top + diagonal + off_diagonal).sqrt()


def jacobian(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows keys keys"]:
    """``J = diag(a) − aaᵀ`` for each row: ``a_i Σ_{j≠i} a_j`` on the diagonal, ``−a_i a_j`` off it."""
    matrix = -weights.unsqueeze(-1) * weights.unsqueeze(-2)
    matrix.diagonal(dim1=-2, dim2=-1).copy_(weights * (_before(weights) + _after(weights)))
    return matrix


def entropy(weights: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """``H = −Σ a_j ln a_j`` in nats, with ``0 · ln 0 = 0``, for each row."""
    return -torch.xlogy(weights, weights).sum(-1)


def row_norms(rows: Float[Tensor, "*rows d"]) -> Float[Tensor, "*rows"]:
    """Euclidean norm of each row, divided by its largest entry first so that no square underflows."""
    unit = rows.abs().amax(-1, keepdim=True)
    return unit.squeeze(-1) * torch.linalg.vector_norm(rows / torch.where(unit > 0, unit, 1.0), dim=-1)
