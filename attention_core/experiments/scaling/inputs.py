"""Random queries, keys and values of the scaling experiment: one stream of numbers for each kind."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from attention_core.experiments.inputs import generator
from attention_core.experiments.scaling.config import D_HEADS, MODEL_WIDTH, ScalingConfig
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import TiedKeyValue

CHUNK: Final = 256  # queries at a time: 8 MB a tensor at d_head = 4096 in float64


@dataclass(frozen=True, slots=True)
class Inputs:
    """What one chunk of queries is made of, 4,096 components wide: d_head takes the first ones.

    Attributes:
        queries: (chunk, 4096).
        keys: (keys, 4096), shared by all queries of all chunks.
        values: (keys, 4096) ~ N(0, 1), shared too.
        upstream: (chunk, 4096) ~ N(0, 1): ∂L/∂context times √d_head.
        pair_queries: (chunk, 4096); independent of the other rows, as are
        pair_keys: (chunk, 4096): each row pairs with its query alone.
    """

    queries: Float[Tensor, "chunk width"]
    keys: Float[Tensor, "keys width"]
    values: Float[Tensor, "keys width"]
    upstream: Float[Tensor, "chunk width"]
    pair_queries: Float[Tensor, "chunk width"]
    pair_keys: Float[Tensor, "chunk width"]


def chunks(config: ScalingConfig) -> Iterator[Inputs]:
    """The inputs, chunk by chunk, each kind from its own stream: how they are cut does not change them."""
    streams = {
        name: generator(config.seed, "scaling", name) for name in ("query", "key", "value", "upstream", "pair")
    }
    width = MODEL_WIDTH if config.through_module else D_HEADS[-1]
    draw = unit_draw(config.inputs)
    target = {"device": config.torch_device, "dtype": config.torch_dtype}
    matrices = projections(config) if config.through_module else None
    fresh = math.sqrt(1 - config.correlation**2)

    def unit(name: str, rows: int) -> Tensor:
        return draw(rows, width, generator=streams[name], dtype=torch.float64)

    def normal(name: str, rows: int) -> Tensor:
        return torch.randn(rows, D_HEADS[-1], generator=streams[name], dtype=torch.float64).to(**target)

    def made(which: str, rows: Tensor) -> Tensor:
        cast = (config.std * (config.mean + rows)).to(**target)
        return cast if matrices is None else F.linear(cast, getattr(matrices, which))

    key = unit("key", config.num_keys)
    keys, values = made("k_weight", key), normal("value", config.num_keys)
    for first in range(0, config.num_queries, CHUNK):
        count = min(CHUNK, config.num_queries - first)
        query, pair = unit("query", count), unit("pair", count)
        own = key[torch.arange(first, first + count) % config.num_keys]
        queries = made("q_weight", config.correlation * own + fresh * query)
        pair_queries = made("q_weight", config.correlation * pair + fresh * query) if config.correlation else queries
        yield Inputs(queries, keys, values, normal("upstream", count), pair_queries, made("k_weight", pair))


def projections(config: ScalingConfig) -> MultiHeadAttention:
    """A module whose W_Q and W_K (512 → 4,096) are drawn as it draws them, from U(±1/√d_model), but from the seed."""
    module = MultiHeadAttention(
        MODEL_WIDTH, 1, d_head=D_HEADS[-1], q_bias=False, k_bias=False, v_bias=False,
        projections=TiedKeyValue(), output_projection=False, device="meta", dtype=torch.float64,
    ).to_empty(device="cpu").requires_grad_(False)  # fmt: skip
    bound = 1 / math.sqrt(MODEL_WIDTH)
    for parameter in module.parameters():
        parameter.uniform_(-bound, bound, generator=generator(config.seed, "scaling", "projection"))
    return module.to(device=config.torch_device, dtype=config.torch_dtype)


def unit_draw(inputs: str) -> Callable[..., torch.Tensor]:
    """How numbers of mean 0 and variance 1 are drawn for ``inputs``: a function of shape, generator and dtype."""

    def uniform(*shape: int, **options: object) -> torch.Tensor:
        return (2 * torch.rand(*shape, **options) - 1) * math.sqrt(3)  # pyright: ignore

    def signs(*shape: int, **options: object) -> torch.Tensor:
        return 1 - 2 * torch.rand(*shape, **options).round()  # pyright: ignore

    return {"normal": torch.randn, "uniform": uniform, "signs": signs}[inputs]
