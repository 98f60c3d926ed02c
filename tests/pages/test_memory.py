"""Freed memory goes back to the system where glibc is there to give it, and nothing happens elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages._shared import memory

ROOT = Path(__file__).parents[2]
# Half a million small objects, then all but the last of them freed: only a trim returns what lies below the last.
LEAVES_A_HOLE = """
import psutil
from pages._shared.memory import give_back
rss = psutil.Process().memory_info().rss
few = [bytearray(1000) for _ in range(200_000)]
last = bytearray(1000)
del few
held = psutil.Process().memory_info().rss - rss
give_back()
left = psutil.Process().memory_info().rss - rss
print(held, left)
"""


@pytest.mark.skipif(not hasattr(memory._libc, "malloc_trim"), reason="only glibc keeps and trims memory so")
def test_what_is_free_goes_back() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES_A_HOLE], capture_output=True, text=True, cwd=ROOT, check=True)
    held, left = map(int, done.stdout.split())
    assert held > 100_000_000
    assert left < held / 4


def test_where_nothing_is_known_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_libc", None)
    memory.share_pools()
    memory.give_back()
