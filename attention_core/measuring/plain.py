"""Attention in plain torch: what the code that pages show is made of, so nothing else may be imported here."""

import hashlib
import math

import torch
from torch import Tensor


def generator(*purpose: object) -> torch.Generator:
    """A stream of random numbers of its own for each purpose, which begins with the seed: the same on any machine."""
    digest = hashlib.blake2b(repr(purpose).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)


def draw(shape: tuple[int, ...], *purpose: object) -> Tensor:
    """Numbers from N(0, 1)."""
    return torch.randn(shape, generator=generator(*purpose), dtype=torch.float64)


def embed(tokens: tuple[str, ...], size: int, seed: int) -> Tensor:
    """A random vector for each text; equal texts have equal vectors."""
    return torch.stack([draw((size,), seed, "token", text) for text in tokens])


def parameter(name: str, *shape: int, seed: int, bias_std: float = 0.5) -> Tensor:
    """A module's parameter: N(0, 1 / columns) for a matrix, N(0, bias_std²) for a bias."""
    std = shape[-1] ** -0.5 if len(shape) == 2 else bias_std
    return std * draw(shape, seed, "parameter", name)


def sinusoids(slots: Tensor, size: int) -> Tensor:
    """Sines and cosines of each slot, to be added to its token."""
    angles = slots[..., None] * 10000.0 ** -(torch.arange(0, size, 2, dtype=torch.float64) / size)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)[..., :size]


def turn_pairs(z: Tensor, angles: Tensor) -> Tensor:
    """Each pair of numbers turned by its angle."""
    even, odd = z.to(angles.dtype).unflatten(-1, (-1, 2)).unbind(-1)
    turned = even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()
    return torch.stack(turned, -1).flatten(-2).to(z.dtype)


def rotate(z: Tensor, slots: Tensor) -> Tensor:
    """Rotary positions: each pair of numbers turned by an angle that grows with the slot."""
    exact = torch.promote_types(z.dtype, torch.float32)
    angles = slots[:, None] * 10000.0 ** -(torch.arange(0, z.shape[-1], 2, dtype=exact) / z.shape[-1])
    return turn_pairs(z, angles)


def yarn(z: Tensor, slots: Tensor) -> Tensor:
    """Rotary positions for texts 4 times longer than 64 tokens, by YaRN.

    A pair that turns less than once in 64 tokens turns 4 times slower, a faster one less so; numbers grow by a gain.
    """
    size, exact = z.shape[-1], torch.promote_types(z.dtype, torch.float32)
    pairs = torch.arange(size // 2, dtype=exact)
    usual = 10000.0 ** (-2 * pairs / size)
    end = math.ceil(size * math.log(64 / (2 * math.pi)) / (2 * math.log(10000.0)))
    slow = (pairs / min(end, size - 1)).clamp(0, 1)
    angles = slots[:, None] * (usual / 4 * slow + usual * (1 - slow))
    return (turn_pairs(z.to(exact), angles) * (0.1 * math.log(4) + 1)).to(z.dtype)


def llama3(z: Tensor, slots: Tensor) -> Tensor:
    """Rotary positions for texts 4 times longer than 64 tokens, as in Llama 3.1.

    A pair that turns less than once in 64 tokens turns 4 times slower, one that turns more than 4 times stays.
    """
    size, exact = z.shape[-1], torch.promote_types(z.dtype, torch.float32)
    usual = 10000.0 ** -(torch.arange(0, size, 2, dtype=exact) / size)
    stays = ((64 * usual / (2 * math.pi) - 1) / (4 - 1)).clamp(0, 1)
    return turn_pairs(z, slots[:, None] * ((1 - stays) * usual / 4 + stays * usual))


def ntk(z: Tensor, slots: Tensor, length: int) -> Tensor:
    """Rotary positions by dynamic NTK, in a text of that length: beyond 4 tokens slow pairs turn ever slower."""
    size, exact = z.shape[-1], torch.promote_types(z.dtype, torch.float32)
    even = torch.arange(0, size, 2, dtype=exact)
    slower = max(4 * length / 4 - (4 - 1), 1)  # the slowest pair by this
    return turn_pairs(z, slots[:, None] * 10000.0 ** -(even / size) * slower ** -(even / max(size - 2, 1)))


def longrope(z: Tensor, slots: Tensor, length: int) -> Tensor:
    """Rotary positions by LongRoPE, in a text of that length: beyond 4 tokens each pair is divided by its own number.

    A search finds these numbers; here they go from 1 to 4. Scores grow by a gain, for texts 4 times longer than 4.
    """
    size, exact = z.shape[-1], torch.promote_types(z.dtype, torch.float32)
    usual = 10000.0 ** -(torch.arange(0, size, 2, dtype=exact) / size)
    divided = torch.linspace(1, 4, size // 2, dtype=exact) if length > 4 else 1
    gain = (1 + math.log(4) / math.log(4)) ** 0.5
    return (turn_pairs(z.to(exact), slots[:, None] * usual / divided) * gain).to(z.dtype)


def turn_half(z: Tensor, slots: Tensor) -> Tensor:
    """Rotary positions of the first half of a head's numbers; the others stay."""
    turned, rest = z.chunk(2, -1)
    return torch.cat((rotate(turned, slots), rest), -1)


def alibi(heads: int, queries: Tensor, keys: Tensor) -> Tensor:
    """ALiBi, added to the scores: each head takes off its slope times the distance of query and key."""
    below = 2 ** (heads.bit_length() - 1)  # a power of two; other heads take every second slope of the next one
    powers = [8 * h / below for h in range(1, below + 1)] + [4 * h / below for h in range(1, 2 * below, 2)]
    slopes = 2.0 ** -torch.tensor(powers[:heads], dtype=torch.float64)
    return -slopes[:, None, None] * (queries[:, None] - keys).abs()


def split(z: Tensor, heads: int) -> Tensor:
    """Rows cut into heads, one laid out after the other: (heads, tokens, d_head)."""
    return z.unflatten(-1, (heads, -1)).transpose(-3, -2).contiguous()


def merge(z: Tensor) -> Tensor:
    """The heads' rows side by side again: (tokens, heads · d_head)."""
    return z.transpose(-3, -2).flatten(-2)


def product(a: Tensor, b: Tensor) -> Tensor:
    """``a b``; that of half precision in float32, since scores may overflow before they are scaled."""
    exact = torch.promote_types(a.dtype, torch.float32)
    return a.to(exact) @ b.to(exact)


def attention_weights(q: Tensor, k: Tensor, mask: Tensor | float = 0.0) -> Tensor:
    """How much each query looks at each key; a query that sees none gives no weight."""
    scores = product(q, k.mT) * q.shape[-1] ** -0.5 + torch.as_tensor(mask, dtype=q.dtype)
    return scores.softmax(-1).nan_to_num().to(q.dtype)
