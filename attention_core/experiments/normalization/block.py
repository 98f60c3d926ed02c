"""Whether a whole block still treats all orders of its tokens alike, wherever its norms stand (``perm-block``)."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.bounds import output_tolerance
from attention_core.experiments.inputs import draw_parameters, generator
from attention_core.experiments.judge import array, judge, on_cpu
from attention_core.experiments.normalization.config import NORMS, PLACEMENTS, TOPICS, NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw
from attention_core.experiments.verdict import Provenance, Verdict, tolerance
from attention_core.modules.block import Placement, PreNorm, TransformerBlock
from attention_core.modules.positions import NoPosition, Sinusoidal

MOST_ORDERS: Final = 120
BIAS_STD: Final = 0.5
PARTS: Final = ("self_attention", "feed_forward")
GELU_SLOPE: Final = 1.13  # the largest slope of GELU


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult:
    """What is left of f(σX) − σf(X) in each placement of the norm.

    Attributes:
        placements: Names of the placements, in the order of the arrays.
        order: The order that is drawn: which token stands at each slot.
        left: f(σX) − σf(X) for that order (placements, tokens, d_model).
        residuals: Its largest absolute value for every order that was tried (placements, orders).
        bounds: What rounding explains, for each placement.
        verdicts: ``perm-block`` for each placement.
        provenance: Where the numbers come from.
    """

    placements: tuple[str, ...]
    order: tuple[int, ...]
    left: np.ndarray
    residuals: np.ndarray
    bounds: tuple[float, ...]
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


class SlotWeights(nn.Module):
    """A norm followed by a gain for each slot: what a norm must not have if order is to make no difference.

    Args:
        norm: The norm.
        gains: One number a slot ``(tokens, 1)``.
    """

    def __init__(self, norm: nn.Module, gains: Tensor) -> None:
        super().__init__()
        self.norm, self.gains = norm, gains

    def forward(self, x: Tensor) -> Tensor:
        """``gain · norm(x)`` in each slot."""
        return self.gains * self.norm(x)


def run_block(config: NormalizationConfig) -> BlockResult:
    """Permute the tokens of a block in all orders of up to five, in 120 random ones above.

    Args:
        config: The settings.
    """
    orders = _orders(config)
    shown = min(len(orders) - 1, 77)  # any order that moves every token of five
    left = [_left(config, placement, orders) for placement in PLACEMENTS.values()]
    bounds = [_bound(config, placement) for placement in PLACEMENTS.values()]
    count = "all" if config.num_tokens <= 5 else "a sample of"
    verdicts = [
        judge(
            config,
            "perm-block",
            f"{name}: max |f(σX) − σ f(X)|",
            float(part.abs().max()),
            "≤",
            bound,
            cases=f"{count} {len(orders)} orders, {config.norm}",
            because=config.about(TOPICS[3]),
            exact=lambda other, at=placement: float(_left(other, at, orders).abs().max()),
        )
        for (name, placement), part, bound in zip(PLACEMENTS.items(), left, bounds, strict=True)
    ]
    return BlockResult(
        placements=tuple(PLACEMENTS),
        order=tuple(orders[shown].tolist()),
        left=array(torch.stack([part[shown] for part in left])),
        residuals=array(torch.stack([part.abs().amax((1, 2)) for part in left])),
        bounds=tuple(bounds),
        verdicts=tuple(verdicts),
        provenance=Provenance.of(config),
    )


def _block(config: NormalizationConfig, placement: Placement) -> TransformerBlock:
    position = Sinusoidal() if config.positions else NoPosition()
    norm = NORMS[config.norm]
    block = TransformerBlock(
        config.d_model, 1, d_ff=2 * config.d_model, placement=placement, norm=norm, position=position,
        dtype=torch.float64,
    )  # fmt: skip
    block = draw_parameters(block, config.seed, bias_std=BIAS_STD)
    if config.slot_weights:
        gains = 1 + 0.5 * draw(config, "slot", config.num_tokens, 1)
        for part in PARTS:
            setattr(block, f"{part}_norm", SlotWeights(getattr(block, f"{part}_norm"), cast(config, gains)))
    block = block.to(config.torch_device, config.torch_dtype)
    return block.train()  # BatchNorm takes this batch's statistics; nothing is dropped


def _tokens(config: NormalizationConfig) -> Tensor:
    return cast(config, draw(config, "tokens", 1, config.num_tokens, config.d_model))


def _left(config: NormalizationConfig, placement: Placement, orders: Tensor) -> Tensor:
    """f(σX) − σf(X) for all orders (orders, tokens, d_model), in float64 on the CPU."""
    block, x = _block(config, placement), _tokens(config)
    before = on_cpu(block(x, is_causal=config.causal))[0]
    # One order at a time: BatchNorm's statistics are those of one sentence.
    moved = [on_cpu(block(x[:, order], is_causal=config.causal))[0] for order in orders]
    return torch.stack(moved) - before[orders]


def _orders(config: NormalizationConfig) -> Tensor:
    n = config.num_tokens
    if n <= 5:
        return torch.tensor(list(itertools.permutations(range(n))))
    stream = generator(config.seed, "normalization", "orders", n)
    return torch.stack([torch.randperm(n, generator=stream) for _ in range(MOST_ORDERS)])


def _bound(config: NormalizationConfig, placement: Placement) -> float:
    """What rounding explains: attention's own error, divided by the spread a norm divides by, through both layers.

    Errors of random signs pass a layer of the feed-forward network times the root sum of squares of its rows (Higham
    & Mary 2020), and GELU times its slope. The sums of the norms and of the network add their own.
    """
    block, x = _block(config, placement), _tokens(config)
    seen: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def hook(_: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> None:
            seen[name], seen[f"{name} out"] = given[0], out

        return hook

    hooks = [module.register_forward_hook(keep(name)) for name, module in block.named_children()]
    block(x, is_causal=config.causal)
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
    largest = max(float(on_cpu(value).abs().max()) for value in seen.values())
    own = tolerance(dtype, scale=largest, terms=3 * d if config.dtype in ("float64", "float32") else 4)
    weight = 2.5 if config.slot_weights else 1.0
    after_norm = 1.0 if isinstance(placement, PreNorm) else weight * max(1.0, gains[0])
    error = (output_tolerance(block.self_attention, attended) + own) * after_norm + own
    through = stretch * weight * (gains[1] if isinstance(placement, PreNorm) else max(1.0, gains[1]))
    return error * (1 + through) + own * (1 + through)
