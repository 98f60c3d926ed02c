"""Position information: six ways to let attention see the order of its tokens.

Attention alone treats its tokens as a set. A *choice* (``NoPosition``, ``Sinusoidal``, ``Learned``, ``Rotary``,
``Alibi``, ``RelativeKey``) says how order comes in; the functions below do the work and can be used with any module.
Every one of them takes explicit position numbers, so that positions can stay in their slots when tokens move, or
travel with them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.modules.cached_table import LARGEST, cached_table
from attention_core.modules.masks import require_choice, require_positive
from attention_core.modules.rope_scaling import SCALINGS, RopeScaling


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
        halves: Which two coordinates turn together: neighbours ``(x[2i], x[2i+1])`` as in the paper, or
            ``(x[i], x[i + size/2])`` of the two halves, as in the weights of GPT-NeoX, Llama and Qwen that Hugging
            Face lays out. The two are one function of weights whose rows are in another order.
        part: Which part of a head turns, its first ``size = int(d_head · part)`` coordinates; the others stay as they
            are: GPT-J, GPT-NeoX (Black et al. 2022, section 2.2.1), Phi-3.
        scaling: How angles are stretched for texts longer than those of training: ``LinearScaling``, ``DynamicNTK``,
            ``YaRN``, ``Llama3Scaling`` or ``LongRoPE``; not at all when None.
    """

    base: float = 10000.0
    halves: bool = False
    part: float = 1.0
    scaling: RopeScaling | None = None

    def size(self, d_head: int) -> int:
        """How many coordinates of a head turn.

        Raises:
            TypeError: If ``scaling`` is no such choice.
            ValueError: If they are an odd number, since they turn in pairs, or none or more than there are; or if
                ``base`` or ``scaling`` does not fit.
        """
        size = int(d_head * self.part)
        if self.part == 1 and d_head % 2:
            raise ValueError(
                f"d_head = {d_head} is odd: rotary positions turn coordinates in pairs; choose an even d_head."
            )
        if not 0 < size <= d_head or size % 2:
            raise ValueError(
                f"part = {self.part} of d_head = {d_head} is {size} coordinates: rotary positions turn them in "
                "pairs; choose a part that is an even number of them."
            )
        if not self.base > 0:
            raise ValueError(f"base = {self.base} is not possible: a positive number is needed.")
        if self.scaling is not None:
            require_choice("scaling", self.scaling, SCALINGS)
            self.scaling.require(self.base, size)
        return size

    def frequencies(
        self,
        d_head: int,
        *,
        length: int | Int[Tensor, ""] = 1,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> Float[Tensor, " pairs"]:
        """By how much each pair turns from one token to the next, in radians: ``base^(−2i/size)``, or scaled.

        Args:
            d_head: Size of a head.
            length: Positions that there are, for a scaling that depends on them.
            dtype: Their precision.
            device: Where they lie.

        Raises:
            TypeError, ValueError: As :meth:`size`.
        """
        size = self.size(d_head)
        plain = _frequencies(size, self.base, dtype, device)
        return plain if self.scaling is None else self.scaling.frequencies(plain, self.base, length)


@dataclass(frozen=True, slots=True)
class Alibi:
    """A penalty on the scores that grows with distance: Press et al. (2022), "Train Short, Test Long".

    See :func:`alibi_bias`. The distance counts both ways; with a causal mask this is the paper's form.
    """


@dataclass(frozen=True, slots=True)
class RelativeKey:
    """A learned vector for each distance, which queries meet as they meet keys: Shaw et al. (2018); BERT's variants.

    See :class:`.relative_keys.RelativeKeys`.

    Attributes:
        max_len: Distances 0 to ``max_len − 1`` have vectors of their own, before and behind; farther ones share the
            last.
        both: Whether keys meet them, too: Huang et al. (2020), method 4.
    """

    max_len: int
    both: bool = False


Position: TypeAlias = NoPosition | Sinusoidal | Learned | Rotary | Alibi | RelativeKey
POSITIONS = (NoPosition, Sinusoidal, Learned, Rotary, Alibi, RelativeKey)
ROTARY = Rotary()


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


def sinusoidal_slots(
    x: Float[Tensor, "batch tokens d_model"], *, base: float = 10000.0
) -> Float[Tensor, "tokens d_model"]:
    """:func:`sinusoidal_encoding` of the slots 0, 1, 2, … of ``x``, in its precision."""
    tokens, d_model = x.shape[1:]
    return cached_table(_sinusoidal_slots, tokens, d_model, base, numbers=tokens * d_model, like=x)


def _sinusoidal_slots(tokens: int, d_model: int, base: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    return sinusoidal_encoding(slots(tokens, None, device=device), d_model, base=base, dtype=dtype)


def rotate(
    x: Float[Tensor, "*batch tokens d_head"],
    positions: Int[Tensor, "..."],
    rotary: Rotary = ROTARY,
    *,
    length: int | Int[Tensor, ""] | None = None,
) -> Float[Tensor, "*batch tokens d_head"]:
    """Turn each pair of coordinates ``(x[2i], x[2i+1])`` by the angle ``position / base^(2i/d_head)``.

    Afterwards the dot product of a query and a key depends on their positions only through the difference:
    Su et al. (2021), "RoFormer", section 3.2.2. Lengths stay as they are, but for the gain of a scaling.

    Args:
        x: Queries or keys.
        positions: Position of each token, broadcastable to ``(*batch, tokens)``.
        rotary: Which pairs, how fast, and which part of ``x``.
        length: Positions that there are, for a scaling that depends on them; up to the largest of these when None.

    Raises:
        TypeError, ValueError: As :meth:`Rotary.size`.
    """
    length = length_of(positions) if length is None else length
    return _turn(x, _turns(positions, x.shape[-1], rotary, x.dtype, length), rotary.halves)


def length_of(positions: Int[Tensor, "..."]) -> Int[Tensor, ""]:
    """How many positions there are up to the largest of these; none without tokens."""
    return positions.max() + 1 if positions.numel() else positions.new_zeros(())


def length_of_both(of_slots: Sequence[int], positions: Sequence[Int[Tensor, "..."] | None]) -> int | Int[Tensor, ""]:
    """How many positions queries and keys reach together: as many as there are slots where none are given."""
    lengths = [slot if at is None else length_of(at) for slot, at in zip(of_slots, positions, strict=True)]
    given = [each for each in lengths if isinstance(each, Tensor)]
    most = max([0, *(each for each in lengths if not isinstance(each, Tensor))])
    return torch.stack(given).max().clamp(min=most) if given else most


def _turns(
    positions: Tensor, d_head: int, rotary: Rotary, dtype: torch.dtype, length: int | Tensor
) -> Float[Tensor, "2 ..."]:
    """Cosine and sine of each angle (2, ..., tokens, size / 2), times the gain."""
    frequencies = rotary.frequencies(d_head, length=length, dtype=_precise(dtype), device=positions.device)
    angles = positions[..., None] * frequencies
    turns = torch.stack((angles.cos(), angles.sin()))
    return turns if rotary.scaling is None else turns * rotary.scaling.gain


def _turn(x: Float[Tensor, "*batch tokens d_head"], turns: Float[Tensor, "2 ..."], halves: bool) -> Tensor:
    cos, sin = turns.unbind()
    size = 2 * cos.shape[-1]
    pairs, of_pair = ((2, -1), -2) if halves else ((-1, 2), -1)
    first, second = x[..., :size].to(turns.dtype).unflatten(-1, pairs).unbind(of_pair)  # (*batch, tokens, size / 2)
    turned = torch.stack((first * cos - second * sin, first * sin + second * cos), dim=of_pair)
    turned = turned.flatten(-2).to(x.dtype)
    return turned if size == x.shape[-1] else torch.cat((turned, x[..., size:]), dim=-1)


def rotate_heads(
    x: Float[Tensor, "batch heads tokens d_head"],
    positions: Int[Tensor, "..."] | None,
    rotary: Rotary = ROTARY,
    *,
    start: int = 0,
    max_len: int | None = None,
    length: int | Int[Tensor, ""] | None = None,
) -> Float[Tensor, "batch heads tokens d_head"]:
    """:func:`rotate` for all heads.

    Args:
        x: Queries or keys.
        positions: ``(tokens,)`` or ``(batch, tokens)``; start, start + 1, … when None.
        rotary: As in :func:`rotate`; also ``length``.
        start: Slot of the first token.
        max_len: How many slots there will be in time, for one table to serve them all; as many as now when None.
        length: Positions that there are.
    """
    if positions is not None:
        return rotate(x, positions[..., None, :], rotary, length=length)
    tokens, d_head = x.shape[2:]
    max_len = tokens if max_len is None else max_len
    of_length = rotary.scaling is not None and rotary.scaling.depends_on_length
    if of_length or (max_len > tokens and max_len * d_head > LARGEST):
        return rotate_heads(x, torch.arange(start, start + tokens, device=x.device), rotary, length=length)
    rotary.size(d_head)
    turns = cached_table(_turns_of_slots, max_len, d_head, rotary, numbers=max_len * d_head, like=x)
    return _turn(x, turns if max_len == tokens else turns[:, start : start + tokens], rotary.halves)


def _turns_of_slots(tokens: int, d_head: int, rotary: Rotary, dtype: torch.dtype, device: torch.device) -> Tensor:
    return _turns(slots(tokens, None, device=device), d_head, rotary, dtype, tokens)


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
    slopes = cached_table(_slopes, num_heads, numbers=num_heads, like=distance.new_empty((), dtype=_precise(dtype)))
    return (-slopes[:, None, None] * distance[..., None, :, :]).to(dtype)


def _slopes(num_heads: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.tensor(alibi_slopes(num_heads), dtype=dtype, device=device)


def alibi_heads(
    query: Float[Tensor, "batch *heads q_len _"],
    key: Float[Tensor, "batch *kv_heads kv_len _"],
    query_positions: Int[Tensor, "..."] | None,
    key_positions: Int[Tensor, "..."] | None,
    *,
    num_heads: int,
) -> Float[Tensor, "one_or_batch {num_heads} q_len kv_len"]:
    """:func:`alibi_bias` for these queries and keys; positions as in :func:`rotate_heads`."""
    q_len, kv_len = query.shape[-2], key.shape[-2]
    if query_positions is None and key_positions is None:
        numbers = num_heads * q_len * kv_len
        return cached_table(_alibi_slots, num_heads, q_len, kv_len, numbers=numbers, like=query)[None]
    rows = slots(q_len, query_positions, device=query.device)
    columns = slots(kv_len, key_positions, device=key.device)
    bias = alibi_bias(num_heads, rows, columns, dtype=query.dtype)
    return bias if bias.dim() == 4 else bias[None]


def _alibi_slots(num_heads: int, q_len: int, kv_len: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    rows, columns = (slots(length, None, device=device) for length in (q_len, kv_len))
    return alibi_bias(num_heads, rows, columns, dtype=dtype)


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
    return positions[..., None] * _frequencies(size, base, _precise(dtype), positions.device)


def _frequencies(size: int, base: float, dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return base ** -(torch.arange(0, size, 2, dtype=dtype, device=device) / size)
