"""What is built on permutation: pooling, biases and whole transformer blocks.

Claims: ``perm-pool`` the mean over the real tokens does not change, where the padding mask is permuted along;
``perm-bias`` biases of queries, keys, values and output break nothing; ``perm-block`` a block of attention,
feed-forward network, residuals and norms is equivariant too, wherever its norms stand. The notes on attention
bias say that LayerNorm breaks the last one; it acts on each token alone, and does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import torch

from attention_core.language import gettext_lazy as _
from attention_core.language import listed
from attention_core.measuring.checks import MAX_TOKENS
from attention_core.measuring.judge import Measurement, Steps, largest, run_tests_in_steps, worst
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.modules.normalization import BatchNorm, LayerNorm
from attention_core.studies.permutation.measure import TESTS, residuals_of
from attention_core.studies.permutation.module import BIASES, Attention, Blocks, orders_of
from attention_core.studies.permutation.settings import PLACEMENTS, PermutationConfig
from attention_core.studies.permutation.theory import widest_claims

NORMS: Final = {"LayerNorm": LayerNorm(), _("BatchNorm over tokens"): BatchNorm()}
_PLACEMENTS: Final = (_("pre-norm"), _("post-norm"), _("residual post-norm"))
BIAS_SETS: Final = (*((name,) for name in BIASES), BIASES)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCase:
    """How far one block is from equivariance.

    Attributes:
        placement: Name of the norm's placement.
        norm: Name of the norm.
        residual: Largest absolute difference over the orders.
        bound: What rounding alone explains.
    """

    placement: str
    norm: str
    residual: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult(Result):
    """Pooling, biases and blocks.

    Attributes:
        blocks: Each placement with each norm; empty in cross-attention.
    """

    blocks: tuple[BlockCase, ...]


def steps_blocks(config: PermutationConfig) -> Iterator[Step | BlockResult]:
    """Measure pooling, biases and blocks over all orders of up to seven tokens, over a sample of 256 above.

    A ``Step`` before each set of biases, the mean and each block, and last the result.

    Args:
        config: The module and its tokens; with a second sentence only the biases can be tried.
    """
    yield from run_tests_in_steps(BlockResult, config, TESTS, _steps)


def _steps(config: PermutationConfig) -> Steps:
    kinds = [] if config.context else list(_kinds(config))
    total = len(BIAS_SETS) + bool(kinds) + len(kinds)
    moves: list[Measurement] = []
    for done, biases in enumerate(BIAS_SETS):
        yield Step(done, total, _("each bias in every order"))
        moves += _moves_with(config, biases)
    found, held, blocks = {"perm-bias": worst(moves)}, [], []
    if kinds:
        yield Step(len(BIAS_SETS), total, _("the mean in every order"))
        found["perm-pool"] = _mean_moves(config)
    orders = orders_of(len(config.tokens), config.seed)[1]
    cases = _("{orders}, {count} blocks", orders=orders, count=len(kinds))
    for done, (placement, norm) in enumerate(kinds, len(BIAS_SETS) + 1):
        yield Step(done, total, _("a {placement} block in every order", placement=placement))
        residual, bound, size = _block_moves(config, placement, norm)
        held.append(Measurement(residual, bound, cases, size))
        blocks.append(BlockCase(placement=placement, norm=norm, residual=residual, bound=bound))
    return found | ({"perm-block": worst(held)} if kinds else {}), {"blocks": tuple(blocks)}


@torch.inference_mode()
def _mean_moves(config: PermutationConfig) -> Measurement:
    """How far the mean moves.

    One padding token moves among the real ones, as long as there is room for it.
    """
    real, padding = len(config.tokens), min(1, MAX_TOKENS - len(config.tokens))
    attention = Attention(config, padding=padding)
    orders, cases = orders_of(real + padding, config.seed)
    here = torch.arange(real + padding)[None]
    before = attention.outputs(here, here)[0, :real].mean(dim=0)
    kept = (orders < real)[..., None]
    after = (attention.outputs(orders, orders) * kept).sum(dim=1) / real
    return Measurement(
        largest(after - before), attention.bound(), _("{orders}, with padding", orders=cases), largest(before)
    )


@torch.inference_mode()
def _moves_with(config: PermutationConfig, biases: tuple[str, ...]) -> list[Measurement]:
    """How far each claim is off with some of the biases."""
    attention, claims = Attention(config, biases=biases), widest_claims(config)
    held, found = (attention.bound(), attention.size()), [residuals_of(attention, claim) for claim in claims]
    cases = _("{orders}, each bias and all four", orders=listed(cases for _, cases in found))
    return [Measurement(float(residuals.max()), held[0], cases, held[1]) for residuals, _ in found]


def _kinds(config: PermutationConfig) -> Iterator[tuple[str, str]]:
    for norm in NORMS:
        if norm != "LayerNorm" and len(config.tokens) == 1:
            continue  # BatchNorm has nothing to average over: torch refuses
        for placement in _PLACEMENTS:
            yield placement, norm


@torch.inference_mode()
def _block_moves(config: PermutationConfig, placement: str, norm: str) -> tuple[float, float, float]:
    """How far a block is from equivariance, what rounding explains of it, and how large its output is."""
    blocks = Blocks(config, PLACEMENTS[placement], norm=NORMS[norm])
    orders, _ = orders_of(len(config.tokens), config.seed)
    before = blocks.outputs(torch.arange(len(config.tokens))[None])[0]
    return largest(blocks.outputs(orders) - before[orders]), blocks.bound(), largest(before)
