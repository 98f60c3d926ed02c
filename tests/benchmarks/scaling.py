"""The scaling sweep against a loop over its queries: ``python -m tests.benchmarks.scaling``."""

import dataclasses
import time
from collections.abc import Callable

import torch

from attention_core.experiments.scaling import D_HEADS, ScalingConfig, run_scaling
from attention_core.experiments.scaling.inputs import Inputs, chunks
from attention_core.experiments.scaling.sweep import attend, head, row_statistics

BUDGET = 5.0  # times faster than the loop


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Shortest time of ``work``, after one run that is not counted: what others do at the same time only adds."""
    work()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    config = ScalingConfig()
    inputs = next(chunks(config))
    modules = [head(config, d_head, factor) for factor in (1.0, None) for d_head in D_HEADS]
    single = [
        dataclasses.replace(inputs, queries=inputs.queries[i : i + 1], upstream=inputs.upstream[i : i + 1])
        for i in range(len(inputs.queries))
    ]

    def sweep(parts: list[Inputs]) -> None:
        with torch.no_grad():
            for module in modules:
                for part in parts:
                    row_statistics(attend(module, part), naive_epsilon=False)

    together, loop = seconds(lambda: sweep([inputs]), 9), seconds(lambda: sweep(single), 2)
    cases = (
        f"{len(single)} queries, {config.num_keys} keys, {len(D_HEADS)} values of d_head, 2 factors, with gradients"
    )
    print(f"{torch.get_num_threads()} threads · {cases}")
    verdict = "within" if loop / together >= BUDGET else "PAST"
    print(f"together {together:.3f} s · loop over queries {loop:.3f} s")
    print(f"ratio {loop / together:.1f} ≥ {BUDGET}: {verdict}")
    for dtype in ("float64", "float32"):
        whole = seconds(lambda dtype=dtype: run_scaling(ScalingConfig(dtype=dtype)), 3)
        words = "within" if whole <= 2 else "past, in 9 steps of progress"
        print(f"whole experiment, {config.num_queries:,} queries, {dtype}: {whole:.2f} s ≤ 2 s: {words}")


if __name__ == "__main__":
    main()
