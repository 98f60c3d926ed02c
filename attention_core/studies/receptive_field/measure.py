"""What every token sees: where the heads look, what autograd says of it, the table, and random draws."""

from collections.abc import Generator
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.receptive_field.draws import (
    TOKENS_PER_PATH,
    RandomReach,
    RandomShare,
    measure_random,
    measure_share,
)
from attention_core.studies.receptive_field.kernel import Kernel, kernel_verdict, measure_kernel
from attention_core.studies.receptive_field.settings import (
    MAX_HEADS,
    MAX_LAYERS,
    ReceptiveFieldConfig,
    constructed_targets,
    intended_targets,
)
from attention_core.studies.receptive_field.stack import looked_at, path_weights, reach, softly_seen, stack_of
from attention_core.studies.receptive_field.verdicts import (
    SeenInputs,
    bound_verdicts,
    chosen_tokens,
    random_verdict,
    tight_verdicts,
)


@dataclass(frozen=True, kw_only=True, eq=False)  # a class with slots cannot have two such bases
class AttendedKeys(Record):
    """Where the heads look, and what follows from it. Layers are counted 1 … ``layers``: index 0 is one layer up.

    Attributes:
        config: The settings.
        edges: The key with the largest weight for each query of each head, int32 (layers, heads, tokens).
        smallest_weight: The smallest of these weights; 1 where the softmax is saturated.
        sees: Which inputs each token sees by the argmax graph, bool (layers, tokens, tokens).
        reach_graph: Inputs each token sees by the graph, int32 (layers, tokens).
        bound: (k + 1)^layers capped by the tokens, int32 (layers,).
        soft_reach: Inputs that the last token sees one layer up where heads are soft, whatever these are.
    """

    config: ReceptiveFieldConfig
    edges: Int[np.ndarray, "layers heads tokens"]
    smallest_weight: float
    sees: Bool[np.ndarray, "layers tokens tokens"]
    reach_graph: Int[np.ndarray, "layers tokens"]
    bound: Int[np.ndarray, " layers"]
    soft_reach: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReceptiveFieldResult(AttendedKeys, Result):
    """What every token of every layer sees, both ways.

    Attributes:
        chosen: The tokens autograd was asked for, the last one among them, int32 (chosen,).
        paths: Weight of all paths to each input by autograd, float32 (layers, chosen, tokens); for saturated heads
            the number of paths. A row sums to (k + 1)^layers, without the residual to k^layers.
        reach_autograd: Inputs each chosen token sees by autograd, int32 (layers, chosen).
        random: Mean and band of random heads over draws; None for other weights.
        shares: Their share of (k + 1)^layers, with one and with 16 tokens for each path; empty for other weights.
        kernel: The first layer beside a convolution.
    """

    chosen: Int[np.ndarray, " chosen"]
    paths: Float[np.ndarray, "layers chosen tokens"]
    reach_autograd: Int[np.ndarray, "layers chosen"]
    random: RandomReach | None
    shares: tuple[RandomShare, ...]
    kernel: Kernel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReachTable(Record):
    """Heads against layers.

    Attributes:
        counts: Inputs the last token sees through 1 … 8 constructed heads, 1 … 8 layers up, int32 (heads, layers).
        tokens: How many tokens there are.
    """

    counts: Int[np.ndarray, "8 8"]
    tokens: int


def run_attended_keys(config: ReceptiveFieldConfig) -> AttendedKeys:
    """One pass through the real stack, to read off where each head looks."""
    edges, smallest = looked_at(stack_of(config, intended_targets(config), channels=1))
    sees = reach(edges, residual=config.residual)
    return AttendedKeys(
        config=config,
        edges=edges.astype(np.int32),
        smallest_weight=smallest,
        sees=sees,
        reach_graph=sees.sum(-1, dtype=np.int32),
        bound=np.array([config.bound(n) for n in range(1, config.layers + 1)], dtype=np.int32),
        soft_reach=softly_seen(config),
    )


def steps_reach(looks: AttendedKeys) -> Generator[Step | ReceptiveFieldResult]:
    """What autograd and other draws add to where the heads look: a ``Step`` before each part, and last the result.

    On the CPU the same config gives the same result, bit for bit; other devices add up in no fixed order.
    """
    config = looks.config
    is_random = config.weights == "random"
    total = 1 + (1 + len(TOKENS_PER_PATH)) * is_random
    yield Step(0, total, _("what autograd says"))
    chosen = chosen_tokens(config)
    paths = path_weights(stack_of(config, intended_targets(config), channels=len(chosen)), chosen)
    random, shares = None, []
    if is_random:
        yield Step(1, total, _("other draws of the same heads"))
        random = measure_random(config, config.layers, config.tokens)
        for i, tokens_per_path in enumerate(TOKENS_PER_PATH):
            said = _("random heads with {tokens} tokens for each path", tokens=tokens_per_path)
            yield Step(2 + i, total, said)
            shares.append(measure_share(config, tokens_per_path))
    all_paths = np.array([config.paths(n) for n in range(1, config.layers + 1)])
    sees = SeenInputs(graph=looks.sees, autograd=paths > config.seen_above * all_paths[:, None, None], chosen=chosen)
    verdicts = bound_verdicts(config, sees)
    if config.weights == "constructed":
        verdicts += tight_verdicts(config, sees)
    verdicts += tuple(random_verdict(config, share) for share in shares)
    kernel = measure_kernel(config)
    yield ReceptiveFieldResult.of(
        config,
        (*verdicts, kernel_verdict(config, kernel)),
        **{each.name: getattr(looks, each.name) for each in fields(AttendedKeys)},
        chosen=chosen.astype(np.int32),
        paths=paths.astype(np.float32),
        reach_autograd=sees.autograd.sum(-1, dtype=np.int32),
        random=random,
        shares=tuple(shares),
        kernel=kernel,
    )


def steps_receptive_field(config: ReceptiveFieldConfig) -> Generator[Step | ReceptiveFieldResult]:
    """Everything for one config: where the heads look, and what autograd and other draws add."""
    yield from steps_reach(run_attended_keys(config))


def run_table(config: ReceptiveFieldConfig) -> ReachTable:
    """What the last token sees by the construction, for every number of heads and layers.

    Args:
        config: The mask and the switches; what the table does not depend on is as in ``config.for_table``.
    """
    counts = np.stack([_constructed_reach(config, heads) for heads in range(1, MAX_HEADS + 1)])
    return ReachTable(counts=counts.astype(np.int32), tokens=config.tokens)


def _constructed_reach(config: ReceptiveFieldConfig, heads: int) -> Int[np.ndarray, "8"]:
    """Inputs the last token sees 1 … 8 layers up, under the mask and the switches of ``config``."""
    layers, tokens = MAX_LAYERS, config.tokens
    if config.residual and config.mask != "window" and not config.write_positions:
        # What is seen stays seen: layers that come after the last token sees all change nothing.
        layers = next((n for n in range(1, MAX_LAYERS) if (heads + 1) ** n >= tokens), MAX_LAYERS)
    targets = constructed_targets(heads, layers, tokens, mask=config.mask, window=config.window, wrap=config.wrap)
    edges, _ = looked_at(stack_of(config, targets, channels=1))
    counts = reach(edges, residual=config.residual)[:, -1].sum(-1)
    return np.pad(counts, (0, MAX_LAYERS - layers), mode="edge")
