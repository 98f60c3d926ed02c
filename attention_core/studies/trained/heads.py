"""What the heads of a model do, found by measurement: average weights on texts in which it shows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.inputs import generator
from attention_core.measuring.models import Head, into_stack, stack_of
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.modules.traced import traced
from attention_core.shipped.accuracy import cue_weights
from attention_core.studies.trained.settings import KINDS, ModelConfig

SEQUENCES: Final = 32
PERIOD: Final = 8
TRACED: Final = 8  # sequences at a time: a trace keeps all that is computed of each
CASES: Final = 64  # of each construction
AGREE: Final = ("agreement", "reverse", "induction")  # constructions in which one word decides the next


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsConfig(ModelConfig):
    """Which model's heads are named."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeadsResult(Result):
    """How much each head does of what heads are named after.

    All are average weights, between 0 and 1. Three are taken on random tokens that are said twice, ``x₁ … x₈ x₁ …
    x₈``, where i is a place of the second half (Olsson et al. 2022, "In-context Learning and Induction Heads"):

    - ``previous``: ``mean a(i, i − 1)`` over all places but the first;
    - ``same``: ``mean a(i, i − 8)``, on the same token's first place;
    - ``induction``: ``mean a(i, i − 7)``, on what followed it there;
    - ``agreement``: on texts that training never showed, ``mean a(last word, cue)``: the cue is the subject whose
      verb comes next, or the letter that does. NaN for a model that was brought.

    Attributes:
        scores: By the ``KINDS`` (4, layers, heads).
        chance: What a head has that looks at all it may see alike (4,).
    """

    scores: Float[np.ndarray, "kinds layers heads"]
    chance: Float[np.ndarray, " kinds"]

    def best(self, kind: str) -> Head | None:
        """The head that does most of it; None where it is not measured."""
        scores = self.scores[tuple(KINDS).index(kind)]
        if not np.isfinite(scores).all():
            return None
        layer, head = np.unravel_index(int(scores.argmax()), scores.shape)
        return int(layer), int(head)


def run_heads(config: HeadsConfig) -> HeadsResult:
    """Measure every score of every head."""
    module = config.prepared()
    ids, first = _said_twice(config)
    n, period = ids.shape[1], (ids.shape[1] - first) // 2
    weights = weights_of(module, ids)  # (layers, batch, heads, n, n)
    at, later = torch.arange(first + 1, n), torch.arange(first + period, n)
    places = {"previous": (at, at - 1), "same": (later, later - period), "induction": (later, later - period + 1)}
    scores = {kind: weights[..., i, j].mean((1, 3)) for kind, (i, j) in places.items()}
    seen = (lambda i: i + 1.0) if config.source.causal else (lambda i: torch.full(i.shape, float(n)))
    chance = {kind: float((1 / seen(i)).mean()) for kind, (i, _) in places.items()}
    cases = [case for name, of in config.cases(CASES).items() if name.startswith(AGREE) for case in of]
    scores["agreement"] = cue_weights(module, cases) if cases else torch.full_like(scores["previous"], torch.nan)
    chance["agreement"] = sum(1 / len(case.beginning) for case in cases) / len(cases) if cases else math.nan
    return HeadsResult.of(
        config,
        scores=torch.stack([scores[kind] for kind in KINDS]),
        chance=np.array([chance[kind] for kind in KINDS]),
    )


def weights_of(module: Any, ids: Int[Tensor, "batch tokens"]) -> Float[Tensor, "layers batch heads tokens tokens"]:
    """The weights of every head, in float64 on the CPU."""
    stack, found = stack_of(module), list[Tensor]()
    for some in ids.to(next(module.parameters()).device).split(TRACED):
        with torch.no_grad(), traced(stack) as calls:
            tokens, options = into_stack(module, some)
            stack(*tokens, **options)
        found.append(torch.stack([on_cpu(call.trace.weights) for call in calls]))
    return torch.cat(found, dim=1)


def _said_twice(config: ModelConfig) -> tuple[Tensor, int]:
    """Random tokens that are said twice, and how many stand before them."""
    start = config.start
    usable = torch.tensor(config.usable)
    period = min(PERIOD, len(usable), (config.longest - len(start)) // 2)
    draw = generator(config.seed, "trained", "said twice")
    drawn = torch.stack([usable[torch.randperm(len(usable), generator=draw)[:period]] for _ in range(SEQUENCES)])
    before = torch.tensor(start, dtype=torch.long).expand(SEQUENCES, -1)
    return torch.cat((before, drawn, drawn), dim=1), len(start)


_heads: Final = lru_cache(maxsize=16)(run_heads)


def steps_heads(config: HeadsConfig) -> Iterator[Step | HeadsResult]:
    """As ``run_heads``, for a model that takes its time: a ``Step``, and the result."""
    yield Step(0, 1, _("what each head does"))
    yield _heads(config)


def heads_off(config: ModelConfig) -> tuple[Head, ...]:
    """All heads that are switched off: those that were chosen, and the one that is named."""
    if config.without == "none":
        return config.off
    shared = {name: getattr(config, name) for name in ("model", "untrained", "brought", "dtype", "device", "seed")}
    found = _heads(HeadsConfig(**shared)).best(config.without)
    return tuple(dict.fromkeys((*config.off, *((found,) if found else ()))))
