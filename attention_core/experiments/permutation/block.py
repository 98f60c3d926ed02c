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

from attention_core.experiments.checks import MAX_TOKENS
from attention_core.experiments.permutation.config import PLACEMENTS, PermutationConfig, widest_claims
from attention_core.experiments.permutation.measure import residuals_of, verdict_of
from attention_core.experiments.permutation.module import BIASES, Attention, Blocks, orders_of
from attention_core.experiments.verdict import Provenance, Result, Step, Verdict
from attention_core.modules.normalization import BatchNorm, LayerNorm

NORMS: Final = {"LayerNorm": LayerNorm(), "BatchNorm over tokens": BatchNorm()}
BIAS_SETS: Final = (*((name,) for name in BIASES), BIASES)
_Biased = tuple[tuple[str, ...], str]  # which biases there are, and the claim that is tried


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
        verdicts: One for each claim that can be tried.
        provenance: Where the numbers come from.
    """

    blocks: tuple[BlockCase, ...]
    verdicts: tuple[Verdict, ...]
    provenance: Provenance

    def worst(self, norm: str) -> BlockCase:
        """The block with this norm whose residual is largest against its bound."""
        return max((case for case in self.blocks if case.norm == norm), key=_excess)


def steps_blocks(config: PermutationConfig) -> Iterator[Step | BlockResult]:
    """Measure pooling, biases and blocks over all orders of up to seven tokens, over a sample of 256 above.

    A ``Step`` before each set of biases, the mean and each block, and last the result.

    Args:
        config: The module and its tokens; with a second sentence only the biases can be tried.
    """
    kinds = [] if config.context else list(_kinds(config))
    total = len(BIAS_SETS) + bool(kinds) + len(kinds)
    moves: dict[_Biased, tuple[float, float]] = {}
    for done, biases in enumerate(BIAS_SETS):
        yield Step(done, total, "each bias in every order")
        with torch.inference_mode():
            moves |= _moves_with(config, biases)
    with torch.inference_mode():
        verdicts, blocks = [_bias_verdict(config, moves)], []
    if kinds:
        yield Step(len(BIAS_SETS), total, "the mean in every order")
        with torch.inference_mode():
            verdicts.insert(0, _pooled(config))
    for done, (placement, norm) in enumerate(kinds, len(BIAS_SETS) + 1):
        yield Step(done, total, f"a {placement} block in every order")
        with torch.inference_mode():
            blocks.append(_block_case(config, placement, norm))
    if blocks:
        with torch.inference_mode():
            verdicts.append(_block_verdict(config, blocks))
    yield BlockResult(blocks=tuple(blocks), verdicts=tuple(verdicts), provenance=Provenance.of(config))


def _pooled(config: PermutationConfig) -> Verdict:
    moved, bound, cases = _mean_moves(config)
    return verdict_of(config, "perm-pool", moved, bound, cases, exact=lambda other: _mean_moves(other)[0])


def _mean_moves(config: PermutationConfig) -> tuple[float, float, str]:
    """How far the mean moves, what rounding explains, and over which orders.

    One padding token moves among the real ones, as long as there is room for it.
    """
    real, padding = len(config.tokens), min(1, MAX_TOKENS - len(config.tokens))
    attention = Attention(config, padding=padding)
    orders, cases = orders_of(real + padding, config.seed)
    here = torch.arange(real + padding)[None]
    before = attention.outputs(here, here)[0, :real].mean(dim=0)
    kept = (orders < real)[..., None]
    after = (attention.outputs(orders, orders) * kept).sum(dim=1) / real
    return float((after - before).abs().max()), attention.bound(), f"{cases}, with padding"


def _moves_with(config: PermutationConfig, biases: tuple[str, ...]) -> dict[_Biased, tuple[float, float]]:
    """How far each claim is off with some of the biases, and what rounding explains of it."""
    bound = Attention(config, biases=biases).bound()
    return {(biases, claim): (_biased_moves(config, biases, claim), bound) for claim in widest_claims(config)}


def _bias_verdict(config: PermutationConfig, found: dict[_Biased, tuple[float, float]]) -> Verdict:
    """Each bias alone, and all four together."""
    worst = max(found, key=lambda case: found[case][0] / found[case][1])
    moved, bound = found[worst]
    cases = " and ".join(
        orders_of(len(config.keys if claim == "perm-kv" else config.tokens), config.seed)[1]
        for claim in widest_claims(config)
    )
    return verdict_of(
        config, "perm-bias", moved, bound, f"{cases}, each bias and all four",
        exact=lambda other: _biased_moves(other, *worst),
    )  # fmt: skip


def _biased_moves(config: PermutationConfig, biases: tuple[str, ...], claim: str) -> float:
    return float(residuals_of(Attention(config, biases=biases), claim)[0].max())


def _kinds(config: PermutationConfig) -> Iterator[tuple[str, str]]:
    for norm in NORMS:
        if norm != "LayerNorm" and len(config.tokens) == 1:
            continue  # BatchNorm has nothing to average over: torch refuses
        for placement in PLACEMENTS:
            yield placement, norm


def _block_case(config: PermutationConfig, placement: str, norm: str) -> BlockCase:
    blocks = Blocks(config, PLACEMENTS[placement], norm=NORMS[norm])
    orders, _ = orders_of(len(config.tokens), config.seed)
    before = blocks.outputs(torch.arange(len(config.tokens))[None])[0]
    residual = float((blocks.outputs(orders) - before[orders]).abs().max())
    return BlockCase(placement=placement, norm=norm, residual=residual, bound=blocks.bound())


def _block_verdict(config: PermutationConfig, blocks: list[BlockCase]) -> Verdict:
    worst = max(blocks, key=_excess)
    _, cases = orders_of(len(config.tokens), config.seed)
    return verdict_of(
        config, "perm-block", worst.residual, worst.bound, f"{cases}, {len(blocks)} blocks",
        exact=lambda other: _block_case(other, worst.placement, worst.norm).residual,
    )  # fmt: skip


def _excess(case: BlockCase) -> float:
    return case.residual / case.bound
