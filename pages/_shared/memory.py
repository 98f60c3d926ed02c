"""What glibc keeps of freed memory: little. Elsewhere, where nothing of this is known, nothing is done."""

import ctypes
import sys

_M_ARENA_MAX = -8  # glibc's number for it
_POOLS = 2
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def share_pools() -> None:
    """Let all threads, which are many and short-lived, allocate from two pools; glibc would make eight a core."""
    if hasattr(_libc, "mallopt"):
        _libc.mallopt(_M_ARENA_MAX, _POOLS)


def give_back() -> None:
    """Return to the system what is free; a sweep leaves a hundred megabytes of it. Takes about a millisecond."""
    if hasattr(_libc, "malloc_trim"):
        _libc.malloc_trim(0)
