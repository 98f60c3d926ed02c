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
import torch.nn.functional as F
from torch import Tensor, nn

from attention_core.device import resolve_device
from attention_core.modules.multi_head import MultiHeadAttention

SIZES = ((1, 16, 64, 4), (8, 128, 512, 8), (1, 1024, 512, 8))
GROUPED, DECODED = (1, 1024, 512, 8), ((1, 16, 64, 4), (1, 1024, 512, 8), (8, 512, 512, 8))
STEP_BUDGET = 1.2
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


def grouped_row(num_kv_heads: int, *, device: torch.device) -> str:
    """One line: forward with fewer heads of keys, beside torch's own products and kernel with the same grouping."""
    batch, tokens, d_model, heads = GROUPED
    module = MultiHeadAttention(d_model, heads, num_kv_heads=num_kv_heads, device=device).eval()
    x = torch.randn(batch, tokens, d_model, device=device)
    calls = {"torch": lambda: by_hand(module, x), "forward": lambda: module(x)}
    with torch.no_grad():
        torch.testing.assert_close(calls["forward"](), calls["torch"]())
        medians = interleaved_medians(calls, device)
        memory = peak_bytes(calls["forward"], device) / peak_bytes(calls["torch"], device)
    ratio = medians["forward"] / medians["torch"]
    held = "held" if ratio <= FORWARD_BUDGET and memory <= 1 else "MISSED"
    given = f"{GROUPED}, {num_kv_heads} for keys"
    return f"{given:36} {1e3 * medians['torch']:9.3f} ms {ratio:8.3f} ≤ {FORWARD_BUDGET}  {memory:8.3f} ≤ 1  {held}"


def by_hand(module: MultiHeadAttention, x: Tensor, kept: tuple[Tensor, Tensor] | None = None, at: int = 0) -> Tensor:
    """Self-attention over torch's fused function; ``kept`` are keys and values of ``at`` earlier tokens and room."""
    assert module.in_weight is not None
    assert module.o_weight is not None
    biases = [bias for bias in (module.q_bias, module.k_bias, module.v_bias) if bias is not None]
    packed = F.linear(x, module.in_weight, torch.cat(biases)).unflatten(-1, (-1, module.d_head)).transpose(1, 2)
    q, k, v = packed.split([module.num_heads, module.num_kv_heads, module.num_kv_heads], dim=1)
    if kept is not None:
        end = at + x.shape[1]
        kept[0][:, :, at:end], kept[1][:, :, at:end] = k, v
        k, v = kept[0][:, :, :end], kept[1][:, :, :end]
    context = F.scaled_dot_product_attention(q, k, v, enable_gqa=module.num_heads != module.num_kv_heads)
    return F.linear(context.transpose(1, 2).flatten(2), module.o_weight, module.o_bias)


def decoding_row(size: tuple[int, int, int, int], *, device: torch.device) -> str:
    """One line: one more token with a cache that holds ``tokens``, beside the same written by hand."""
    batch, tokens, d_model, heads = size
    module = MultiHeadAttention(d_model, heads, num_kv_heads=max(1, heads // 4), device=device).eval()
    x = torch.randn(batch, 1, d_model, device=device)
    cache = module.cache(batch, tokens + 1)

    def step() -> Tensor:
        cache.length = tokens
        return module(x, cache=cache)

    with torch.no_grad():
        module(torch.randn(batch, tokens, d_model, device=device), cache=cache)
        kept = (cache.keys.clone(), cache.values.clone())
        calls = {"by hand": lambda: by_hand(module, x, kept, tokens), "step": step}
        torch.testing.assert_close(calls["step"](), calls["by hand"]())
        medians = interleaved_medians(calls, device)
    ratio = medians["step"] / medians["by hand"]
    held = "held" if ratio <= STEP_BUDGET else "MISSED"
    return f"{size!s:36} {1e3 * medians['by hand']:9.3f} ms {ratio:8.3f} ≤ {STEP_BUDGET:<4}  {held}"


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
    print("fewer heads of keys; ratios to F.scaled_dot_product_attention(enable_gqa=True) between the same products")
    for num_kv_heads in (4, 2, 1):
        print(grouped_row(num_kv_heads, device=device), flush=True)
    print("one more token with a cache of so many; ratios to the same by hand")
    for size in DECODED:
        print(decoding_row(size, device=device), flush=True)


if __name__ == "__main__":
    main()
