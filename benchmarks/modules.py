"""How fast the module is beside torch's own, and how much memory it takes: ``python -m benchmarks.modules``.

Runs of both alternate in one process, so that whatever else the machine does meets both; medians are compared. Each
size is measured twice: for inference (no gradients; torch then takes its native kernel) and with gradients recorded.
Times are wall-clock: other work on the same cores moves the ratios by a third and more, so give it an idle machine.
"""

import ctypes
import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch import nn

from attention_core.device import resolve_device
from attention_core.modules.multi_head import MultiHeadAttention

SIZES = ((1, 16, 64, 4), (8, 128, 512, 8), (1, 1024, 512, 8))
FORWARD_BUDGET, TRACE_BUDGET, LONG_TRACE_BUDGET = 1.05, 1.15, 1.6
SECONDS = 4.0


def interleaved_medians(calls: dict[str, Callable[[], object]], device: torch.device) -> dict[str, float]:
    """Median seconds of each call, the calls taking turns for ``SECONDS`` seconds."""

    def timed(call: Callable[[], object], repeats: int) -> float:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        if device.type != "cpu":
            torch.accelerator.synchronize(device)
        return (time.perf_counter() - start) / repeats

    once = max(timed(call, 5) for call in calls.values())
    repeats = max(1, int(0.002 / once))
    rounds = max(15, int(SECONDS / (once * repeats * len(calls))))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(timed(call, repeats))
    return {name: statistics.median(values) for name, values in times.items()}


def peak_bytes(call: Callable[[], object], device: torch.device) -> int:
    """Most bytes allocated at once during ``call``, beyond what was allocated before."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        result = call()
        del result
        return torch.cuda.max_memory_allocated(device) - before
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        result = call()
    del result
    results = profile.profiler.kineto_results  # the only record of single allocations on the CPU
    events = sorted((e.start_ns(), e.nbytes()) for e in results.events() if e.name() == "[memory]")
    held = peak = 0
    for _, nbytes in events:
        held += nbytes
        peak = max(peak, held)
    return peak


def row(size: tuple[int, int, int, int], *, gradients: bool, device: torch.device) -> str:
    """One line of the table."""
    batch, tokens, d_model, heads = size
    theirs = nn.MultiheadAttention(d_model, heads, batch_first=True, device=device).train(gradients)
    ours = MultiHeadAttention.from_torch(theirs).train(gradients)
    x = torch.randn(batch, tokens, d_model, device=device)
    calls = {
        "torch": lambda: theirs(x, x, x, need_weights=False),
        "forward": lambda: ours(x),
        "torch, weights": lambda: theirs(x, x, x, need_weights=True, average_attn_weights=False),
        "trace": lambda: ours.trace(x),
    }
    with torch.set_grad_enabled(gradients):
        for call in calls.values():
            call()
        medians = interleaved_medians(calls, device)
        memory = peak_bytes(calls["forward"], device) / peak_bytes(calls["torch"], device)
    forward, trace = medians["forward"] / medians["torch"], medians["trace"] / medians["torch, weights"]
    budget = LONG_TRACE_BUDGET if tokens >= 1024 else TRACE_BUDGET
    held = forward <= FORWARD_BUDGET and trace <= budget and memory <= 1
    kind = "gradients" if gradients else "inference"
    ratios = f"{forward:8.3f} ≤ {FORWARD_BUDGET}  {trace:8.3f} ≤ {budget:<4}  {memory:8.3f} ≤ 1"
    return f"{size!s:20} {kind:10} {1e3 * medians['torch']:9.3f} ms {ratios}  {'held' if held else 'MISSED'}"


def keep_freed_memory() -> None:
    """Let glibc keep what is freed, as the accelerators' allocators do, instead of giving it back between calls.

    Otherwise large tensors are new pages each time, which the kernel clears, for more or less depending on what ran
    before: the same call takes up to a fifth longer in one process than in another.
    """
    if sys.platform == "linux":
        libc, trim_threshold, mmap_threshold = ctypes.CDLL(None), -1, -3
        for parameter in (trim_threshold, mmap_threshold):
            libc.mallopt(parameter, 2**30)


def main() -> None:
    """Print the table for the best device there is."""
    keep_freed_memory()
    device = resolve_device("auto")
    print(f"torch {torch.__version__}, {device}, {torch.get_num_threads()} threads; ratios to nn.MultiheadAttention")
    print("batch, tokens, d, heads           torch forward     forward            trace     peak memory")
    for size in SIZES:
        for gradients in (False, True):
            print(row(size, gradients=gradients, device=device), flush=True)


if __name__ == "__main__":
    main()
