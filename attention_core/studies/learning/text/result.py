"""What a training on a text leaves: the run, its loss beside what counting foretells, and what the model writes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attention_core.measuring.arrays import Record
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.learning.result import History, Trained
from attention_core.studies.learning.text.settings import TextConfig

CONFIDENT = 1.96  # standard errors: 95 % of a normal distribution lie within


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRun(Record):
    """A training on a text moment by moment, as far as it has come.

    Attributes:
        history: What is noted of every training; its loss is that of each step's own sequences.
        words: The text's kinds of tokens.
        by: What it is cut into.
        held_out: Mean loss of the tail, in nats a token, at each moment, float64 (moments,).
        counted: The same of what counting single tokens, pairs and triples foretells, float64 (3,).
        written: What the model writes at each moment at each of ``TEMPERATURES``, int16 (moments, temperatures,
            tokens).
        copied: Where the longest run of it begins that stands so in the text, and how many tokens it has, int32
            (moments, temperatures, 2).
    """

    history: History
    words: tuple[str, ...]
    by: str
    held_out: Float[np.ndarray, " moments"]
    counted: Float[np.ndarray, " 3"]
    written: Int[np.ndarray, "moments temperatures tokens"]
    copied: Int[np.ndarray, "moments temperatures 2"]

    @property
    def config(self) -> TextConfig:
        """The settings."""
        assert isinstance(self.history.config, TextConfig)
        return self.history.config

    def spelled(self, ids: Sequence[int] | np.ndarray) -> tuple[str, ...]:
        """The tokens of some numbers."""
        return tuple(self.words[at] for at in ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """By how much a model's loss on the tail lies below that of counted pairs.

    Attributes:
        mean: That much, in nats a token.
        error: Its standard error, over the sequences that the tail was cut into.
        sequences: How many they are.
    """

    mean: float
    error: float
    sequences: int

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - CONFIDENT * self.error


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TextStep(Step):
    """How far training has come, with what can be drawn already.

    Attributes:
        run: The run so far.
    """

    run: TextRun


@dataclass(frozen=True, slots=True, kw_only=True)
class TextResult(Result):
    """A finished training on a text.

    Attributes:
        config: The settings.
        run: The run moment by moment.
        trained: The weights at the last moment.
        gain: By how much its loss lies below that of counted pairs.
        by_chance: The longest run of what it wrote at temperature 1 that stands so in the text once that is shuffled.
        stopped: Why the run ended early, as a sentence; empty where it did not.
    """

    config: TextConfig
    run: TextRun
    trained: Trained
    gain: Gain
    by_chance: int
    stopped: str

    @property
    def history(self) -> History:
        """What is noted of every training."""
        return self.run.history
