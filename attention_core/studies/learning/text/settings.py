"""Settings of a model that is trained on a text."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Int

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError, check_int
from attention_core.measuring.inputs import generator
from attention_core.measuring.settings import Choice, Switch, Whole, plain, setting
from attention_core.studies.learning.settings import TASK_NAMES, TEXT, LearningConfig
from attention_core.studies.learning.text.cut import MOST_KINDS
from attention_core.studies.learning.text.held import HELD_OUT, LEAST, MAX_TEXT, Text, held

TEMPERATURES: Final = (0.25, 0.5, 1.0, 1.5)
WRITTEN: Final = 120  # tokens that are written at each moment, at each temperature
MAX_MOMENTS: Final = 17  # each measures the tail and writes
CHUNK: Final = 64  # sequences of the tail that are measured at once
_LOGIT: Final = 1.2e-8  # seconds for each score of a kind of token, forwards and back, on one core


@dataclass(frozen=True, slots=True, kw_only=True)
class TextConfig(LearningConfig):
    """A decoder that is trained to say of each token of a text which one comes next.

    Attributes:
        task: ``text``.
        kinds: How many kinds of tokens the text has; while it is open that is counted, whatever is given.
        length: How many tokens it has, likewise; with it given, the config of a kept model needs no text.
        shuffled: Whether its tokens are shuffled, which leaves nothing of it but how often each comes.
        digest: The text's, as of ``bring_text``; empty for the one that is ready-made.

    Raises:
        ConfigError: As ``LearningConfig``; or if nobody has the text open, or it is too short for ``tokens``.
    """

    task: str = setting(TEXT, Choice({TEXT: TASK_NAMES[TEXT]}, label=_("Task")))
    kinds: int = setting(MOST_KINDS, Whole(2, MOST_KINDS, label=_("Kinds of tokens")))
    shuffled: bool = setting(
        False, Switch(label=_("Shuffle your text"), hint=_("What is left is how often each token comes."))
    )
    digest: str = ""
    length: int = 0

    def __post_init__(self) -> None:
        text = held(self.digest) if isinstance(self.digest, str) else None
        if text is not None:
            check_int("kinds", plain(self.kinds), 2, MOST_KINDS)
            object.__setattr__(self, "kinds", len(text.words))
            object.__setattr__(self, "length", len(text.ids))
        elif not self.length:
            raise _gone()
        check_int("length", self.length, LEAST, MAX_TEXT)
        LearningConfig.__post_init__(self)

    def _check_task(self) -> None:
        """It is the one that the setting allows."""

    def _check_sizes(self) -> None:
        super(TextConfig, self)._check_sizes()
        most = self.length - self.tail - 1
        if self.tokens > most:
            allowed = _("of {length:,} tokens to train on at most {most:,} are", length=most + 1, most=most)
            raise ConfigError("tokens", self.tokens, allowed)

    @property
    def text(self) -> Text:
        """The text.

        Raises:
            ConfigError: If it was brought, and nobody has it open any more.
        """
        found = held(self.digest)
        if found is None:
            raise _gone()
        return found

    def ids(self, text: Text) -> Int[np.ndarray, " tokens"]:
        """The numbers of the text's tokens, shuffled where that is asked for."""
        return shuffled(text, self.seed, "text") if self.shuffled else text.ids

    @property
    def tail(self) -> int:
        """How many of its last tokens are held out."""
        return self.length // HELD_OUT

    @property
    def most_moments(self) -> int:
        """At how many moments of the run a note is taken, at most."""
        return MAX_MOMENTS

    @property
    def step_seconds(self) -> float:
        """About how long a step takes on one core, in seconds."""
        return self._seconds(self.batch)

    @property
    def held_out_seconds(self) -> float:
        """About how long it takes to measure the tail, and to write, at each moment; in seconds."""
        moments = min(MAX_MOMENTS, self.steps + 1)
        tail, writing = self._seconds(-(-self.tail // self.tokens)), WRITTEN * self._seconds(len(TEMPERATURES))
        return moments * (tail + writing) / 3  # a forward pass is a third of a step

    def _seconds(self, batch: int) -> float:
        return self.work.step_seconds(batch) + batch * self.tokens * self.kinds * _LOGIT

    @property
    def working_bytes(self) -> int:
        """About how many bytes it holds at once while it is trained."""
        size = 8 if self.dtype == "float64" else 4
        return self.work.run_bytes(self.batch, CHUNK) + 4 * size * max(self.batch, CHUNK) * self.tokens * self.kinds

    @property
    def in_this_process(self) -> bool:
        """Whether no other process can compute it: a text that was brought stays where it was opened."""
        return bool(self.digest)


def shuffled(text: Text, seed: int, purpose: str) -> Int[np.ndarray, " tokens"]:
    """The numbers of a text's tokens in a random order."""
    return text.ids[torch.randperm(len(text.ids), generator=generator(seed, "learning", purpose)).numpy()]


def _gone() -> ConfigError:
    return ConfigError("task", TEXT, _("this text is no longer open; open it again, or take the ready-made one"))
