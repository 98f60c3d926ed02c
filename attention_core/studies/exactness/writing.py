"""A shipped model that writes, in any precision, and how far rounding may move its logits."""

import copy
from functools import cache
from random import Random
from typing import Final

import torch
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.load import load_checkpoint
from attention_core.device import resolve_dtype, supported_dtypes
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing, variance
from attention_core.measuring.judge import largest
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.shipped.corpus import END
from attention_core.shipped.languages import LANGUAGES, SHIPPED
from attention_core.studies.exactness.settings import ExactnessConfig

BEGUN: Final = 3  # words that are given, <start> among them
WRITTEN: Final = 18  # and as many as it writes


@cache
def _shipped(name: str) -> Checkpoint:
    return load_checkpoint(SHIPPED[name]).requires_grad_(False).eval()


def writer(config: ExactnessConfig, dtype: str = "") -> Checkpoint:
    """A copy of the model in a precision; in that of the settings where none is named."""
    wanted = resolve_dtype(dtype, config.torch_device) if dtype else config.torch_dtype
    return copy.deepcopy(_shipped(config.model)).to(config.torch_device, wanted)


def precisions(config: ExactnessConfig) -> tuple[str, ...]:
    """The precisions that the device has, the finest first."""
    return tuple(supported_dtypes(config.torch_device))


def beginning(config: ExactnessConfig) -> Tensor:
    """The first words (1, words) of a text that the seed draws."""
    text = next(LANGUAGES[config.model].texts(Random(config.seed)))
    return torch.tensor([text[:BEGUN]], device=config.torch_device)


def words_of(config: ExactnessConfig, ids: Tensor) -> tuple[str, ...]:
    """The words of one text."""
    return tuple(_shipped(config.model).vocabulary[number] for number in ids[0].tolist())


def cut(config: ExactnessConfig, ids: Tensor) -> Tensor:
    """The text up to its first end."""
    ends = (ids[0] == _shipped(config.model).vocabulary.index(END)).nonzero()
    return ids[:, : int(ends[0]) + 1] if len(ends) else ids


def margins(logits: Tensor) -> Tensor:
    """By how much the best next word is ahead of the second at each place (places,)."""
    best = logits.topk(2, dim=-1).values
    return best[..., 0] - best[..., 1]


def logit_tolerance(model: Checkpoint, ids: Tensor) -> float:
    """Largest difference of two logits that rounding explains, of two passes over one text.

    That of the blocks, carried through the last matrix, and the rounding of its own sums; these are added up in
    float32 in half precision, and rounded to one spacing of the largest logit at most, since both last roundings may
    fall to opposite sides.
    """
    dtype = model.embedding.weight.dtype

    def compute(exact: Checkpoint, x: Tensor) -> Tensor:
        return exact._logits(exact.stack(x))  # noqa: SLF001 - from vectors, which are the same in both passes

    vectors = model.embedding(ids)
    bound = stack_tolerance(model, compute, vectors)
    matrix, inner = on_cpu(model.embedding.weight), on_cpu(model.stack(vectors))
    logits = inner @ matrix.mT
    squares = inner.square() @ matrix.square().mT
    if is_half(dtype):
        return bound + float(spacing(logits, dtype).max())
    return bound + LAMBDA * (2 * float(variance(logits, dtype, terms=inner.shape[-1], squares=squares).max())) ** 0.5


def rounded_weights(model: Checkpoint, ids: Tensor, precise: Tensor) -> float:
    """How far the rounding of the model's weights alone moves its logits: both passes in float64."""
    exact = copy.deepcopy(model).to("cpu", torch.float64)
    return largest(on_cpu(exact(ids.cpu())) - precise)
