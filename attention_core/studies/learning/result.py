"""What a training run leaves: its history moment by moment, the trained weights, and how good they are."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attention_core.measuring.arrays import Record
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.shipped.accuracy import wilson
from attention_core.studies.learning.settings import LearningConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Record):
    """A training run moment by moment, as far as it has come. A moment is before the step it is named after.

    Attributes:
        config: The settings.
        moments: Steps done at each moment, ascending from 0, int32 (moments,).
        loss: Mean cross-entropy of that step's new sequences, float64 (moments,).
        accuracy: Share of what is asked for that the model gets right on them (moments,).
        attention: Weights of every head for the probe, float32 (moments, layers, heads, tokens, tokens).
        said: What the model answers to the probe in each slot, int32 (moments, tokens).
        gradients: Norm of the gradient of W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O in each layer, float64 (moments,
            layers, 8); NaN where there is no such parameter.
        moved: How far each of them is from its start, likewise.
        probe: The probe's tokens (tokens,).
        wanted: What is asked for in each of its slots, −100 where nothing is (tokens,).
        chance: Accuracy of guessing among all kinds.
        blind: Accuracy that the best model blind to order is expected to reach on the held-out sequences.
    """

    config: LearningConfig
    moments: Int[np.ndarray, " moments"]
    loss: Float[np.ndarray, " moments"]
    accuracy: Float[np.ndarray, " moments"]
    attention: Float[np.ndarray, "moments layers heads tokens tokens"]
    said: Int[np.ndarray, "moments tokens"]
    gradients: Float[np.ndarray, "moments layers 8"]
    moved: Float[np.ndarray, "moments layers 8"]
    probe: Int[np.ndarray, " tokens"]
    wanted: Int[np.ndarray, " tokens"]
    chance: float
    blind: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LearningStep(Step):
    """How far training has come, with what can be drawn already.

    Attributes:
        history: The run so far.
    """

    history: History


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How good a model is on the 512 held-out sequences.

    Attributes:
        accuracy: Share of what is asked for that it gets right, the mean over the sequences.
        error: Standard error of ``accuracy``.
        above_blind: By how much that is more than the best model blind to order is expected to reach on them.
        blind_error: Standard error of ``above_blind``.
    """

    accuracy: float
    error: float
    above_blind: float
    blind_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """How many of several runs reach 95 % on the held-out sequences.

    Attributes:
        reached: Runs that do.
        runs: All runs.
    """

    reached: int
    runs: int

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval, :func:`wilson`."""
        return wilson(self.reached, self.runs)[0]

    @property
    def high(self) -> float:
        """Its upper end."""
        return wilson(self.reached, self.runs)[1]

    def most_ahead(self, other: "SuccessRate") -> float:
        """By how much this share may be larger than another one, with 95 % confidence.

        Newcombe (1998), "Interval estimation for the difference between independent proportions", method 10.
        """
        ours, theirs = self.reached / self.runs, other.reached / other.runs
        return ours - theirs + math.hypot(self.high - ours, theirs - other.low)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trained(Record):
    """A trained model as plain numbers: all that is needed to run it again. It equals itself alone.

    Attributes:
        config: The settings it was trained with.
        weights: Its parameters by their names, read-only.
        words: What each number of a token means.
        written: What it has written, where it was trained on a text: an example of what it can be asked.
    """

    config: LearningConfig
    weights: Mapping[str, np.ndarray]
    words: tuple[str, ...]
    written: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningResult(Result):
    """A finished run.

    Attributes:
        config: The settings.
        history: The run moment by moment.
        trained: The weights at the last moment.
        score: How good they are on sequences that were not trained on.
        stopped: Why the run ended early, as a sentence; empty where it did not.
    """

    config: LearningConfig
    history: History
    trained: Trained
    score: Score
    stopped: str
