"""Freed memory goes back to the system where glibc is there to give it, and kernels are compiled to be let go of."""

import platform
import subprocess
import sys

import pytest

from tests.processes import ROOT

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps freed memory so")
# What a sweep's threads leave: blocks that are mapped by themselves, and blocks of an arena below one that stays.
MEASURED = """
import psutil, threading
from pages._shared.compute.memory import use_one_arena
use_one_arena()
rss = psutil.Process().memory_info().rss
held, stays, turn, done = [], [], threading.Lock(), threading.Barrier(5)
def sweep():
    with turn:
        blocks = [bytearray(b"x") * size for size in sizes]
        stays.append(bytearray(200_000))
        held.append(psutil.Process().memory_info().rss - rss)
        del blocks
    done.wait()
for sizes in ([6_000_000] * 20, [1_000_000] * 120):
    for thread in (threads := [threading.Thread(target=sweep) for _ in range(4)]):
        thread.start()
    done.wait()
    for thread in threads:
        thread.join()
    print(held[-4], held[-1], psutil.Process().memory_info().rss - rss)
"""


def printed(code: str) -> list[list[int]]:
    """The numbers that a process of its own prints, line by line."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return [list(map(int, line.split())) for line in done.stdout.splitlines()]


def test_large_blocks_go_back_and_threads_share_the_rest() -> None:
    large, small = printed(MEASURED)
    for first, last, _ in (large, small):
        assert first > 100_000_000, "what is measured is there"
        assert last < 2 * first, "each thread began an arena of its own"
    assert large[2] < large[0] / 2, "the blocks of one thread at least are kept"


BETWEEN = """
import psutil
from pages._shared.compute.memory import trim, use_one_arena
use_one_arena()
rss = psutil.Process().memory_info().rss
blocks, stays = [], []
for _ in range(120):
    blocks.append(bytearray(b"x") * 1_000_000)
    stays.append(bytearray(20_000))
del blocks
freed = psutil.Process().memory_info().rss - rss
trim()
print(freed, psutil.Process().memory_info().rss - rss)
"""


def test_what_lies_free_between_blocks_in_use_goes_back_after_a_long_computation() -> None:
    ((freed, after),) = printed(BETWEEN)
    assert freed > 100_000_000
    assert after < freed / 2


# As much as a page computes with, again and again: some of it may be kept.
AGAIN = """
import resource
from pages._shared.compute.memory import use_one_arena
use_one_arena()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [bytearray(b"x") * 500_000 for _ in range(18)]
    del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults(), *[faults() for _ in range(5)])
"""


def test_what_may_be_kept_is_not_fetched_anew_by_each_computation() -> None:
    """Nine megabytes are freed each time, of which eight may be kept."""
    ((first, *later),) = printed(AGAIN)
    assert first > 9_000_000 / 4096 / 2, "it was fetched once"
    assert max(later) < first / 3


# Shapes as visitors bring them. Where a processor takes bfloat16 without a kernel for each, there is nothing to keep.
SHAPES = """
import psutil
from pages._shared.compute.memory import limit_torch, use_one_arena
use_one_arena()
limit_torch()
import torch
def compute(first):
    for size in range(first, first + 150):
        x = torch.ones(2, size, 48, dtype=torch.bfloat16)
        torch.nn.functional.linear(x, torch.ones(96, 48, dtype=torch.bfloat16))
        x @ x.mT
with torch.inference_mode():
    compute(1)
    rss = psutil.Process().memory_info().rss
    compute(151)
print(rss, psutil.Process().memory_info().rss)
"""


@pytest.mark.slow
def test_kernels_that_are_compiled_for_a_shape_do_not_add_up() -> None:
    ((before, after),) = printed(SHAPES)
    assert before > 50_000_000, "torch is there"
    assert after - before < 15_000_000
