"""What glibc keeps of freed memory: little. Elsewhere, where nothing of this is known, nothing is done.

A pool gives back by itself what is free at its end, once that is more than its threshold; ``malloc_trim`` gives back
what is free in between, and of the end only that of the first pool. The threshold grows with what is freed, up to 64
MiB in each pool, and a sweep's tensors are gone while its process still holds them.
"""

import ctypes
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # glibc's numbers for them
_POOLS = 2
# As far as glibc would let the two grow: with less, a sweep would ask the system for each of its tensors anew.
_MAPPED_FROM, _KEPT_IN_A_SWEEP = 32 * 2**20, 64 * 2**20
_LOOKED_AT = 100_000  # only who frees this much or more makes a pool look at its end
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_is_glibc = hasattr(_libc, "mallopt") and hasattr(_libc, "malloc_trim")
if _libc is not None:
    _libc.malloc.restype, _libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    _libc.free.restype, _libc.free.argtypes = None, (ctypes.c_void_p,)


def share_pools() -> None:
    """Let all threads, which are many and short-lived, allocate from two pools; glibc would make eight a core."""
    if _is_glibc:
        _libc.mallopt(_M_ARENA_MAX, _POOLS)
        _libc.mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM)
        _libc.mallopt(_M_TRIM_THRESHOLD, _KEPT_IN_A_SWEEP)


def give_back() -> None:
    """Return to the system what is free; a sweep leaves a hundred megabytes of it. Takes some milliseconds.

    Call it in the thread that computed: the end of a pool is given back to no other.
    """
    if _is_glibc:
        _libc.mallopt(_M_TRIM_THRESHOLD, 0)
        _libc.free(_libc.malloc(_LOOKED_AT))
        _libc.mallopt(_M_TRIM_THRESHOLD, _KEPT_IN_A_SWEEP)
        _libc.malloc_trim(0)
