"""Random heads: how much of (k + 1)^layers they reach, measured over many draws and derived exactly."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float, Int

from attention_core.measuring.arrays import Record
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig, random_targets
from attention_core.studies.receptive_field.stack import looked_at, reach, stack_of

TOKENS_PER_PATH: Final = (1, 16)  # tokens for each path
DRAWS: Final = (32, 512)  # fewest and most
SAMPLE: Final = 4096  # tokens of all draws together
MAX_TOKENS: Final = 1024  # of one stack
MAX_DRAWN: Final = 2**25  # weights of all draws together: about a second on two cores
MAX_AT_ONCE: Final = 2**19  # weights computed at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomReach(Record):
    """Reach of random heads over draws of the whole stack.

    Attributes:
        tokens: Tokens of each stack.
        draws: Stacks that were drawn.
        mean: Inputs a token sees, averaged over all tokens and draws (layers,), for 1 … ``layers`` layers.
        median: Their median over all tokens and draws (layers,).
        low: Their 1 % quantile (layers,).
        high: Their 99 % quantile (layers,).
        error: Standard error of the mean (layers,), from the draws, which are independent.
    """

    tokens: int
    draws: int
    mean: Float[np.ndarray, " layers"]
    median: Float[np.ndarray, " layers"]
    low: Float[np.ndarray, " layers"]
    high: Float[np.ndarray, " layers"]
    error: Float[np.ndarray, " layers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomShare:
    """Share of (k + 1)^layers that random heads reach with ``tokens_per_path`` tokens for each path.

    Attributes:
        tokens_per_path: ``tokens / (k + 1)^layers``, 1 or 16.
        layers: The depth it was measured at: the settings' own, or the largest whose cost is allowed.
        tokens: ``tokens_per_path · (k + 1)^layers``.
        draws: Stacks that were drawn.
        mean: Mean share over all tokens and draws.
        low: 1 % quantile over all tokens and draws.
        high: 99 % quantile.
        error: Standard error of the mean.
        exact: What probability theory gives for the mean, without a mask and with the residual.
    """

    tokens_per_path: int
    layers: int
    tokens: int
    draws: int
    mean: float
    low: float
    high: float
    error: float
    exact: float


def measure_random(config: ReceptiveFieldConfig, layers: int, tokens: int) -> RandomReach:
    """Draw stacks of random heads, read off where the real modules look, and count what every token sees."""
    wanted = min(max(SAMPLE // tokens, DRAWS[0]), DRAWS[1])
    draws = max(4, min(wanted, MAX_DRAWN // (config.heads * layers * tokens**2)))
    counts = np.empty((draws, layers, tokens))
    batch = max(1, MAX_AT_ONCE // (config.heads * tokens**2))
    for first in range(0, draws, batch):
        last = min(first + batch, draws)
        for draw, edges in enumerate(_drawn_edges(config, layers, tokens, range(first, last)), first):
            counts[draw] = reach(edges, residual=config.residual).sum(-1)
    low, median, high = np.quantile(counts, (0.01, 0.5, 0.99), axis=(0, 2))
    return RandomReach(
        tokens=tokens,
        draws=draws,
        mean=counts.mean((0, 2)),
        median=median,
        low=low,
        high=high,
        error=counts.mean(2).std(0, ddof=1) / math.sqrt(draws),
    )


def _drawn_edges(
    config: ReceptiveFieldConfig, layers: int, tokens: int, draws: range
) -> Int[np.ndarray, "draws layers heads tokens"]:
    """Where the heads of several draws look: side by side in one stack, since no head's place depends on another."""
    targets = [
        random_targets(
            config.heads, layers, tokens, seed=config.seed, draw=draw, mask=config.mask, window=config.window
        )
        for draw in draws
    ]
    stack = stack_of(config, np.concatenate(targets, axis=1), channels=1)
    edges, _ = looked_at(stack)  # (layers, draws · heads, tokens)
    return edges.reshape(layers, len(draws), config.heads, tokens).swapaxes(0, 1)


def measured_depth(config: ReceptiveFieldConfig, tokens_per_path: int) -> int:
    """The depth at which so many tokens for each path can be paid for: the settings', or the largest below."""

    def affordable(layers: int) -> bool:
        tokens = tokens_per_path * (config.heads + 1) ** layers
        return tokens <= MAX_TOKENS and DRAWS[0] * config.heads * layers * tokens**2 <= MAX_DRAWN

    return max(layers for layers in range(1, config.layers + 1) if layers == 1 or affordable(layers))


def measure_share(config: ReceptiveFieldConfig, tokens_per_path: int) -> RandomShare:
    """Mean and band of the share of (k + 1)^layers, with ``tokens_per_path`` tokens for each path.

    Args:
        config: Heads, mask, residual, precision and seed, and the depth where its cost is allowed.
        tokens_per_path: Tokens for each path.
    """
    layers = measured_depth(config, tokens_per_path)
    paths = (config.heads + 1) ** layers
    measured = measure_random(config, layers, tokens_per_path * paths)
    mean, deviation = expected_reach(config.heads, layers, tokens_per_path * paths)
    # Where draws happen to agree, their spread says nothing: tokens of one draw are at best independent. Where
    # overwritten positions send all of them to the same keys in the second layer, which leaves the mean as it is, a
    # draw may say no more than one token does.
    independent = 1 if config.write_positions and layers == 2 else measured.tokens
    least = deviation / math.sqrt(measured.draws * independent)
    return RandomShare(
        tokens_per_path=tokens_per_path,
        layers=layers,
        tokens=measured.tokens,
        draws=measured.draws,
        mean=float(measured.mean[-1]) / paths,
        low=float(measured.low[-1]) / paths,
        high=float(measured.high[-1]) / paths,
        error=max(float(measured.error[-1]), least) / paths,
        exact=mean / paths,
    )


def expected_reach(heads: int, layers: int, tokens: int) -> tuple[float, float]:
    """Mean and standard deviation of how many inputs a token sees through random heads, with the residual.

    Going down the stack, a set of s tokens throws ``heads · s`` keys evenly over all tokens; the next set is what it
    covers together with the s themselves. The size of the set is a Markov chain, followed here exactly: one throw
    takes size c to c + 1 with probability 1 − c/tokens. Sets are taken in from the largest size down, ``heads``
    throws apart, so that each makes ``heads · s`` throws in all.
    """
    size = np.arange(tokens + 1)
    stays = size / tokens
    chance = np.zeros(tokens + 1)
    chance[1] = 1.0
    for _ in range(layers):
        after = np.zeros(tokens + 1)
        for s in range(int(np.flatnonzero(chance)[-1]), 0, -1):
            after[s] += chance[s]
            for _ in range(heads):
                after[1:] = after[1:] * stays[1:] + after[:-1] * (1 - stays[:-1])
        chance = after
    mean = float(chance @ size)
    return mean, math.sqrt(float(chance @ np.square(size - mean)))
