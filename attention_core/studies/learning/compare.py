"""The same task for models that differ in one thing, each from several seeds: their heads, or their positions."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float, Int

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import frozen
from attention_core.measuring.checks import ConfigError, check_choice
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.learning.seeds import POINTS, SeedsConfig
from attention_core.studies.learning.settings import HELD_OUT, LearningConfig
from attention_core.studies.learning.settings import POSITIONS as POSITION_NAMES
from attention_core.studies.learning.tasks import IGNORED
from attention_core.studies.learning.trainer import Trainer, sequences

HEADS: Final = (1, 2, 4, 8)
POSITIONS: Final = ("learned", "sinusoidal", "rotary", "alibi")
VARIED: Final = ("heads", "positions")
RUNS: Final = 3
_PARTS: Final = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # of the length that is trained on


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareConfig(SeedsConfig):
    """Models that differ in one setting, with the seeds ``seed``, ``seed + 1``, … each.

    Attributes:
        runs: How many of each.
        varies: ``heads``, 1, 2, 4 and 8 of together the same width, or ``positions``.

    Raises:
        ConfigError: As ``LearningConfig``, for all runs together, or if fewer than two such models are possible.
    """

    runs: int = RUNS
    varies: str = "heads"

    def __post_init__(self) -> None:
        LearningConfig.__post_init__(self)
        check_choice("varies", self.varies, VARIED)
        if len(self.variants) < 2:
            allowed = _("a multiple of 2 is, of which several heads can have equal parts")
            raise ConfigError("d_model", self.d_model, allowed)

    @property
    def variants(self) -> dict[str, LearningConfig]:
        """The models by what they differ in; those that are not possible are left out."""
        changes: dict[str, dict[str, Any]] = {name: {"positions": name} for name in POSITIONS}
        if self.varies == "heads":
            changes = {str(heads): {"heads": heads, "d_head": 0} for heads in HEADS}
        return {name: one for name, change in changes.items() if (one := _possible(self, change))}

    def spoken(self, name: str) -> str:
        """One of the models as people say it."""
        if self.varies == "positions":
            return POSITION_NAMES[name]
        return ngettext_lazy("{count} head", "{count} heads", int(name))

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths at which they are measured: that which they are trained at, shorter ones and longer ones."""
        wanted = sorted({round(part * self.tokens) for part in _PARTS})
        return tuple(length for length in wanted if _possible(self, {"tokens": length}))

    @property
    def repeats(self) -> int:
        """How many models are trained."""
        return self.runs * len(HEADS if self.varies == "heads" else POSITIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareResult(Result):
    """What became of each model.

    Attributes:
        config: The settings.
        names: What the models differ in, as ``config.variants``.
        moments: Steps done at each point of the curves (points,).
        accuracy: Share of that step's new sequences that is right, NaN after a loss that was not finite; float64
            (models, runs, points).
        lengths: Lengths that they are measured at (lengths,).
        at_lengths: Share of 512 held-out sequences of that length, of what is asked for there, that is right; NaN
            where a table of positions has none for the last tokens; float64 (models, runs, lengths).
    """

    config: CompareConfig
    names: tuple[str, ...]
    moments: Int[np.ndarray, " points"]
    accuracy: Float[np.ndarray, "models runs points"]
    lengths: Int[np.ndarray, " lengths"]
    at_lengths: Float[np.ndarray, "models runs lengths"]

    @property
    def trained_at(self) -> int:
        """Which of the lengths they were trained at."""
        return self.lengths.tolist().index(self.config.tokens)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompareStep(Step):
    """How far they have come.

    Attributes:
        moments: As in ``CompareResult``; also the next two, NaN for what is still to come.
        accuracy: Of the steps.
        at_lengths: Of the lengths.
    """

    moments: Int[np.ndarray, " points"]
    accuracy: Float[np.ndarray, "models runs points"]
    at_lengths: Float[np.ndarray, "models runs lengths"]


def steps_compare(config: CompareConfig) -> Iterator[CompareStep | CompareResult]:
    """Train all of them: a step before each run, and last the result. On the CPU it is the same each time."""
    variants, lengths = config.variants, config.lengths
    moments = np.array(sorted({round(part * config.steps / (POINTS - 1)) for part in range(POINTS)}))
    accuracy = np.full((len(variants), config.runs, len(moments)), math.nan)
    at_lengths = np.full((len(variants), config.runs, len(lengths)), math.nan)
    for run, seed in enumerate(config.seeds):
        for number, (name, variant) in enumerate(variants.items()):
            kept = {"accuracy": frozen(accuracy.copy()), "at_lengths": frozen(at_lengths.copy())}
            said = _("{name}, run {run} of {runs}", name=config.spoken(name), run=run + 1, runs=config.runs)
            total = config.runs * len(variants)
            yield CompareStep(run * len(variants) + number, total, said, moments=frozen(moments.copy()), **kept)
            trainer = Trainer(LearningConfig.like(variant, seed=seed))
            for point, moment in enumerate(moments.tolist()):
                if not trainer.reach(moment):
                    break
                accuracy[number, run, point] = trainer.accuracy
            else:
                at_lengths[number, run] = [_right(trainer, length) for length in lengths]
    yield CompareResult.of(
        config, (), config=config, names=tuple(variants), moments=moments, accuracy=accuracy,
        lengths=np.array(lengths), at_lengths=at_lengths,
    )  # fmt: skip


def _possible(config: LearningConfig, change: dict[str, Any]) -> LearningConfig | None:
    """The settings with this change; None where they are not possible."""
    try:
        return LearningConfig.like(config, **change)
    except ConfigError:
        return None


@torch.inference_mode()
def _right(trainer: Trainer, length: int) -> float:
    """Share of what is asked for in held-out sequences of some length; NaN where there are no positions for them."""
    config = trainer.config
    if config.positions == "learned" and length > config.tokens:
        return math.nan
    inputs, wanted = sequences(LearningConfig.like(config, tokens=length), HELD_OUT, "held out")
    asked = wanted != IGNORED
    answers = trainer.model(inputs.to(config.torch_device)).argmax(-1).cpu()
    return int(((answers == wanted) & asked).sum()) / int(asked.sum())
