"""How long the receptive field takes, beside one forward and backward pass of torch's own attention: prints ratios.

Run with ``python -m benchmarks.receptive_field``.
"""

import time
from collections.abc import Callable
from typing import Any

import torch

from attention_core.studies.receptive_field import (
    ReceptiveFieldConfig,
    run_attended_keys,
    run_table,
    steps_receptive_field,
)
from attention_core.studies.receptive_field.draw import curve_view, graph_view, reach_view

ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    """The median of five runs, after one that warms up."""
    work()
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return sorted(taken)[ROUNDS // 2]


def run_all(config: ReceptiveFieldConfig) -> Any:
    """The whole result."""
    *_, result = steps_receptive_field(config)
    return result


def main() -> None:
    config = ReceptiveFieldConfig(heads=3, layers=4, tokens=256)
    layers = [
        torch.nn.MultiheadAttention(192, 3, batch_first=True, dtype=torch.float64) for _ in range(config.layers)
    ]

    def reference() -> None:
        x = torch.zeros(1, config.tokens, 192, dtype=torch.float64, requires_grad=True)
        y = x
        for layer in layers:
            y = y + layer(y, y, y, need_weights=False)[0]
        y.sum().backward()

    result = run_all(config)
    unit = seconds(reference)
    print(f"reference: 4 layers of nn.MultiheadAttention, 3 heads, 256 tokens, forward and backward: {unit:.3f} s")
    work: dict[str, Callable[[], object]] = {
        "constructed, 3 heads, 4 layers, 256 tokens (budget 1 s)": lambda: run_all(config),
        "where its heads look, which the graph needs": lambda: run_attended_keys(config),
        "the table of 256 tokens": lambda: run_table(config.for_table),
        "default": lambda: run_all(ReceptiveFieldConfig()),
        "random, default": lambda: run_all(ReceptiveFieldConfig(weights="random")),
        "soft, default": lambda: run_all(ReceptiveFieldConfig(weights="soft")),
        "the three figures of the first": lambda: (graph_view(result), reach_view(result), curve_view(result)),
    }
    for name, run in work.items():
        taken = seconds(run)
        print(f"{name}: {taken:.3f} s = {taken / unit:.1f} × the reference")


if __name__ == "__main__":
    main()
