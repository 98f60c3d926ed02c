"""The same head on many texts: whether one picture of weight and effect stands for more than itself."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Final

import numpy as np
import torch
from jaxtyping import Float

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.shipped.corpus import Case
from attention_core.studies.worth.edges import by_gradient, edges_in_passes, lead_of_kinds, ranks, spearman
from attention_core.studies.worth.measure import found_head, prepared_with
from attention_core.studies.worth.settings import MOST_TOKENS, WorthConfig

TEXTS: Final = 24
DECILES: Final = 10
ALIKE: Final = 6  # decimals of weights that are one: those of a beginning that two texts share differ by rounding
T_23: Final = 2.069  # 97.5 % quantile of Student's t with 23 degrees of freedom


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsConfig(WorthConfig):
    """Which head is measured on texts of the shipped corpus that training never showed.

    Raises:
        ConfigError: If the model was brought.
    """

    def __post_init__(self) -> None:
        WorthConfig.__post_init__(self)
        if not self.constructions:
            raise ConfigError("model", self.model, _("texts to draw are there for the shipped models alone"))

    @property
    def seconds(self) -> float:
        """About how long it takes on one core, in seconds."""
        return TEXTS * super(TextsConfig, self).seconds

    @property
    def drawn(self) -> tuple[Case, ...]:
        """``TEXTS`` beginnings, of each construction in turn."""
        each = self.cases(TEXTS).values()
        turns = (case for case in chain.from_iterable(zip_longest(*each)) if case is not None)
        return tuple(islice((case for case in turns if 3 <= len(case.beginning) <= MOST_TOKENS), TEXTS))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextsResult(Result):
    """What many texts say of one head.

    Attributes:
        correlations: Rank correlation of weight and size of effect in each text; NaN where either is the same for
            all of its edges (texts,).
        deciles: The size of the effect of edges by the decile of their weight: its 10, 50 and 90 % quantiles, of all
            edges of all texts (3, deciles).
        edges: How many edges that is.
        next_changes: In how many texts the wrong word leads once the edge with the largest weight is cut.
        mean: Mean of the correlations that there are.
        interval: The ends of its 95 % interval over texts, by Student's t (2,).
    """

    correlations: Float[np.ndarray, " texts"]
    deciles: Float[np.ndarray, "3 deciles"]
    edges: int
    next_changes: int
    mean: float
    interval: Float[np.ndarray, " 2"]


def in_deciles(
    weights: Float[np.ndarray, " edges"], sizes: Float[np.ndarray, " edges"]
) -> Float[np.ndarray, "3 deciles"]:
    """The 10, 50 and 90 % quantiles of sizes by the decile of their weights; NaN where equal weights leave none."""
    bins = np.minimum((ranks(weights.round(ALIKE)) * DECILES).astype(int), DECILES - 1)
    of_bins = (sizes[bins == at] for at in range(DECILES))
    return np.array([np.quantile(some, (0.1, 0.5, 0.9)) if len(some) else np.full(3, np.nan) for some in of_bins]).T


def steps_texts(config: TextsConfig) -> Iterator[Step | TextsResult]:
    """Cut every edge of the head in every text: a ``Step`` before each, and last the result."""
    head = config.chosen or found_head(config)[0]
    module, cases = prepared_with(config, head), config.drawn
    found, weights, effects, changed = list[float](), list[np.ndarray](), list[np.ndarray](), 0
    last = head[0] == config.shape[0] - 1
    for done, case in enumerate(cases):
        yield Step(done, len(cases), _("cutting edges of many texts"))
        ids = torch.tensor(case.beginning, device=config.torch_device)
        target = lead_of_kinds(case.right, case.wrong)
        passes = edges_in_passes(module, ids, target, head, config.rest, by_gradient(module, ids, target))
        while True:
            try:
                next(passes)
            except StopIteration as end:
                edges = end.value
                break
        rows = edges.seen & (edges.seen.sum(-1, keepdims=True) > 1)
        if last:
            rows[:-1] = False
        weight, effect = edges.weights[rows], np.abs(edges.effects[rows])
        found.append(spearman(weight, effect))
        weights.append(weight)
        effects.append(effect)
        changed += bool(edges.lead > 0 and edges.effects[rows][weight.argmax()] > edges.lead)
    known = np.array(found)[np.isfinite(found)]
    half = T_23 * known.std(ddof=1) / math.sqrt(len(known)) if len(known) > 1 else math.nan
    mean = float(known.mean()) if len(known) else math.nan
    yield TextsResult.of(
        config,
        correlations=np.array(found),
        deciles=in_deciles(np.concatenate(weights), np.concatenate(effects)),
        edges=sum(map(len, effects)),
        next_changes=changed,
        mean=mean,
        interval=np.array([mean - half, mean + half]),
    )
