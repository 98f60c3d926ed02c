"""A model in training: one step after the other, and what the model is worth on sequences it has not seen."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.inputs import generator
from attention_core.measuring.optimizers import SGD, AdamW, FlatParameters
from attention_core.studies.learning.model import TokenModel, draw_model
from attention_core.studies.learning.result import Score
from attention_core.studies.learning.settings import HELD_OUT, LearningConfig
from attention_core.studies.learning.tasks import IGNORED, Task, blind_best

Sequences = tuple[Int[Tensor, "batch tokens"], Int[Tensor, "batch tokens"]]


class Trainer:
    """A model, its optimizer, and a stream of new sequences.

    Grad mode is a state of the thread, so it is set within each method and never across the caller's own code.

    Args:
        config: The settings.
        rule: What is asked for, where that is none of the tasks that ``config`` names.

    Attributes:
        rule: What is asked for.
        model: The model.
        flat: All its parameters as one vector.
        draws: The stream of the training sequences.
        done: Steps of the optimizer so far.
        inputs: The last batch (batch, tokens).
        wanted: What is asked for in it (batch, tokens).
        scores: What the model said to it (batch, tokens, kinds).
        loss: Its mean cross-entropy.
    """

    @torch.inference_mode(False)
    def __init__(self, config: LearningConfig, rule: Task | None = None) -> None:
        self.config, self.device = config, config.torch_device
        self.rule = rule or config.task_rule
        self.model: TokenModel = draw_model(config)
        self.flat = FlatParameters(self.model, self.device, config.torch_dtype)
        rate = config.learning_rate
        self.optimizer = SGD(rate) if config.optimizer == "sgd" else AdamW(rate, self.flat.values)
        self.draws = generator(config.seed, "learning", "sequences")
        self.done, self.loss = 0, math.nan
        self.inputs = self.wanted = self.scores = torch.empty(0)

    def reach(self, step: int) -> bool:
        """Train until ``step`` steps are done and the next batch is measured; whether its loss is a finite number."""
        if not len(self.inputs):
            self.measure()
        while math.isfinite(self.loss) and self.done < step:
            self.update()
            self.measure()
        return math.isfinite(self.loss)

    @torch.inference_mode(False)
    @torch.enable_grad()
    def measure(self) -> None:
        """Draw new sequences, and compute the loss and where it is finite the gradients."""
        drawn = self.rule.draw(self.config.sizes, self.config.batch, self.draws)
        self.inputs, self.wanted = (each.to(self.device) for each in drawn)
        scores = self.model(self.inputs)
        loss = cross_entropy(scores, self.wanted)
        self.loss, self.scores = float(loss.detach()), scores.detach()
        if math.isfinite(self.loss):
            self.flat.gradient.zero_()
            loss.backward()

    @torch.inference_mode(False)
    @torch.no_grad()
    def update(self) -> None:
        """One step of the optimizer, by the gradients that were measured."""
        self.optimizer.step(self.flat.values, self.flat.gradient)
        self.done += 1

    @property
    def accuracy(self) -> float:
        """Share of what was asked for in the last batch that the model got right."""
        asked = self.wanted != IGNORED
        return float(((self.scores.argmax(-1) == self.wanted) & asked).sum() / asked.sum())

    @property
    def too_high(self) -> str:
        """What to say when the loss is no longer a finite number."""
        return _(
            "At step {step:,} the loss was no longer a finite number: the learning rate {rate:g} is too high for "
            "these settings.",
            step=self.done,
            rate=self.config.learning_rate,
        )


def cross_entropy(scores: Tensor, wanted: Tensor) -> Tensor:
    """Mean over all slots that ask for something."""
    return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)


def sequences(config: LearningConfig, batch: int, purpose: str, rule: Task | None = None) -> Sequences:
    """Sequences apart from those of the training."""
    return (rule or config.task_rule).draw(config.sizes, batch, generator(config.seed, "learning", purpose))


def held_out(config: LearningConfig) -> Sequences:
    """The sequences that a trained model is measured on."""
    return sequences(config, HELD_OUT, "held out")


def blind_shares(config: LearningConfig) -> Float[np.ndarray, " held_out"]:
    """For each held-out sequence, the share that the best model blind to order is expected to get right."""
    return blind_best(config.task_rule, *held_out(config), config.sizes).numpy()


@torch.inference_mode()
def score(config: LearningConfig, model: TokenModel) -> Score:
    """What ``model`` is worth on the held-out sequences."""
    inputs, wanted = held_out(config)
    answers = model(inputs.to(config.torch_device)).argmax(-1).cpu()
    asked = wanted != IGNORED
    shares = (((answers == wanted) & asked).sum(-1).double() / asked.sum(-1)).numpy()
    above = shares - blind_shares(config)
    return Score(
        accuracy=float(shares.mean()),
        error=float(shares.std() / HELD_OUT**0.5),
        above_blind=float(above.mean()),
        blind_error=float(above.std() / HELD_OUT**0.5),
    )
