"""Training on a text: step by step, with its tail measured and a text written at up to 17 moments."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.studies.learning.history import Notes, moments_of
from attention_core.studies.learning.key_bias import KeyBiasWatch
from attention_core.studies.learning.model import TokenModel
from attention_core.studies.learning.result import Trained
from attention_core.studies.learning.tasks import IGNORED, Sizes, Task
from attention_core.studies.learning.text.held import Text
from attention_core.studies.learning.text.ngrams import ORDERS, losses
from attention_core.studies.learning.text.result import Gain, TextResult, TextRun, TextStep
from attention_core.studies.learning.text.settings import CHUNK, TEMPERATURES, WRITTEN, TextConfig, shuffled
from attention_core.studies.learning.text.verdicts import text_verdicts
from attention_core.studies.learning.text.writing import longest_run, write
from attention_core.studies.learning.trainer import Trainer

MIDDLE: Final = TEMPERATURES.index(1.0)
EXAMPLE: Final = 12  # tokens that a kept model begins with


class FromText(Task):
    """The next token of pieces of a text, which begin anywhere in it.

    Args:
        ids: The text.
    """

    predicts_next = True

    def __init__(self, ids: Int[Tensor, " tokens"]) -> None:
        self.ids = ids

    def draw(
        self, sizes: Sizes, batch: int, generator: torch.Generator
    ) -> tuple[Int[Tensor, "batch tokens"], Int[Tensor, "batch tokens"]]:
        """Pieces of the text, and the same one token later."""
        starts = torch.randint(len(self.ids) - sizes.tokens, (batch, 1), generator=generator)
        pieces = self.ids[starts + torch.arange(sizes.tokens + 1)]
        return pieces[:, :-1], pieces[:, 1:]

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """Nothing: what follows an input of one's own no text says."""
        del sizes
        return torch.full_like(inputs, IGNORED)

    def blind(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Float[Tensor, "batch tokens"]:
        """Not known of a text."""
        del sizes
        return torch.full(inputs.shape, torch.nan)


class Tail:
    """The end of a text, cut into sequences in which each of its tokens is asked for once.

    Args:
        ids: The text.
        count: How many of its last tokens are held out.
        tokens: How many tokens a sequence has.
    """

    def __init__(self, ids: Int[Tensor, " tokens"], count: int, tokens: int) -> None:
        ends = [min(end, len(ids) - 1) for end in range(len(ids) - 1 - count + tokens, len(ids) - 1 + tokens, tokens)]
        places = torch.tensor(ends)[:, None] - tokens + torch.arange(tokens)
        self.inputs, self.wanted = ids[places], ids[places + 1]
        # The last sequence ends with the text, so it may begin within the one before it, or before the tail.
        self.wanted[-1, : tokens * len(ends) - count] = IGNORED

    @torch.inference_mode()
    def losses(self, model: TokenModel, device: torch.device) -> Float[Tensor, "sequences tokens"]:
        """−log p of each of its tokens; NaN where nothing is asked."""
        found = []
        for inputs, wanted in zip(self.inputs.split(CHUNK), self.wanted.split(CHUNK), strict=True):
            scores = model(inputs.to(device)).cpu().double().transpose(1, 2)
            loss = F.cross_entropy(scores, wanted, ignore_index=IGNORED, reduction="none")
            found.append(loss.masked_fill(wanted == IGNORED, torch.nan))
        return torch.cat(found)


def steps_text(config: TextConfig) -> Iterator[TextStep | TextResult]:
    """Train: a ``TextStep`` at each moment, with the run so far, and last the ``TextResult``.

    On the CPU the same config gives the same result, bit for bit. Where the loss is no longer a finite number the run
    ends; the last finite moment is kept.

    Raises:
        ConfigError: If the text was brought, and nobody has it open any more.
    """
    notes = _Notes(config, config.text)
    stopped = ""
    for moment in moments_of(config):
        if not notes.trainer.reach(moment):
            stopped = _(
                "{too_high} The picture ends at step {last:,}, the last moment at which it was.",
                too_high=notes.trainer.too_high,
                last=notes.notes.last,
            )
            break
        notes.take()
        said = _("loss of the tail {loss:.2f}", loss=notes.held_out[-1])
        yield TextStep(moment, config.steps, said, run=notes.run())
    yield notes.result(stopped)


class _Notes:
    """A run on a text, and what is noted of it."""

    def __init__(self, config: TextConfig, text: Text) -> None:
        ids = config.ids(text)
        self.config, self.text, self.ids = config, text, ids
        numbers = torch.from_numpy(ids.astype(np.int64))
        self.trainer = Trainer(config, FromText(numbers[: -config.tail]))
        self.notes, self.watch = Notes(self.trainer, float("nan")), KeyBiasWatch(self.trainer)
        self.tail = Tail(numbers, config.tail, config.tokens)
        self.beginning = numbers[-config.tail - config.tokens : -config.tail]
        self.foretold = [losses(ids, config.tail, config.kinds, order) for order in ORDERS]
        self.held_out: list[float] = []
        self.written: list[np.ndarray] = []
        self.copied: list[list[tuple[int, int]]] = []

    def take(self) -> None:
        """Note this moment."""
        config, trainer = self.config, self.trainer
        self.notes.take(trainer)
        self.watch.take()
        self.held_out.append(float(self._losses().nanmean()))
        beginning = self.beginning.to(trainer.device)
        self.written.append(write(trainer.model, beginning, TEMPERATURES, WRITTEN, config.tokens, config.seed))
        self.copied.append([longest_run(one, self.ids) for one in self.written[-1]])

    def _losses(self) -> Tensor:
        return self.tail.losses(self.trainer.model, self.trainer.device)

    def run(self) -> TextRun:
        """The moments so far."""
        return TextRun(
            history=self.notes.history(), words=self.text.words, by=self.text.by, held_out=np.array(self.held_out),
            counted=np.array([one.mean() for one in self.foretold]), written=np.stack(self.written),
            copied=np.array(self.copied, np.int32),
        )  # fmt: skip

    @torch.inference_mode(False)
    @torch.no_grad()
    def result(self, stopped: str) -> TextResult:
        """What the run left, with the weights of its last moment."""
        config, run = self.config, self.run()
        self.trainer.flat.values.copy_(self.notes.kept)
        gain, last = self._gain(), run.written[-1, MIDDLE]
        by_chance = longest_run(last, shuffled(self.text, config.seed, "chance"))[1]
        weights = {name: each.detach().cpu().numpy().copy() for name, each in self.trainer.model.named_parameters()}
        copied = int(run.copied[-1, MIDDLE, 1])
        verdicts = (*text_verdicts(config, gain, copied, by_chance), *self.watch.verdicts())
        return TextResult.of(
            config,
            () if stopped else verdicts,
            config=config,
            run=run,
            trained=Trained(
                config=config, weights=weights, words=run.words, written=run.spelled(run.written[-1, 0, :EXAMPLE])
            ),
            gain=gain,
            by_chance=by_chance,
            stopped=stopped,
        )

    def _gain(self) -> Gain:
        """Over sequences, since tokens that stand together are foretold alike."""
        ours = self._losses()
        pairs = torch.full_like(ours, torch.nan)
        pairs[~ours.isnan()] = torch.from_numpy(self.foretold[1])
        below = (pairs - ours).nansum(1)
        asked = (~ours.isnan()).sum(1)
        mean = float(below.sum() / asked.sum())
        # Of a ratio of two sums: the sequences' deviations from it, by the length that they have on average.
        apart = below - mean * asked
        count = len(apart)
        error = float((apart.square().sum() / max(count - 1, 1)).sqrt() * count**0.5 / asked.sum())
        return Gain(mean=mean, error=error, sequences=count)
