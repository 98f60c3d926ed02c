"""The part of a linear layer's bias that a norm right behind it leaves (``bias-norm``)."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Theory, always_holds
from attention_core.measuring.verdict import Relation

MEAN, REST, ALL = range(3)
_CASES: Final[dict[str, tuple[str, int, Relation]]] = {
    "batch": ("BatchNorm", ALL, "≤"),
    "layer-mean": ("LayerNorm", MEAN, "≤"),
    "layer-rest": ("LayerNorm", REST, "≥"),
    "rms": ("RMSNorm", ALL, "≥"),
}
_SAID: Final = (_("the mean of the bias"), _("the rest of the bias"), _("all of the bias"))


class Left(NamedTuple):
    """The effect of parts of the bias on a norm's output, and that of rounding.

    Attributes:
        moved: By the part that is the same in every component, by the rest, and by all of it (3, tokens, d_model).
        bound: What rounding explains of a number of it.
        sizes: How far each part would move it if the norm took nothing away, but divided it with the rest; at most 1,
            the size that a norm brings numbers to (3,).
    """

    moved: Tensor
    bound: float
    sizes: tuple[float, ...]


def left_by(norm: nn.Module | None, outputs: Sequence[Tensor], errors: Tensor) -> Left:
    """Normalise what a layer gives without its bias and with parts of it.

    A norm divides by a standard deviation, and rounding errors with it: the bound is divided by the smallest one.

    Args:
        norm: The norm, without gain and offset; None for none.
        outputs: The layer's outputs (tokens, d_model) without a bias, with its mean, with the rest, and with all.
        errors: Variance of each output's rounding error.
    """
    bare, dtype = on_cpu(outputs[0]), outputs[0].dtype
    batch = isinstance(norm, nn.BatchNorm1d)
    running = norm.running_var if isinstance(norm, nn.BatchNorm1d) and not norm.training else None
    power, axis = torch.ones(1, dtype=torch.float64), 0 if batch else 1
    if running is not None:
        power = on_cpu(running)
    elif norm is not None:
        power = (
            bare.square().mean(1, True)
            if isinstance(norm, nn.RMSNorm)
            else bare.var(axis, correction=0, keepdim=True)
        )
        power = power + (getattr(norm, "eps", None) or torch.finfo(dtype).eps)
    normed = [on_cpu(output if norm is None else norm(output[None])[0]) for output in outputs]
    rounding = last = 0.0
    if is_half(dtype):
        last = largest(*(spacing(output, dtype) for output in normed))
    else:
        terms = 1 if norm is None or running is not None else 1 + bare.shape[axis]
        rounding = terms * (torch.finfo(dtype).eps / 2 * largest(*outputs)) ** 2
    bound = LAMBDA * math.sqrt(2 * (float(errors.max()) + rounding) / float(power.min())) + last
    sizes = tuple(min(1.0, largest((on_cpu(output) - bare) / power.sqrt())) for output in outputs[1:])
    return Left(torch.stack(normed[1:]) - normed[0], bound, sizes)


def bias_tests(batch: Callable[[Any], Theory], rest: Callable[[Any], Theory] = always_holds) -> tuple[ClaimTest, ...]:
    """The table: BatchNorm cancels a bias, LayerNorm its mean, and RMSNorm nothing of it.

    Args:
        batch: What theory says of BatchNorm.
        rest: What theory says of LayerNorm and the rest of the bias.
    """
    theories = {"batch": batch, "layer-rest": rest}
    return tuple(
        ClaimTest(
            f"bias-norm.{key}", relation,
            _("after {norm}, {part} moves the output by at most", norm=norm, part=_SAID[part]) if relation == "≤"
            else _("after {norm}, {part} moves the output by up to", norm=norm, part=_SAID[part]),
            _("max |{norm}(f) − {norm}(f without {part})|", norm=norm, part=_SAID[part]),
            theory=theories.get(key, always_holds),
        )
        for key, (norm, part, relation) in _CASES.items()
    )  # fmt: skip


def cases(left: Mapping[str, Left]) -> dict[str, tuple[Tensor, float, float]]:
    """The difference, its bound and its size for each test whose norm is in ``left``, by the test's key."""
    return {
        f"bias-norm.{key}": (
            left[norm].moved[part],
            left[norm].bound,
            left[norm].sizes[part if relation == "≤" else ALL],
        )
        for key, (norm, part, relation) in _CASES.items()
        if norm in left
    }


def found(left: Mapping[str, Left], of: str) -> dict[str, Measurement]:
    """The measurements for the table."""
    return {key: Measurement(largest(moved), bound, of, size) for key, (moved, bound, size) in cases(left).items()}
