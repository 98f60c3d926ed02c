"""Counts operations by torch's own formulas, without touching what other sessions compute."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.flop_counter import flop_registry

from attention_core.language import gettext_lazy
from attention_core.measuring.watch import Watch
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.multi_head import MultiHeadAttention

aten = torch.ops.aten
softmax = aten._softmax  # noqa: SLF001 - the only name that it has as an operation


class FlopCounter(Watch):
    """Adds up operations by torch's own formulas, the registry of ``torch.utils.flop_counter``.

    ``FlopCounterMode`` does the same, but hangs hooks on all modules of the process while it counts, and then
    ``torch.autograd.grad`` fails in other threads.

    Attributes:
        by_kind: Operations counted so far, 2 for a multiply-add, by the kind of product: ``torch.ops.aten.mm`` …
        head_size: How many numbers of a head are counted in the fused kernel that ran: 0 where torch has no formula
            for it, more than there are where zeros are added to fit it. None where none ran.
    """

    def __init__(self) -> None:
        super().__init__()
        self.by_kind: Counter[Any] = Counter()
        self.head_size: int | None = None

    @property
    def operations(self) -> int:
        """All operations counted so far."""
        return self.by_kind.total()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Count one operation, and do it."""
        kwargs, kind = kwargs or {}, func.overloadpacket
        out = _shape_of(kind, args) if kind in _PLAIN and args[0].is_meta else func(*args, **kwargs)
        if kind.__name__.startswith("_scaled_dot_product"):
            self.head_size = args[0].shape[-1] if kind in flop_registry else 0
        if kind in flop_registry:
            self.by_kind[kind] += flop_registry[kind](*args, **kwargs, out_val=out)
        return out


_PLAIN: Final = (aten.mm, aten.bmm, aten.addmm, aten.baddbmm, aten.mul_, softmax)


def _shape_of(kind: Any, args: tuple[Any, ...]) -> Tensor:
    """The result of a product, a factor or softmax on torch's meta device.

    torch says it as well, but imports its compiler's algebra for it: sympy, 3 s and 54 MB.
    """
    if kind is aten.mul_:
        return args[0]
    if kind is softmax:
        return args[0].new_empty(args[0].shape, dtype=torch.float32 if args[2] else None)
    *_, left, right = (each for each in args if isinstance(each, Tensor))
    return left.new_empty((*left.shape[:-1], right.shape[-1]))


def count(compute: Callable[..., Any], *inputs: Any, **options: Any) -> tuple[FlopCounter, Any]:
    """Count the operations of ``compute(*inputs, **options)``; returns the counter and the result."""
    # In inference mode a product would arrive whole, and not as what it consists of.
    with torch.inference_mode(False), torch.no_grad(), FlopCounter() as counter:
        return counter, compute(*(each.clone() if isinstance(each, Tensor) else each for each in inputs), **options)


def count_parts(
    module: MultiHeadAttention | LinearAttention, *inputs: Tensor, fused: bool = False, **masks: Any
) -> tuple[int, int]:
    """Count the operations of the projections, and all others: scores and weighted sum.

    Args:
        module: The module.
        inputs: Its queries' input, and its keys' where that is another.
        fused: Whether to count ``forward`` instead of ``trace``.
        masks: Its further arguments.
    """
    whole = module if fused else module.trace

    def project(*inputs: Tensor) -> Tensor:
        return module.out_of_heads(module.into_heads(inputs[0], inputs[-1], inputs[-1])[0])

    projections, total = (count(part, *inputs)[0].operations for part in (project, partial(whole, **masks)))
    return projections, total - projections


def fused_head_size(
    device: torch.device, dtype: torch.dtype, heads: int, queries: int, keys: int, size: int, *,
    is_causal: bool = False, masked: bool = False,
) -> int | None:  # fmt: skip
    """The ``head_size`` that ``FlopCounter`` sees of the kernel that torch chooses for heads of these sizes."""
    q, k = (torch.zeros(1, heads, rows, size, device=device, dtype=dtype) for rows in (queries, keys))
    mask = torch.zeros(queries, keys, device=device, dtype=dtype) if masked else None
    causal = is_causal and not masked
    return count(F.scaled_dot_product_attention, q, k, k, mask, 0.0, causal, scale=1.0)[0].head_size


def miscounted(head_size: int | None, d_head: int) -> str:
    """Why the count of a fused kernel is not that of its products; empty where it is."""
    if head_size in (None, d_head):
        return ""
    if head_size == 0:
        return gettext_lazy("torch's counter has no formula for this device's fused kernel and counts it as 0")
    return gettext_lazy(
        "this device's fused kernel takes heads of {head_size} numbers, and the zeros behind {d_head} are counted",
        head_size=head_size, d_head=d_head,
    )  # fmt: skip
