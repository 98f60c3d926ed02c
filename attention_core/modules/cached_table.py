"""Tables that follow from sizes alone, such as the sines of positions: made once and kept for the next forward."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Final

import torch
from torch import Tensor, nn
from torch._C._functorch import maybe_current_level

MOST_TABLES: Final = 32  # tables of all modules together
LARGEST: Final = 2**20  # numbers of one of them; in float64 256 MiB in all


def cached_table(make: Callable[..., Tensor], *sizes: Hashable, numbers: int, like: Tensor) -> Tensor:
    """``make(*sizes, dtype, device)`` in the precision of ``like`` and on its device; not to be changed in place.

    It is made anew where torch records or imitates what is computed (compile, export, ``torch.func``, tensors that
    are fake or of another class, a CUDA graph): a tensor of theirs means nothing afterwards.

    Args:
        make: Makes the table: the same one for the same arguments.
        sizes: Its first arguments, numbers or choices.
        numbers: How many numbers the table has; one of more than ``LARGEST`` is not kept.
        like: A tensor that the table will be computed with.
    """
    if torch.compiler.is_compiling() or numbers > LARGEST or not _is_ordinary(like):
        return make(*sizes, like.dtype, like.device)
    # What one stream of a device has yet to fill, another must not read.
    stream = None if like.device.type == "cpu" else torch.accelerator.current_stream(like.device)
    return _cached(make, sizes, like.dtype, like.device, stream)


def _is_ordinary(like: Tensor) -> bool:
    return (
        type(like) in (Tensor, nn.Parameter)
        and not like.is_meta
        and maybe_current_level() is None  # a transform wraps what is made in it
        and not (like.is_cuda and torch.cuda.is_current_stream_capturing())
    )


@lru_cache(maxsize=MOST_TABLES)
def _cached(
    make: Callable[..., Tensor],
    sizes: tuple[Hashable, ...],
    dtype: torch.dtype,
    device: torch.device,
    _stream: object,
) -> Tensor:
    with torch.inference_mode(False), torch.no_grad():  # a later forward may need it for a gradient
        return make(*sizes, dtype, device)
