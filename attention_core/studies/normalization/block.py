"""What the place of its norms does to a block: nothing to the order of its tokens (``perm-block``)."""

import itertools
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.inputs import generator
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.measuring.verdict import Result
from attention_core.studies.normalization.block_under_test import block_tokens, build_block
from attention_core.studies.normalization.placement import SLOTS, place_found, through_depth
from attention_core.studies.normalization.placement import TESTS as PLACE_TESTS
from attention_core.studies.normalization.settings import PLACEMENT_NAMES, PLACEMENTS, NormalizationConfig

MOST_ORDERS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class NormBlockResult(Result):
    """What is left of f(σX) − σf(X) in each placement of the norm.

    Attributes:
        placements: Names of the placements, in the order of the arrays.
        order: The order that is drawn: which token stands at each slot.
        left: f(σX) − σf(X) for that order (placements, tokens, d_model).
        residuals: Its largest absolute value for every order that was tried (placements, orders).
        bounds: What rounding explains, for each placement.
        stretched: Length of a token ÷ √d_model after 0, 1, 2 … blocks, mean (placements, depths).
        alike: Cosine between a token and what it was at first, mean (placements, depths).
    """

    placements: tuple[str, ...]
    order: tuple[int, ...]
    left: np.ndarray
    residuals: np.ndarray
    bounds: tuple[float, ...]
    stretched: np.ndarray
    alike: np.ndarray


def run_block(config: NormalizationConfig) -> NormBlockResult:
    """Permute the tokens of a block in all orders of up to five, in 120 random ones above."""
    return run_tests(NormBlockResult, config, (*TESTS, *PLACE_TESTS), _measure)


def _order(config: NormalizationConfig) -> Theory:
    """A block is blind to the order of its tokens, unless something stays where it is."""
    if config.slot_weights:
        return Fails(SLOTS)
    if config.positions:
        return Fails(_("positions stay with the slot"))
    return Fails(_("the causal mask stays in place")) if config.causal else Holds()


TESTS: Final = tuple(
    ClaimTest(f"perm-block.{name.split('-')[0].replace('residual post', 'residual')}", "≤",
              _("with {placement} the outputs, put back in order, differ by at most", placement=placement),
              _("{placement}: max |f(σX) − σ f(X)|", placement=placement),
              theory=_order)
    for name, placement in PLACEMENT_NAMES.items()
)  # fmt: skip


def _measure(config: NormalizationConfig) -> Measurements:
    orders, x, found, left = _orders(config), block_tokens(config), {}, []
    if config.num_tokens <= 5:
        cases = _("all {count} orders, {norm}", count=len(orders), norm=config.norm)
    else:
        cases = _("a sample of {count} orders, {norm}", count=len(orders), norm=config.norm)
    for test, placement in zip(TESTS, PLACEMENTS.values(), strict=True):
        block = build_block(config, placement)
        attend = partial(block, is_causal=config.causal)
        before, moved = on_cpu(attend(x))[0], x[0][orders.to(x.device)]
        # BatchNorm's statistics are those of one sentence: one order at a time.
        batches = moved.split(1) if config.norm == "BatchNorm" else (moved,)
        left.append(on_cpu(torch.cat(list(map(attend, batches)))) - before[orders])
        bound = stack_tolerance(block, lambda block, x: block(x, is_causal=config.causal), x)
        found[test.key] = Measurement(largest(left[-1]), bound, cases, largest(before))
    shown, every = min(len(orders) - 1, 77), torch.stack(left)  # any order that moves every token of five
    stretched, alike = through_depth(config)
    return found | place_found(config), {
        "placements": tuple(PLACEMENT_NAMES.values()),
        "order": tuple(orders[shown].tolist()),
        "left": every[:, shown],
        "residuals": every.abs().amax((2, 3)),
        "bounds": tuple(each.margin for each in found.values()),
        "stretched": stretched,
        "alike": alike,
    }


def _orders(config: NormalizationConfig) -> Tensor:
    n = config.num_tokens
    if n <= 5:
        return torch.tensor(list(itertools.permutations(range(n))))
    stream = generator(config.seed, "normalization", "orders", n)
    return torch.stack([torch.randperm(n, generator=stream) for _ in range(MOST_ORDERS)])
