"""What the place of its norms does to a block: nothing to the order of its tokens (``perm-block``)."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.arrays import on_cpu
from attention_core.experiments.bounds import output_tolerance, tolerance
from attention_core.experiments.inputs import generator
from attention_core.experiments.judge import Found, Test, judge_all, largest
from attention_core.experiments.normalization.built import PARTS, block_tokens, build_block
from attention_core.experiments.normalization.config import PLACEMENTS, NormalizationConfig
from attention_core.experiments.normalization.placement import place_verdicts, through_depth
from attention_core.experiments.verdict import Result
from attention_core.modules.block import Placement, PreNorm

MOST_ORDERS: Final = 120
GELU_SLOPE: Final = 1.13  # the largest slope of GELU; that of ReLU is 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult(Result):
    """What is left of f(σX) − σf(X) in each placement of the norm.

    Attributes:
        placements: Names of the placements, in the order of the arrays.
        order: The order that is drawn: which token stands at each slot.
        left: f(σX) − σf(X) for that order (placements, tokens, d_model).
        residuals: Its largest absolute value for every order that was tried (placements, orders).
        bounds: What rounding explains, for each placement.
        stretched: Length of a token ÷ √d_model after 0, 1, 2 … blocks, mean (placements, depths).
        alike: Cosine between a token and what it was at first, mean (placements, depths).
        verdicts: ``perm-block`` and ``norm-place`` for each placement.
    """

    placements: tuple[str, ...]
    order: tuple[int, ...]
    left: np.ndarray
    residuals: np.ndarray
    bounds: tuple[float, ...]
    stretched: np.ndarray
    alike: np.ndarray


def run_block(config: NormalizationConfig) -> BlockResult:
    """Permute the tokens of a block in all orders of up to five, in 120 random ones above."""
    orders, left = _orders(config), _all_left(config)
    shown = min(len(orders) - 1, 77)  # any order that moves every token of five
    found = _found(config, left)
    stretched, alike = through_depth(config)
    verdicts = judge_all(config, TESTS, found, lambda other: _found(other, _all_left(other)))
    return BlockResult.of(
        config,
        (*verdicts, *place_verdicts(config)),
        placements=tuple(PLACEMENTS),
        order=tuple(orders[shown].tolist()),
        left=left[:, shown],
        residuals=left.abs().amax((2, 3)),
        bounds=tuple(each.margin for each in found.values()),
        stretched=stretched,
        alike=alike,
    )


TESTS: Final = tuple(
    Test(f"perm-block.{name.split('-')[0].replace('residual post', 'residual')}", "≤",
         f"with {name} the outputs, put back in order, differ by at most", f"{name}: max |f(σX) − σ f(X)|",
         breaks=lambda config: config.about("block"))
    for name in PLACEMENTS
)  # fmt: skip


def _found(config: NormalizationConfig, left: Tensor) -> dict[str, Found]:
    cases = f"{'all' if config.num_tokens <= 5 else 'a sample of'} {left.shape[1]} orders, {config.norm}"
    found = {}
    for test, placement, each in zip(TESTS, PLACEMENTS.values(), left, strict=True):
        bound, size = _bound(config, placement)
        found[test.key] = Found(largest(each), bound, cases, size)
    return found


def _all_left(config: NormalizationConfig) -> Tensor:
    return torch.stack([_left(config, placement, _orders(config)) for placement in PLACEMENTS.values()])


def _left(config: NormalizationConfig, placement: Placement, orders: Tensor) -> Tensor:
    """f(σX) − σf(X) for all orders (orders, tokens, d_model), in float64 on the CPU."""
    block, x = build_block(config, placement), block_tokens(config)
    before = on_cpu(block(x, is_causal=config.causal))[0]
    moved = x[0][orders.to(x.device)]
    # BatchNorm's statistics are those of one sentence: one order at a time.
    batches = moved.split(1) if config.norm == "BatchNorm" else (moved,)
    return on_cpu(torch.cat([block(each, is_causal=config.causal) for each in batches])) - before[orders]


def _orders(config: NormalizationConfig) -> Tensor:
    n = config.num_tokens
    if n <= 5:
        return torch.tensor(list(itertools.permutations(range(n))))
    stream = generator(config.seed, "normalization", "orders", n)
    return torch.stack([torch.randperm(n, generator=stream) for _ in range(MOST_ORDERS)])


def _bound(config: NormalizationConfig, placement: Placement) -> tuple[float, float]:
    """What rounding explains: attention's own error, divided by the spread a norm divides by, through both layers.

    And how large an output is.

    Errors of random signs pass a layer of the feed-forward network times the root sum of squares of its rows (Higham
    & Mary 2020), and GELU times its slope. The sums of the norms and of the network add their own.
    """
    block, x = build_block(config, placement), block_tokens(config)
    seen: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def hook(_: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> None:
            seen[name], seen[f"{name} out"] = given[0], out

        return hook

    hooks = [module.register_forward_hook(keep(name)) for name, module in block.named_children()]
    output = block(x, is_causal=config.causal)
    for hook in hooks:
        hook.remove()
    assert block.feed_forward is not None
    attended = block.self_attention.trace(seen["self_attention"], is_causal=config.causal)
    over = 1 if config.norm == "BatchNorm" else 2
    gains = [1 / float(on_cpu(seen[f"{part}_norm"]).std(over, correction=0).min()) for part in PARTS]
    stretch = GELU_SLOPE
    for layer in (block.feed_forward.widen, block.feed_forward.narrow):
        stretch *= float(on_cpu(layer.weight).norm(dim=1).max())
    dtype, d = config.torch_dtype, config.d_model
    own = tolerance(
        dtype,
        scale=largest(*map(on_cpu, seen.values())),
        terms=3 * d if config.dtype in ("float64", "float32") else 4,
    )
    weight = 2.5 if config.slot_weights else 1.0
    after_norm = 1.0 if isinstance(placement, PreNorm) else weight * max(1.0, gains[0])
    error = (output_tolerance(block.self_attention, attended) + own) * after_norm + own
    through = stretch * weight * (gains[1] if isinstance(placement, PreNorm) else max(1.0, gains[1]))
    return (error + own) * (1 + through), largest(output)
