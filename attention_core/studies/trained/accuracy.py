"""How often a model is right, construction by construction, and what each head is worth to it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float

from attention_core.language import gettext_lazy as _
from attention_core.measuring.models import Head
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.shipped.accuracy import Accuracy, accuracy, without
from attention_core.studies.trained.heads import heads_off
from attention_core.studies.trained.settings import ModelConfig

CASES: Final = 200  # of each construction


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyConfig(ModelConfig):
    """Which model is asked, and which of its heads are off."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AccuracyResult(Result):
    """How often the likeliest of the words that are right and wrong is a right one.

    Attributes:
        names: The constructions' ids.
        labels: What each is called.
        whole: Share of the cases that are right with all heads (constructions,).
        left: The same without those that are off.
        interval: The ends of the 95 % interval of ``left`` (constructions, 2).
        chance: How often a guess among the same words is right.
        each: The share that is left with each head off in turn and no other (layers, heads, constructions).
        off: Layer and head of those that are off.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    whole: Float[np.ndarray, " constructions"]
    left: Float[np.ndarray, " constructions"]
    interval: Float[np.ndarray, "constructions 2"]
    chance: Float[np.ndarray, " constructions"]
    each: Float[np.ndarray, "layers heads constructions"]
    off: tuple[Head, ...]


def steps_accuracy(config: AccuracyConfig) -> Iterator[Step | AccuracyResult]:
    """Ask with all heads, without those that are off, and without each: a ``Step`` each, and last the result."""
    cases, module = [*config.cases(CASES).values()], config.prepared()

    def asked(heads: Iterable[Head]) -> list[Accuracy]:
        changed = without(module, heads)
        return [accuracy(changed, of) for of in cases]

    layers, heads = config.shape
    total, off = 2 + layers * heads, heads_off(config)
    yield Step(0, total, _("with all heads"))
    whole = asked(())
    yield Step(1, total, _("without those that are off"))
    left = asked(off)
    each = np.zeros((layers, heads, len(cases)))
    for done, (layer, head) in enumerate(np.ndindex(layers, heads)):
        doing = _("without head {head} of layer {layer}", head=head + 1, layer=layer + 1)
        yield Step(2 + done, total, doing)
        each[layer, head] = [one.share for one in asked([(layer, head)])]
    yield AccuracyResult.of(
        config,
        names=tuple(one.name for one in config.constructions),
        labels=tuple(one.label for one in config.constructions),
        whole=np.array([one.share for one in whole]),
        left=np.array([one.share for one in left]),
        interval=np.array([one.interval for one in left]),
        chance=np.array([one.chance for one in left]),
        each=each,
        off=off,
    )
