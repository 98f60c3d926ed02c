"""How often a model is right: on cases of a construction, with chance and an interval beside it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.modules.block import TransformerBlock
from attention_core.modules.shared_copy import shared_copy
from attention_core.modules.stack import Stack
from attention_core.shipped.corpus import Case

Model = TypeVar("Model", bound=nn.Module)
TRACED: Final = 32  # cases at a time: a trace keeps all that is computed of each


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A share of cases.

    Attributes:
        right: Cases that are answered right.
        count: All cases.
        chance: The share that guessing is expected to reach.
    """

    right: int
    count: int
    chance: float

    @property
    def share(self) -> float:
        """Right ones among all."""
        return self.right / self.count

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, :func:`wilson`."""
        return wilson(self.right, self.count)


def wilson(right: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share: Wilson (1927), "Probable Inference, the Law of Succession"."""
    share, z = right / count, 1.96
    middle = share + z**2 / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return (middle - spread) / (1 + z**2 / count), (middle + spread) / (1 + z**2 / count)


@torch.inference_mode()
def right_answers(model: Checkpoint, cases: Sequence[Case]) -> Bool[Tensor, " cases"]:
    """Which cases the model answers right: the likeliest of the words that are compared is a right one."""
    tokens, last = _beginnings(model, cases)
    logits = model(tokens)[torch.arange(len(cases)), last].cpu()
    best = []
    for words in ([case.right for case in cases], [case.wrong for case in cases]):
        compared = torch.zeros_like(logits, dtype=torch.bool)
        for row, ids in zip(compared, words, strict=True):
            row[list(ids)] = True
        best.append(logits.masked_fill(~compared, -math.inf).amax(1))
    return best[0] > best[1]


@torch.inference_mode()
def cue_weights(model: Checkpoint, cases: Sequence[Case]) -> Float[Tensor, "layers heads"]:
    """How much of its weight each head gives, from the last word, to the word that decides: the mean of the cases."""
    found = []
    for first in range(0, len(cases), TRACED):
        some = cases[first : first + TRACED]
        tokens, last = _beginnings(model, some)
        rows, cues = torch.arange(len(some)), torch.tensor([case.cue for case in some])
        found.append(torch.stack([each.weights[rows, :, last, cues].cpu() for each in model.trace(tokens)]))
    return torch.cat(found, dim=1).mean(1)


def _beginnings(
    model: Checkpoint, cases: Sequence[Case]
) -> tuple[Int[Tensor, "cases tokens"], Int[Tensor, " cases"]]:
    """The beginnings as one tensor, and the place of each one's last word: a causal model sees nothing beyond."""
    last = torch.tensor([len(case.beginning) - 1 for case in cases])
    tokens = torch.zeros(len(cases), int(last.max()) + 1, dtype=torch.long)
    for row, case in zip(tokens, cases, strict=True):
        row[: len(case.beginning)] = torch.tensor(case.beginning)
    return tokens.to(next(model.parameters()).device), last


def accuracy(model: Checkpoint, cases: Sequence[Case]) -> Accuracy:
    """The share of cases that the model answers right."""
    right = int(right_answers(model, cases).sum())
    return Accuracy(right, len(cases), sum(case.chance for case in cases) / len(cases))


@torch.no_grad()
def without(model: Model, heads: Iterable[tuple[int, int]]) -> Model:
    """A copy of the model in which heads give nothing: their columns of W_O are zero. All else it shares with it.

    Args:
        model: A model with a ``stack``; it stays as it is.
        heads: Layer and head of each, counted from 0.
    """
    model = shared_copy(model)
    for layer, head in heads:
        attention = cast(TransformerBlock, cast(Stack, model.stack).layers[layer]).self_attention
        assert attention.o_weight is not None
        attention.o_weight = nn.Parameter(attention.o_weight.clone(), attention.o_weight.requires_grad)
        attention.o_weight[:, head * attention.d_head : (head + 1) * attention.d_head] = 0
    return model
