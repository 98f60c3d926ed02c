"""What is noted of a run at up to 64 moments: loss, accuracy, the attention of every head, gradients and movement."""

import math
from typing import Final

import numpy as np
import torch
from torch.linalg import vector_norm

from attention_core.modules.traced import traced
from attention_core.studies.learning.model import ROLES, by_role
from attention_core.studies.learning.result import History
from attention_core.studies.learning.settings import LearningConfig
from attention_core.studies.learning.trainer import Trainer, sequences

MAX_CELLS: Final = 2**20  # of all attention maps together: 4 MiB
STEPS_APART: Final = 6  # a note costs about half a step, so that all of them cost less than a tenth of the run


def moments_of(config: LearningConfig) -> list[int]:
    """The steps before which a note is taken, and after the last one: evenly spread, as many as there is room for."""
    cells = config.layers * config.heads * config.tokens**2
    most = min(config.most_moments, max(config.steps // STEPS_APART, 1) + 1, max(8, MAX_CELLS // cells))
    return sorted({round(part * config.steps / (most - 1)) for part in range(most)})


class Notes:
    """The moments of a run so far.

    Args:
        trainer: The run.
        blind: What the best model blind to order reaches; see ``History``.

    Attributes:
        kept: All parameters at the last moment.
    """

    def __init__(self, trainer: Trainer, blind: float) -> None:
        config, values = trainer.config, trainer.flat.values
        self.config = config
        self.probe, self.wanted = sequences(config, 1, "probe", trainer.rule)
        self._on_device = self.probe.to(values.device)
        self._blind = blind
        self.kept = values.clone()
        self._start, self._change = values.clone(), torch.zeros_like(values)
        vectors = (trainer.flat.gradient, self._change)
        self._watched = [by_role(trainer.model, trainer.flat.named(vector)) for vector in vectors]
        self._present = np.array([[one is not None for one in row] for row in self._watched[0]])
        most, layers, n = len(moments_of(config)), config.layers, config.tokens
        self._count = 0
        self._kept = {
            "moments": np.zeros(most, np.int32),
            "loss": np.zeros(most),
            "accuracy": np.zeros(most),
            "attention": np.zeros((most, layers, config.heads, n, n), np.float32),
            "said": np.zeros((most, n), np.int32),
            "gradients": np.full((most, layers, len(ROLES)), math.nan),
            "moved": np.full((most, layers, len(ROLES)), math.nan),
        }

    @torch.no_grad()
    def take(self, trainer: Trainer) -> None:
        """Note this moment, at which loss and gradients were measured."""
        now = {name: each[self._count] for name, each in self._kept.items()}
        self._kept["moments"][self._count] = trainer.done
        self._kept["loss"][self._count], self._kept["accuracy"][self._count] = trainer.loss, trainer.accuracy
        self.kept.copy_(trainer.flat.values)
        torch.sub(trainer.flat.values, self._start, out=self._change)
        with traced(trainer.model) as passes:
            now["said"][:] = trainer.model(self._on_device)[0].argmax(-1).cpu().numpy()
        for layer, each in enumerate(passes):
            now["attention"][layer] = each.trace.weights[0].to("cpu", torch.float32).numpy()
        for name, watched in zip(("gradients", "moved"), self._watched, strict=True):
            present = [vector_norm(one) for row in watched for one in row if one is not None]
            now[name][self._present] = torch.stack(present).cpu()  # one transfer, not one for each
        self._count += 1

    @property
    def last(self) -> int:
        """The step of the last moment."""
        return int(self._kept["moments"][self._count - 1])

    def history(self) -> History:
        """The moments so far; those to come do not change it."""
        return History(
            config=self.config,
            **{name: each[: self._count] for name, each in self._kept.items()},
            probe=self.probe[0].numpy(),
            wanted=self.wanted[0].numpy(),
            chance=1 / self.config.kinds,
            blind=self._blind,
        )
