"""The same training from several seeds: how many of the runs succeed."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float, Int

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import frozen
from attention_core.measuring.checks import MAX_SEED
from attention_core.measuring.settings import Whole, setting
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.learning.result import Score, SuccessRate
from attention_core.studies.learning.settings import SUCCESS, LearningConfig
from attention_core.studies.learning.trainer import Trainer, score
from attention_core.studies.learning.verdicts import compares, rate_verdicts, run_verdicts

POINTS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsConfig(LearningConfig):
    """Several runs with the same settings, with the seeds ``seed``, ``seed + 1``, …

    Attributes:
        runs: How many.

    Raises:
        ConfigError: As ``LearningConfig``, for all runs together.
    """

    runs: int = setting(8, Whole(2, 16, label=_("Runs")))

    @property
    def repeats(self) -> int:
        """How many models are trained."""
        return self.runs * (1 + compares(self))

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each run."""
        return tuple((self.seed + run) % (MAX_SEED + 1) for run in range(self.runs))


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsResult(Result):
    """What became of each run.

    Attributes:
        config: The settings.
        moments: Steps done at each point of the curves (points,).
        accuracy: Share that each run gets right of the sequences of that step, NaN after a loss that was not finite;
            float64 (runs, points).
        scores: What each run is worth on 512 held-out sequences, after its last step.
        share: How many of them reach 95 %.
        untied: How many of the same runs do with three matrices of their own, where a claim compares them.
        blind: Accuracy that the best model blind to order is expected to reach, the mean over the runs' sequences.
        parameters: How many each model has.
    """

    config: SeedsConfig
    moments: Int[np.ndarray, " points"]
    accuracy: Float[np.ndarray, "runs points"]
    scores: tuple[Score, ...]
    share: SuccessRate
    untied: SuccessRate | None
    blind: float
    parameters: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SeedsStep(Step):
    """How far the runs have come.

    Attributes:
        moments: Steps done at each point of the curves (points,).
        accuracy: As in ``SeedsResult``, NaN for what is still to come.
    """

    moments: Int[np.ndarray, " points"]
    accuracy: Float[np.ndarray, "runs points"]


def steps_seeds(config: SeedsConfig) -> Iterator[SeedsStep | SeedsResult]:
    """Train all of them: a step at each point, and last the result. On the CPU it is the same each time, bit for bit.

    The runs come one after the other: as one batch of models (``torch.func.vmap``) eight of them took 0.6 to 1.5
    times as long on a core, 0.9 to 1.0 at the default sizes, and each would no longer be, bit for bit, the run of its
    seed.
    """
    moments = sorted({round(part * config.steps / (POINTS - 1)) for part in range(POINTS)})
    curves = np.full((config.runs, len(moments)), math.nan)
    scores, parameters, total = [], 0, config.runs * len(moments)
    total += config.runs * compares(config)
    for run, seed in enumerate(config.seeds):
        trainer = Trainer(LearningConfig.like(config, seed=seed))
        parameters = trainer.flat.values.numel()
        for point, moment in enumerate(moments):
            if not trainer.reach(moment):
                break
            curves[run, point] = trainer.accuracy
            said = _("run {run} of {runs}", run=run + 1, runs=config.runs)
            done = run * len(moments) + point
            yield SeedsStep(done, total, said, moments=frozen(np.array(moments)), accuracy=frozen(curves.copy()))
        scores.append(score(trainer.config, trainer.model))
    others = []
    for run, seed in enumerate(config.seeds if compares(config) else ()):
        said = _("run {run} of {runs} with three matrices", run=run + 1, runs=config.runs)
        kept = {"moments": frozen(np.array(moments)), "accuracy": frozen(curves.copy())}
        yield SeedsStep(total - config.runs + run, total, said, **kept)
        trainer = Trainer(LearningConfig.like(config, seed=seed, projections="full"))
        trainer.reach(config.steps)
        others.append(score(trainer.config, trainer.model))
    share, untied = _share(scores), _share(others) if others else None
    yield SeedsResult.of(
        config,
        (*run_verdicts(config, scores), *rate_verdicts(config, share, untied)),
        config=config,
        moments=np.array(moments),
        accuracy=curves,
        scores=tuple(scores),
        share=share,
        untied=untied,
        blind=float(np.mean([one.accuracy - one.above_blind for one in scores])),
        parameters=parameters,
    )


def _share(scores: Sequence[Score]) -> SuccessRate:
    return SuccessRate(reached=sum(one.accuracy >= SUCCESS for one in scores), runs=len(scores))
