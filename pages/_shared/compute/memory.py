"""Keeps little freed memory and few compiled kernels; does nothing on platforms it does not know."""

import ctypes
import os
import sys
from functools import cache
from typing import Final

# glibc's numbers for them, see mallopt(3)
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -2, -3, -8
# What is larger is mapped by itself, and so returned as soon as it is freed; what is free at the arena's end is
# returned beyond this. glibc would let both grow with what is freed, up to 64 MiB.
_MAPPED_FROM, _KEPT = 1 * 2**20, 8 * 2**20
_TORCH: Final = {
    # Sessions run in parallel threads already; more threads for each of them only fight over the cores.
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # In bfloat16 a product is compiled for its shapes. torch and oneDNN beneath it each keep the last 1,024, some
    # 200 KB a piece, and every visitor brings other shapes. One model needs a dozen.
    "LRU_CACHE_CAPACITY": "16",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16",
}


@cache
def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    return libc if libc is not None and hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def limit_torch() -> None:
    """Have torch compute in one thread and keep few compiled kernels; before it is imported, for it asks once."""
    for name, value in _TORCH.items():
        os.environ.setdefault(name, value)


def use_one_arena() -> None:
    """Let all threads allocate from one arena, which returns what it does not need; once, as the process starts.

    glibc would make eight arenas a core, and returns what lies free at the end of the first alone.
    """
    if libc := _glibc():
        libc.mallopt(_M_ARENA_MAX, 1)
        libc.mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM)
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT)
        # Of what may be kept nothing is returned with the rest. Else all of it is, and is fetched again page by page:
        # three times as many page faults, and a tenth of the time of what is computed.
        libc.mallopt(_M_TOP_PAD, _KEPT)


def trim() -> None:
    """Return what lies free between blocks that are in use, some milliseconds' work; after a long computation's turn.

    Of itself glibc returns only what lies free at the arena's end.
    """
    if libc := _glibc():
        libc.malloc_trim(0)
