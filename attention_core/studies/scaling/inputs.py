"""Random queries and keys of the scaling experiment: one stream of numbers for each kind."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from attention_core.measuring.inputs import generator
from attention_core.modules.allocate import allocate
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import TiedKeyValue
from attention_core.studies.scaling.settings import CHUNK, D_HEADS, MODEL_WIDTH, ScalingConfig

PAIR_ROWS: Final = 1024  # rows of 4,096 components that pairs are cut from; a multiple of CHUNK

MAX_PAIRS: Final = 4096  # independent pairs a chunk and d_head, where d_head leaves so many


def pair_rows(d_head: int) -> int:
    """How many of a chunk's rows pairs are cut from."""
    return min(CHUNK, max(1, MAX_PAIRS * d_head // D_HEADS[-1]))


def pairs_of(d_head: int) -> int:
    """How many independent pairs there are in all."""
    return PAIR_ROWS // CHUNK * pair_rows(d_head) * (D_HEADS[-1] // d_head)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What one chunk of queries is made of, 4,096 components wide: d_head takes the first ones.

    Attributes:
        queries: (chunk, 4096).
        keys: (keys, 4096), shared by all queries of all chunks.
        upstream: (chunk, keys) ~ N(0, 1): ∂L/∂weights.
        pairs: Queries and keys (chunk, 4096) that are independent of all others in every component and row, or, of
            correlated ones, of all but each other; None once ``PAIR_ROWS`` have been drawn, or where none are wanted.
    """

    queries: Float[Tensor, "chunk width"]
    keys: Float[Tensor, "keys width"]
    upstream: Float[Tensor, "chunk keys"]
    pairs: tuple[Float[Tensor, "chunk width"], Float[Tensor, "chunk width"]] | None


def chunks(config: ScalingConfig, *, size: int = CHUNK, paired: bool = True) -> Iterator[Inputs]:
    """The inputs, chunk by chunk, each kind from its own stream: how they are cut does not change them.

    They are drawn in float32, four times as fast as in float64, and then cast: one seed is one input everywhere.

    Args:
        config: Settings.
        size: Queries of each.
        paired: Whether independent pairs are wanted.
    """
    streams = {name: generator(config.seed, "scaling", name) for name in ("query", "key", "upstream", "pair")}
    width = MODEL_WIDTH if config.through_module else D_HEADS[-1]
    draw = unit_draw(config.inputs)
    target = {"device": config.torch_device, "dtype": config.torch_dtype}
    matrices = projections(config) if config.through_module else None
    fresh = math.sqrt(1 - config.correlation**2)

    def unit(name: str, rows: int) -> Tensor:
        return draw(rows, width, generator=streams[name])

    def made(which: str, rows: Tensor) -> Tensor:
        cast = _spread(config, rows).to(**target)
        return cast if matrices is None else F.linear(cast, getattr(matrices, which))

    def beside(own: Tensor, at: slice | Tensor, query: Tensor) -> Tensor:
        return made("q_weight", config.correlation * own[at] + fresh * query if config.correlation else query)

    key = unit("key", config.num_keys)
    keys = made("k_weight", key)
    upstream = unit_draw("normal")(config.num_queries, config.num_keys, generator=streams["upstream"]).to(**target)

    def chunk(first: int) -> Inputs:
        """Its own function, so that nothing of a chunk is held once it has been handed over."""
        last = min(first + size, config.num_queries)
        query = unit("query", last - first)
        queries = beside(key, torch.arange(first, last) % config.num_keys, query)
        pairs = None
        if paired and first < PAIR_ROWS:
            pair = unit("pair", last - first)
            own = beside(pair, slice(None), query) if config.correlation else queries
            pairs = (own, made("k_weight", pair))
        return Inputs(queries, keys, upstream[first:last], pairs)

    for first in range(0, config.num_queries, size):
        yield chunk(first)


def many_keys(config: ScalingConfig, d_head: int, num_queries: int, num_keys: int) -> tuple[Tensor, Tensor]:
    """Queries and more keys than settings allow, (rows, d_head) each, from streams of their own."""
    draw, width = unit_draw(config.inputs), MODEL_WIDTH if config.through_module else d_head
    query, key = (
        draw(rows, width, generator=generator(config.seed, "scaling", "many keys", name))
        for name, rows in (("query", num_queries), ("key", num_keys))
    )
    if config.correlation:
        query = config.correlation * key[:num_queries] + math.sqrt(1 - config.correlation**2) * query
    target = {"device": config.torch_device, "dtype": config.torch_dtype}
    query, key = (_spread(config, rows).to(**target) for rows in (query, key))
    if not config.through_module:
        return query, key
    matrices = projections(config)
    assert matrices.q_weight is not None
    assert matrices.k_weight is not None
    return F.linear(query, matrices.q_weight[:d_head]), F.linear(key, matrices.k_weight[:d_head])


def _spread(config: ScalingConfig, rows: Tensor) -> Tensor:
    """With the mean and the standard deviation that the settings give each component."""
    if config.mean:
        rows = config.mean + rows
    return config.std * rows if config.std != 1 else rows


def projections(config: ScalingConfig) -> MultiHeadAttention:
    """A module whose W_Q and W_K (512 → 4,096) are drawn as it draws them, from U(±1/√d_model), but from the seed."""
    module = MultiHeadAttention(
        MODEL_WIDTH, 1, d_head=D_HEADS[-1], q_bias=False, k_bias=False, v_bias=False,
        projections=TiedKeyValue(), output_projection=False, device="meta", dtype=torch.float64,
    )  # fmt: skip
    module = allocate(module).requires_grad_(False)
    bound = 1 / math.sqrt(MODEL_WIDTH)
    for parameter in module.parameters():
        parameter.uniform_(-bound, bound, generator=generator(config.seed, "scaling", "projection"))
    return module.to(device=config.torch_device, dtype=config.torch_dtype)


def unit_draw(inputs: str) -> Callable[..., Tensor]:
    """How numbers of mean 0 and variance 1 are drawn, in float32: a function of shape and generator."""
    normal, uniform = partial(torch.randn, dtype=torch.float32), partial(torch.rand, dtype=torch.float32)
    return {
        "normal": normal,
        "uniform": lambda *shape, generator: (2 * uniform(*shape, generator=generator) - 1) * math.sqrt(3),
        "signs": lambda *shape, generator: 1 - 2 * uniform(*shape, generator=generator).round(),
    }[inputs]
