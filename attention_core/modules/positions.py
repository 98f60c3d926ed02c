"""Position information: five ways to let attention see the order of its tokens.

Attention alone treats its tokens as a set. A *choice* (``NoPosition``, ``Sinusoidal``, ``Learned``, ``Rotary``,
``Alibi``) says how order comes in; the functions below do the work and can be used with any module. Every one of them
takes explicit position numbers, so that positions can stay in their slots when tokens move, or travel with them.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.modules.masks import require_positive


@dataclass(frozen=True, slots=True)
class NoPosition:
    """No position information: without a mask, attention cannot tell one order of its tokens from another."""


@dataclass(frozen=True, slots=True)
class Sinusoidal:
    """Fixed sines and cosines added to the input, :func:`sinusoidal_encoding`: Vaswani et al. (2017), section 3.5.

    Attributes:
        base: The longest wavelength is ``2π · base`` tokens.
    """

    base: float = 10000.0


@dataclass(frozen=True, slots=True)
class Learned:
    """One learned vector for each position, added to the input: Gehring et al. (2017), section 3.1; BERT.

    Attributes:
        max_len: Number of positions there are.
    """

    max_len: int


@dataclass(frozen=True, slots=True)
class Rotary:
    """Queries and keys turned by angles that grow with the position, :func:`rotate`: Su et al. (2021), "RoFormer".

    Attributes:
        base: The slowest pair of coordinates turns once in about ``2π · base`` tokens.
    """

    base: float = 10000.0


@dataclass(frozen=True, slots=True)
class Alibi:
    """A penalty on the scores that grows with distance: Press et al. (2022), "Train Short, Test Long".

    See :func:`alibi_bias`. The distance counts both ways; with a causal mask this is the paper's form.
    """


Position: TypeAlias = NoPosition | Sinusoidal | Learned | Rotary | Alibi
POSITIONS = (NoPosition, Sinusoidal, Learned, Rotary, Alibi)


def sinusoidal_encoding(
    positions: Int[Tensor, "*batch tokens"],
    d_model: int,
    *,
    base: float = 10000.0,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*batch tokens d_model"]:
    """Sines and cosines of the position, with wavelengths from 2π to ``2π · base`` tokens.

    ``PE[p, 2i] = sin(p / base^(2i/d_model))`` and ``PE[p, 2i+1] = cos(p / base^(2i/d_model))``: Vaswani et al.
    (2017), section 3.5. An odd ``d_model`` ends on a sine.

    Args:
        positions: Position of each token.
        d_model: Length of the encoding.
        base: Sets the longest wavelength.
        dtype: Precision of the result; angles are computed in float32, or float64 for float64.

    Raises:
        ValueError: If ``d_model`` or ``base`` is not positive.
    """
    require_positive(d_model=d_model)
    angles = _angles(positions, d_model, base, dtype)  # (*batch, tokens, ⌈d_model / 2⌉)
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)  # (*batch, tokens, 2⌈d_model / 2⌉)
    return pairs[..., :d_model].to(dtype)


def rotate(
    x: Float[Tensor, "*batch tokens d_head"], positions: Int[Tensor, "..."], *, base: float = 10000.0
) -> Float[Tensor, "*batch tokens d_head"]:
    """Turn each pair of neighbouring coordinates ``(x[2i], x[2i+1])`` by the angle ``position / base^(2i/d_head)``.

    Afterwards the dot product of a query and a key depends on their positions only through the difference:
    Su et al. (2021), "RoFormer", section 3.2.2. Lengths stay as they are.

    Args:
        x: Queries or keys.
        positions: Position of each token, broadcastable to ``(*batch, tokens)``.
        base: Sets the slowest pair.

    Raises:
        ValueError: If ``d_head`` is odd, since coordinates turn in pairs, or ``base`` is not positive.
    """
    d_head = x.shape[-1]
    if d_head % 2:
        raise ValueError(
            f"d_head = {d_head} is odd: rotary positions turn coordinates in pairs; choose an even d_head."
        )
    angles = _angles(positions, d_head, base, x.dtype)  # (..., tokens, d_head / 2)
    cos, sin = angles.cos(), angles.sin()
    even, odd = x.to(angles.dtype).unflatten(-1, (-1, 2)).unbind(-1)  # (*batch, tokens, d_head / 2) each
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(-2).to(x.dtype)


def rotate_heads(
    x: Float[Tensor, "batch heads tokens d_head"], positions: Int[Tensor, "..."] | None, *, base: float = 10000.0
) -> Float[Tensor, "batch heads tokens d_head"]:
    """:func:`rotate` for all heads; positions ``(tokens,)`` or ``(batch, tokens)``, 0, 1, 2, … when None."""
    positions = slots(x.shape[2], positions, device=x.device)
    return rotate(x, positions[..., None, :], base=base)


def alibi_slopes(num_heads: int) -> tuple[float, ...]:
    """Steepness of each head's penalty: ``2^(−8/h), 2^(−16/h), …, 2^(−8)`` for h heads, a power of two.

    Other numbers of heads take the slopes of the power of two below, then every second one of the power of two above,
    as in the authors' code. Press et al. (2022), section 3.

    Raises:
        ValueError: If ``num_heads`` is not positive.
    """
    require_positive(num_heads=num_heads)
    below = 2 ** math.floor(math.log2(num_heads))
    slopes = [2.0 ** (-8.0 * (head + 1) / below) for head in range(below)]
    between = [2.0 ** (-4.0 * (head + 1) / below) for head in range(0, 2 * below, 2)]
    return tuple(slopes + between[: num_heads - below])


def alibi_bias(
    num_heads: int,
    query_positions: Int[Tensor, "*#batch q_len"],
    key_positions: Int[Tensor, "*#batch kv_len"],
    *,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*batch heads q_len kv_len"]:
    """Added to the scores: ``−slope · |position of query − position of key|``, one slope for each head.

    Press et al. (2022), "Train Short, Test Long", section 3; the slopes are those of :func:`alibi_slopes`.

    Raises:
        ValueError: If ``num_heads`` is not positive.
    """
    distance = (query_positions[..., :, None] - key_positions[..., None, :]).abs()  # (*batch, q_len, kv_len)
    slopes = torch.tensor(alibi_slopes(num_heads), dtype=_precise(dtype), device=distance.device)
    return (-slopes[:, None, None] * distance[..., None, :, :]).to(dtype)


def alibi_heads(
    query: Float[Tensor, "batch *heads q_len _"],
    key: Float[Tensor, "batch *heads kv_len _"],
    query_positions: Int[Tensor, "..."] | None,
    key_positions: Int[Tensor, "..."] | None,
    *,
    num_heads: int,
) -> Float[Tensor, "one_or_batch {num_heads} q_len kv_len"]:
    """:func:`alibi_bias` for these queries and keys; positions as in :func:`rotate_heads`."""
    rows = slots(query.shape[-2], query_positions, device=query.device)
    columns = slots(key.shape[-2], key_positions, device=key.device)
    bias = alibi_bias(num_heads, rows, columns, dtype=query.dtype)
    return bias if bias.dim() == 4 else bias[None]


def slots(tokens: int, positions: Tensor | None, *, device: torch.device | None = None) -> Int[Tensor, "..."]:
    """``positions``, or the slots 0, 1, 2, … of ``tokens`` tokens when None."""
    return torch.arange(tokens, device=device) if positions is None else positions


def require_positions(name: str, positions: Tensor | None, batch: int, tokens: int) -> None:
    """Refuse positions that are not one for each token.

    Raises:
        ValueError: If their shape is neither ``(tokens,)`` nor ``(batch or 1, tokens)``, or they are complex or bool.
    """
    if positions is None:
        return
    if tuple(positions.shape) not in ((tokens,), (1, tokens), (batch, tokens)):
        raise ValueError(
            f"{name} has shape {tuple(positions.shape)}: one position for each token is needed, "
            f"(tokens,) = ({tokens},) or (batch, tokens) = {(batch, tokens)}."
        )
    if positions.dtype == torch.bool or positions.is_complex():
        raise ValueError(f"{name} has dtype {positions.dtype}: give whole numbers.")


def _precise(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _angles(positions: Tensor, size: int, base: float, dtype: torch.dtype) -> Tensor:
    if not base > 0:
        raise ValueError(f"base = {base} is not possible: a positive number is needed.")
    exponents = torch.arange(0, size, 2, dtype=_precise(dtype), device=positions.device) / size
    return positions[..., None] * base**-exponents
