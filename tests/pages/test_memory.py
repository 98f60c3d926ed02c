"""Freed memory goes back to the system where glibc is there to give it, and nothing happens elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages._shared import memory

ROOT = Path(__file__).parents[2]
MEASURED = """
import psutil, sys, threading
from pages._shared.memory import give_back, share_pools
share_pools()
rss = psutil.Process().memory_info().rss
def held():
    return psutil.Process().memory_info().rss - rss
{made}
"""
# Many small objects, then all but the last of them freed: only a trim returns what lies below the last.
A_HOLE = """
few = [bytearray(1000) for _ in range(200_000)]
last = bytearray(1000)
del few
before = held()
give_back()
print(before, held())
"""
# A thread's tensors, so to speak, all freed: its pool is free to its end, which a trim alone does not return.
AN_END = """
def sweep():
    few = [bytearray(b"x") * 1_000_000 for _ in range(40)]
    del few
    print(held(), end=" ")
    give_back()
    print(held())
thread = threading.Thread(target=sweep)
thread.start()
thread.join()
"""


@pytest.mark.skipif(not memory._is_glibc, reason="only glibc keeps and trims memory so")
@pytest.mark.parametrize(("made", "least"), [(A_HOLE, 100_000_000), (AN_END, 35_000_000)])
def test_what_is_free_goes_back(made: str, least: int) -> None:
    script = MEASURED.format(made=made)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    before, after = map(int, done.stdout.split())
    assert before > least
    assert after < before / 4


def test_where_nothing_is_known_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_libc", None)
    monkeypatch.setattr(memory, "_is_glibc", False)
    memory.share_pools()
    memory.give_back()
