"""Rotary positions, as they are meant and as they go wrong."""

import torch
from jaxtyping import Float
from torch import Tensor


def turned(x: Float[Tensor, "... tokens n"], kind: str, number: str) -> Float[Tensor, "... tokens n"]:
    """Turn pairs of coordinates by the token's position.

    Args:
        x: Vectors of tokens.
        kind: Which pairs: ``neighbours`` or ``halves``, with ``part_`` for those of the first ``number`` of the
            vector, ``back_`` for the other way, ``mixed_`` for the angles of the other pairs.
        number: The base, or with ``part_`` the share; 10,000 where empty.
    """
    if kind.startswith("part_"):
        size = int(float(number) * x.shape[-1]) // 2 * 2
        return torch.cat((turned(x[..., :size], kind.removeprefix("part_"), ""), x[..., size:]), dim=-1)
    base, size = float(number or 10000), x.shape[-1]
    angles = torch.arange(x.shape[-2], dtype=x.dtype)[:, None] * base ** -(
        torch.arange(0, size, 2).to(x.dtype) / size
    )
    angles = -angles if kind.startswith("back_") else angles
    halves = kind.endswith("halves")
    spread = (
        torch.cat((angles, angles), -1) if halves != kind.startswith("mixed_") else angles.repeat_interleave(2, -1)
    )
    if halves:
        first, second = x.chunk(2, dim=-1)
        other = torch.cat((-second, first), dim=-1)
    else:
        first, second = x[..., 0::2], x[..., 1::2]
        other = torch.stack((-second, first), dim=-1).flatten(-2)
    return x * spread.cos() + other * spread.sin()
