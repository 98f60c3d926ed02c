"""One run of the receptive field: where the heads look, what autograd says, the table, and random draws."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_core.experiments.receptive_field.config import (
    MAX_HEADS,
    MAX_LAYERS,
    ReceptiveFieldConfig,
    constructed_targets,
    intended_targets,
)
from attention_core.experiments.receptive_field.draws import (
    ROOMS,
    RandomReach,
    RandomShare,
    measure_random,
    measure_share,
)
from attention_core.experiments.receptive_field.stack import (
    Stack,
    attention_mask,
    build_stack,
    looked_at,
    path_weights,
    reach,
)
from attention_core.experiments.receptive_field.verdicts import (
    Sees,
    bound_verdicts,
    random_verdict,
    tight_verdicts,
)
from attention_core.experiments.verdict import Provenance, Step, Verdict

MAX_CHOSEN: Final = 64  # tokens that autograd is asked for
MAX_TABLE_TOKENS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceptiveFieldResult:
    """What every token of every layer sees. Layers are counted 1 … ``layers``, so index 0 is one layer up.

    Attributes:
        config: The settings.
        edges: The key with the largest weight for each query of each head, int32 (layers, heads, tokens).
        smallest_weight: The smallest of these weights; 1 where the softmax is saturated.
        sees: Which inputs each token sees by the argmax graph, bool (layers, tokens, tokens).
        chosen: The tokens autograd was asked for, the last one among them, int32 (chosen,).
        paths: Weight of all paths to each input by autograd, float32 (layers, chosen, tokens); for saturated heads
            the number of paths. A row sums to (k + 1)^layers, without the residual to k^layers.
        reach_graph: Inputs each token sees by the graph, int32 (layers, tokens).
        reach_autograd: Inputs each chosen token sees by autograd, int32 (layers, chosen).
        bound: (k + 1)^layers capped by the tokens, int32 (layers,).
        table: Inputs the last token sees through 1 … 8 constructed heads, 1 … 8 layers up, int32 (heads, layers).
        table_tokens: Tokens that the table was measured with.
        random: Mean and band of random heads over draws; None for other weights.
        shares: Their share of (k + 1)^layers, with one and with 16 tokens for each path; empty for other weights.
        verdicts: rf-bound, and rf-tight or rf-random where the weights are constructed or random.
        provenance: Where the numbers come from.
    """

    config: ReceptiveFieldConfig
    edges: Int[np.ndarray, "layers heads tokens"]
    smallest_weight: float
    sees: Bool[np.ndarray, "layers tokens tokens"]
    chosen: Int[np.ndarray, " chosen"]
    paths: Float[np.ndarray, "layers chosen tokens"]
    reach_graph: Int[np.ndarray, "layers tokens"]
    reach_autograd: Int[np.ndarray, "layers chosen"]
    bound: Int[np.ndarray, " layers"]
    table: Int[np.ndarray, "8 8"]
    table_tokens: int
    random: RandomReach | None
    shares: tuple[RandomShare, ...]
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_receptive_field(config: ReceptiveFieldConfig) -> ReceptiveFieldResult:
    """Measure everything for one config; the same config gives the same result, bit for bit."""
    *_, result = steps_receptive_field(config)
    assert isinstance(result, ReceptiveFieldResult)
    return result


def steps_receptive_field(config: ReceptiveFieldConfig) -> Generator[Step | ReceptiveFieldResult]:
    """The same in steps: a ``Step`` before each part, and last the ``ReceptiveFieldResult``."""
    is_random = config.weights == "random"
    total = 2 + MAX_HEADS + (1 + len(ROOMS)) * is_random
    chosen = np.unique(np.linspace(0, config.tokens - 1, MAX_CHOSEN).round().astype(np.int64))
    yield Step(0, total, "where each head looks")
    stack = _stack(config, intended_targets(config), len(chosen), config.temperature if config.soft else None)
    edges, smallest = looked_at(stack)
    yield Step(1, total, "what autograd says")
    paths = path_weights(stack, chosen)
    table = np.empty((MAX_HEADS, MAX_LAYERS), dtype=np.int32)
    table_tokens = min(config.tokens, MAX_TABLE_TOKENS)
    for heads in range(1, MAX_HEADS + 1):
        yield Step(1 + heads, total, f"the construction with {heads} heads")
        table[heads - 1] = _constructed_reach(config, heads, table_tokens)
    random, shares = None, []
    if is_random:
        yield Step(2 + MAX_HEADS, total, "other draws of the same heads")
        random = measure_random(config, config.layers, config.tokens)
        for i, room in enumerate(ROOMS):
            yield Step(3 + MAX_HEADS + i, total, f"random heads with {room} tokens for each path")
            shares.append(measure_share(config, room))
    yield _result(config, edges, smallest, chosen, paths, table, table_tokens, random, tuple(shares))


def _stack(config: ReceptiveFieldConfig, targets: np.ndarray, channels: int, temperature: float | None) -> Stack:
    return build_stack(
        targets,
        channels=channels,
        temperature=temperature,
        mask=attention_mask(config.mask, config.window, targets.shape[-1]),
        residual=config.residual,
        write_positions=config.write_positions,
        dtype=config.torch_dtype,
        device=config.torch_device,
    )


def _constructed_reach(config: ReceptiveFieldConfig, heads: int, tokens: int) -> Int[np.ndarray, "8"]:
    """Inputs the last token sees 1 … 8 layers up, under the mask and the switches of ``config``."""
    layers = MAX_LAYERS
    if config.residual and config.mask != "sliding window" and not config.write_positions:
        # What is seen stays seen: layers that come after the last token sees all change nothing.
        layers = next((n for n in range(1, MAX_LAYERS) if (heads + 1) ** n >= tokens), MAX_LAYERS)
    targets = constructed_targets(heads, layers, tokens, mask=config.mask, window=config.window, wrap=config.wrap)
    edges, _ = looked_at(_stack(config, targets, 1, None))
    counts = reach(edges, residual=config.residual)[:, -1].sum(-1)
    return np.pad(counts, (0, MAX_LAYERS - layers), mode="edge")


def _result(
    config: ReceptiveFieldConfig,
    edges: np.ndarray,
    smallest: float,
    chosen: np.ndarray,
    paths: np.ndarray,
    table: np.ndarray,
    table_tokens: int,
    random: RandomReach | None,
    shares: tuple[RandomShare, ...],
) -> ReceptiveFieldResult:
    all_paths = np.array([config.paths(n) for n in range(1, config.layers + 1)])
    sees = Sees(
        graph=reach(edges, residual=config.residual),
        autograd=paths > config.seen_above * all_paths[:, None, None],
        chosen=chosen,
    )
    verdicts = bound_verdicts(config, sees)
    if config.weights == "constructed":
        verdicts += tight_verdicts(config, sees)
    return ReceptiveFieldResult(
        config=config,
        edges=_frozen(edges, np.int32),
        smallest_weight=smallest,
        sees=_frozen(sees.graph, np.bool_),
        chosen=_frozen(chosen, np.int32),
        paths=_frozen(paths, np.float32),
        reach_graph=_frozen(sees.graph.sum(-1), np.int32),
        reach_autograd=_frozen(sees.autograd.sum(-1), np.int32),
        bound=_frozen([config.bound(n) for n in range(1, config.layers + 1)], np.int32),
        table=_frozen(table, np.int32),
        table_tokens=table_tokens,
        random=random,
        shares=shares,
        verdicts=verdicts + tuple(random_verdict(config, share) for share in shares),
        provenance=Provenance.of(config),
    )


def _frozen(values: object, dtype: type) -> np.ndarray:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array
