"""How much memory this process may have, and how much of it a trained model; torch is not needed to know."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

SMALLEST: Final = 256 * 2**20
LARGEST: Final = 2**31
BESIDE: Final = 2**30  # for torch, pages and sessions
# Beside the models that are open there may be files on their way, no larger together, and weights of its own
# of the one that is measured: in another precision (half precision as float32, float32 as float64), or random ones.
COPIED: Final = 2  # times what the open models may take
COPIES: Final = 2 + COPIED


def allowed_bytes(root: Path = Path("/")) -> int | None:
    """The machine's memory, or less where this process's control groups allow less; None where nobody says.

    Args:
        root: Where the system's files lie.
    """
    known = [*_group_limits(root), *_physical()]
    return min(known, default=None)


def bytes_for_models(memory: int | None) -> int:
    """How many bytes all trained models that are open may take, in a process with so much memory: 256 MiB to 2 GiB.

    Args:
        memory: As :func:`allowed_bytes` gives it.
    """
    return min(LARGEST, max(SMALLEST, ((memory or 0) - BESIDE) // COPIES))


def _physical() -> Iterator[int]:
    if hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= {*os.sysconf_names}:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    elif os.name == "nt":
        kib, windll = ctypes.c_ulonglong(), getattr(ctypes, "windll")  # noqa: B009 - there is none elsewhere
        if windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kib)):
            yield kib.value * 1024


def _group_limits(root: Path) -> Iterator[int]:
    """The limits of this process's control groups and of all above them, of both versions of them (Linux)."""
    groups = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if not controllers:
            folder, file = groups, "memory.max"
        elif "memory" in controllers.split(","):
            folder, file = groups / "memory", "memory.limit_in_bytes"
        else:
            continue
        inside = PurePosixPath(path.lstrip("/"))
        for each in (inside, *inside.parents):
            if (text := _read(folder / each / file).strip()).isdecimal():
                yield int(text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


MODEL_BYTES: Final = bytes_for_models(allowed_bytes())
