"""What cutting into heads and joining them moves: no operation, and bytes only where a copy is made."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.watch import Watch
from attention_core.modules.projections import merge_heads, split_heads
from attention_core.studies.complexity.module import blank
from attention_core.studies.complexity.result import Rearranged
from attention_core.studies.complexity.settings import ComplexityConfig

_COPIES = (torch.ops.aten.clone, torch.ops.aten.copy_)


class _BytesOfEach(Watch, ABC):
    """Looks at what each operation makes.

    Attributes:
        bytes: Bytes so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Do one operation, and look at what it makes."""
        out = func(*args, **(kwargs or {}))
        self.count(func.overloadpacket, out)
        return out

    @abstractmethod
    def count(self, operation: Any, out: Any) -> None:
        """Have what an operation made counted in ``bytes``."""


class LargestMade(_BytesOfEach):
    """Notes how large the largest tensor is that operations make."""

    def count(self, operation: Any, out: Any) -> None:  # noqa: ARG002 - of any operation
        """Keep the largest."""
        made = (one for one in (out if isinstance(out, tuple | list) else (out,)) if isinstance(one, Tensor))
        self.bytes = max([self.bytes, *(one.nbytes for one in made)])


class CopyCounter(_BytesOfEach):
    """Adds up the bytes that copies write; a view writes none."""

    def count(self, operation: Any, out: Any) -> None:
        """Add what a copy wrote."""
        if operation in _COPIES:
            self.bytes += out.nbytes


def rearrangements(config: ComplexityConfig) -> tuple[Rearranged, ...]:
    """The lines that only rearrange, in the module's form and with batch and heads as one axis."""
    heads = config.num_heads

    def one_axis(rows: Tensor) -> Tensor:
        return split_heads(rows, heads).flatten(0, 1)

    def apart(mixed: Tensor) -> Tensor:
        return merge_heads(mixed.unflatten(0, (-1, heads)))

    def both(cut: Callable[[Tensor], Tensor], *counts: int, batch: int = 1) -> int:
        return sum(_copied(cut, blank(batch, count, config.width, dtype=config.torch_dtype)) for count in counts)

    queries, keys, size = config.num_queries, config.num_keys, config.torch_dtype.itemsize
    cuts = ((_("q into heads"), (queries,)), (_("k and v into heads"), (keys, keys)))
    lines = [
        Rearranged(
            name=name, numbers=sum(counts) * config.width, size=size,
            by_module=both(lambda rows: split_heads(rows, heads), *counts),
            on_one_axis=both(one_axis, *counts), on_one_axis_of_two=both(one_axis, *counts, batch=2) // 2,
        )
        for name, counts in cuts
    ]  # fmt: skip
    one, two = (blank(batch, heads, queries, config.d_head, dtype=config.torch_dtype) for batch in (1, 2))
    joined = Rearranged(
        name=_("heads into rows"), numbers=queries * config.width, size=size, by_module=_copied(merge_heads, one),
        on_one_axis=_copied(apart, one.flatten(0, 1)),
        on_one_axis_of_two=_copied(apart, two.flatten(0, 1)) // 2,
    )  # fmt: skip
    return (*lines, joined)


def _copied(compute: Callable[[Tensor], Any], rows: Tensor) -> int:
    """Bytes that ``compute`` copies."""
    with torch.no_grad(), CopyCounter() as counter:
        compute(rows)
    return counter.bytes
