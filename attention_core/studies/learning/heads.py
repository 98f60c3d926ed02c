"""Heads switched off: what a trained model is worth without them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.settings import check_settings
from attention_core.measuring.step import Step
from attention_core.shipped.accuracy import without
from attention_core.studies.learning.cost import MAX_SECONDS
from attention_core.studies.learning.inference import Head, rebuild
from attention_core.studies.learning.result import Score, Trained
from attention_core.studies.learning.settings import LearningConfig
from attention_core.studies.learning.trainer import score


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """Which heads of which model are switched off.

    Attributes:
        trained: The model.
        off: Layer and head of each that is off, counted from 0.

    Raises:
        ConfigError: If the model has no such head, or so many that trying each takes too long.
    """

    trained: Trained
    off: tuple[Head, ...] = ()

    def __post_init__(self) -> None:
        check_settings(self)
        config = self.trained.config
        check_heads(config)
        for layer, head in self.off:
            if not (0 <= layer < config.layers and 0 <= head < config.heads):
                allowed = _(
                    "layers 0 to {layer} and heads 0 to {head} are allowed",
                    layer=config.layers - 1,
                    head=config.heads - 1,
                )
                raise ConfigError("off", (layer, head), allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationResult(Record):
    """What is left.

    Attributes:
        config: The model, and the heads that are off.
        left: What the model is worth without them, on the held-out sequences.
        each: The accuracy that is left with each head off in turn and all others on, float64 (layers, heads).
    """

    config: Ablation
    left: Score
    each: Float[np.ndarray, "layers heads"]


def check_heads(config: LearningConfig) -> None:
    """Raise ``ConfigError`` unless every head of such a model can be tried within the time that a run may take."""
    count = config.layers * config.heads
    if (count + 1) * config.held_out_seconds > MAX_SECONDS:
        allowed = _(
            "to switch each off takes more than {seconds:g} seconds of one core; fewer or smaller ones will do",
            seconds=MAX_SECONDS,
        )
        raise ConfigError("heads", _("{count} heads of this size", count=count), allowed)


def steps_ablation(config: Ablation) -> Iterator[Step | AblationResult]:
    """Switch the heads off, and each head for itself: a ``Step`` before each, and last the result."""
    run = config.trained.config
    model = rebuild(config.trained)
    each = np.zeros((run.layers, run.heads))
    for done, place in enumerate(np.ndindex(each.shape)):
        said = _("without head {head} of layer {layer}", head=place[1] + 1, layer=place[0] + 1)
        yield Step(done, each.size + 1, said)
        each[place] = score(run, without(model, [place])).accuracy
    yield Step(each.size, each.size + 1, _("without those that are off"))
    yield AblationResult(config=config, left=score(run, without(model, config.off)), each=each)
