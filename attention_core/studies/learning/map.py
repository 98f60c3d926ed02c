"""Learning rate against size of a head, with and without the factor 1/√d_head: which settings learn."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import frozen
from attention_core.measuring.checks import MAX_SEED, ConfigError, check_choice, check_float, check_int
from attention_core.measuring.config import RunConfig
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.learning.cost import MAX_SECONDS
from attention_core.studies.learning.settings import OPTIMIZERS, SCALES, LearningConfig
from attention_core.studies.learning.trainer import Trainer, score

D_HEADS: Final = (16, 64, 256, 1024)
RATES: Final = {"adamw": (0.001, 0.003, 0.01, 0.03), "sgd": (0.03, 0.1, 0.3, 1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MapConfig(RunConfig):
    """Reversing 12 tokens with one layer of attention, at four learning rates and four sizes of a head.

    Attributes:
        optimizer: ``adamw`` or ``sgd``.
        start: Factor on W_Q and W_K at the start, as in ``LearningConfig``.
        steps: Steps of each run.
        runs: Runs in each cell, with the seeds ``seed``, ``seed + 1``, …
        dtype: ``float32`` or ``float64``.

    Raises:
        ConfigError: If a setting is not possible, or all of them together take too long.
    """

    optimizer: str = "adamw"
    start: float = 1.0
    steps: int = 150
    runs: int = 1
    dtype: str = "float32"

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_choice("dtype", self.dtype, ("float32", "float64"))
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        check_float("start", self.start, 0.0, 4.0)
        check_int("steps", self.steps, 1, 1000)
        check_int("runs", self.runs, 1, 8)
        if self.seconds > MAX_SECONDS:
            cells = len(SCALES) * len(self.rates) * len(D_HEADS)
            given = _("{runs} × {cells} runs of {steps:,} steps", runs=self.runs, cells=cells, steps=self.steps)
            allowed = _(
                "that is more than {seconds:g} seconds of one core; about {most:,} steps will do",
                seconds=MAX_SECONDS,
                most=int(self.steps * MAX_SECONDS / self.seconds),
            )
            raise ConfigError("steps", given, allowed)

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates of the optimizer."""
        return RATES[self.optimizer]

    @property
    def seconds(self) -> float:
        """About how long all of it takes on one core, in seconds."""
        each = sum(self.cell(0, 0, column).seconds for column in range(len(D_HEADS)))
        return each * self.runs * len(self.rates) * len(SCALES)

    def cell(self, scale: int, row: int, column: int, run: int = 0) -> LearningConfig:
        """The settings of one run."""
        return LearningConfig(
            scale=tuple(SCALES)[scale],
            learning_rate=self.rates[row],
            d_head=D_HEADS[column],
            optimizer=self.optimizer,
            start=self.start,
            steps=self.steps,
            batch=16,
            feed_forward=False,
            dtype=self.dtype,
            device=self.device,
            seed=(self.seed + run) % (MAX_SEED + 1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MapResult(Result):
    """Which cells learn.

    Attributes:
        config: The settings.
        accuracy: Mean over the runs on held-out sequences, float64 (scales, rates, d_heads), scales as in ``SCALES``;
            NaN where a loss was not finite.
        spread: Standard deviation of a query's scores at the start, float64 (scales, d_heads).
    """

    config: MapConfig
    accuracy: Float[np.ndarray, "scales rates d_heads"]
    spread: Float[np.ndarray, "scales d_heads"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MapStep(Step):
    """How far the map has come.

    Attributes:
        accuracy: As in ``MapResult``, NaN in the cells that are still to come.
    """

    accuracy: Float[np.ndarray, "scales rates d_heads"]


def steps_map(config: MapConfig) -> Iterator[MapStep | MapResult]:
    """Train every cell, a step before each, and last the result; the quick cells come first.

    On the CPU the same config gives the same result, bit for bit.
    """
    shape = (len(SCALES), len(config.rates), len(D_HEADS))
    accuracy = np.full(shape, math.nan)
    places = sorted(np.ndindex(shape), key=lambda place: place[2])
    for done, (scale, row, column) in enumerate(places):
        said = _("d_head {size:,}, learning rate {rate:g}", size=D_HEADS[column], rate=config.rates[row])
        yield MapStep(done, len(places), said, accuracy=frozen(accuracy.copy()))
        measured = [_train(config.cell(scale, row, column, run)) for run in range(config.runs)]
        accuracy[scale, row, column] = np.mean(measured)
    cells = [[(scale, 0, column) for column in range(len(D_HEADS))] for scale in range(len(SCALES))]
    yield MapResult.of(
        config,
        (),
        config=config,
        accuracy=accuracy,
        spread=np.array([[config.cell(*at).score_spread for at in row] for row in cells]),
    )


def _train(config: LearningConfig) -> float:
    """Accuracy of one run, NaN where its loss was not finite."""
    trainer = Trainer(config)
    return score(config, trainer.model).accuracy if trainer.reach(config.steps) else math.nan
