"""What glibc keeps of freed memory: little. Elsewhere, where nothing of this is known, nothing is done."""

import ctypes
import sys
from functools import cache

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # glibc's numbers for them, see mallopt(3)
# What is larger is mapped by itself, and so returned as soon as it is freed; what is free at the arena's end is
# returned beyond this. glibc would let both grow with what is freed, up to 64 MiB.
_MAPPED_FROM, _KEPT = 4 * 2**20, 16 * 2**20


@cache
def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    return libc if libc is not None and hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def use_one_arena() -> None:
    """Let all threads allocate from one arena, which returns what it does not need; once, as the process starts.

    glibc would make eight arenas a core, and returns what lies free at the end of the first alone.
    """
    if libc := _glibc():
        libc.mallopt(_M_ARENA_MAX, 1)
        libc.mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM)
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT)


def trim() -> None:
    """Return what lies free between blocks that are in use, some milliseconds' work; after a long computation's turn.

    Of itself glibc returns only what lies free at the arena's end.
    """
    if libc := _glibc():
        libc.malloc_trim(0)
