"""How the shipped models were trained: on one core, from a seed, in minutes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.modules.allocate import allocate
from attention_core.modules.positions import Learned
from attention_core.shipped.corpus import Language

IGNORED: Final = -100  # F.cross_entropy's own mark: nothing is asked here


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides what a trained model will be, beside its language.

    Attributes:
        longest: Words of the longest text that it can read.
        d_ff: Width of the feed-forward networks; 0 for none.
        steps: Steps of AdamW, each on ``batch`` new texts.
        seed: Of the first weights and of the texts.
        batch: Texts of a step.
        rate: The largest learning rate.
        decay: Weight decay.
    """

    longest: int
    d_ff: int
    steps: int
    seed: int = 0
    batch: int = 64
    rate: float = 3e-3
    decay: float = 0.1


RECIPES: Final[Mapping[str, Recipe]] = {
    "reverse": Recipe(longest=18, d_ff=128, steps=2000),
    "induction": Recipe(longest=32, d_ff=0, steps=2500, seed=2),
    "grammar": Recipe(longest=32, d_ff=128, steps=3000),
    "chinese": Recipe(longest=32, d_ff=128, steps=2000, seed=1),
}


def train(language: Language, recipe: Recipe, report: Callable[[int, float], object] | None = None) -> Checkpoint:
    """A model trained from its seed, in eval mode.

    The loss is the mean cross-entropy of the next word, the optimizer AdamW: Loshchilov & Hutter (2019). Its rate
    rises for 100 steps and then falls as half a cosine. With one thread the same machine and versions give the same
    weights.

    Args:
        language: What it reads.
        recipe: All else.
        report: Told the number of steps and the loss, after every hundred steps.
    """
    model = first_model(language, recipe)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=recipe.decay, betas=(0.9, 0.98))
    texts = language.texts(Random(recipe.seed))
    for step in range(recipe.steps):
        rate = recipe.rate * min(1, (step + 1) / 100) * (1 + math.cos(math.pi * step / recipe.steps)) / 2
        optimizer.param_groups[0]["lr"] = rate
        words = _padded([next(texts) for _ in range(recipe.batch)])
        logits = model(words[:, :-1].clamp(min=0))  # a causal model sees nothing of what stands after a text
        loss = F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if report is not None and (step + 1) % 100 == 0:
            report(step + 1, loss.item())
    return model.eval()


def first_model(language: Language, recipe: Recipe) -> Checkpoint:
    """The model before its first step: matrices and tables N(0, 1/columns), gains one, biases zero."""
    config = CheckpointConfig(
        vocab_size=len(language.words),
        d_model=64,
        num_heads=4,
        num_layers=2,
        d_ff=recipe.d_ff,
        position=Learned(recipe.longest),
        vocabulary=language.words,
    )
    with torch.device("meta"):  # torch would draw from the generator of the whole process
        model = allocate(Checkpoint(config))
    own = torch.Generator().manual_seed(recipe.seed)
    with torch.no_grad():
        for name, each in model.named_parameters():
            if each.dim() == 2:
                each.normal_(std=each.shape[1] ** -0.5, generator=own)
            else:
                each.fill_(float(name.endswith("norm.weight")))
    return model


def _padded(texts: Sequence[Sequence[int]]) -> Int[Tensor, "batch tokens"]:
    longest = max(map(len, texts))
    return torch.tensor([[*text, *[IGNORED] * (longest - len(text))] for text in texts])
