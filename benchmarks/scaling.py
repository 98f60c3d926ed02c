"""The scaling sweep against a loop over its queries, and what a fresh value costs: prints times of one thread.

Run with ``python -m benchmarks.scaling``.
"""

import dataclasses
import time
from collections.abc import Callable

import torch

from attention_core.studies.scaling import (
    D_HEADS,
    Measured,
    ScalingConfig,
    ScalingPart,
    result_of,
    run_picture,
    steps_part,
)
from attention_core.studies.scaling.draw import curves_view, scaling_view
from attention_core.studies.scaling.inputs import Inputs, chunks
from attention_core.studies.scaling.sweep import KeyLengths, attend, head, products, row_statistics

BUDGET = 5.0  # times faster than the loop


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Shortest time that this thread spent on ``work``, after one run that is not counted."""
    work()
    taken = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        taken.append(time.thread_time() - start)
    return min(taken)


def part(config: ScalingConfig) -> ScalingPart:
    """One part, measured to its end."""
    *_, measured = steps_part(config)
    assert isinstance(measured, ScalingPart)
    return measured


def fresh(name: str, config: ScalingConfig, moved: tuple[ScalingConfig, ...]) -> None:
    """Print what a value costs that nobody has asked for, the parts in ``moved`` not being known."""
    measured = Measured(config, tuple(map(part, config.parts)))
    picture, result = run_picture(config.for_picture), result_of(measured)
    times = (
        ("picture", seconds(lambda: run_picture(config.for_picture), 5)),
        ("its view", seconds(lambda: scaling_view(picture), 5)),
        ("curves", sum(seconds(lambda one=one: part(one), 3) for one in moved)),
        ("verdicts", seconds(lambda: result_of(measured), 5)),
        ("their view", seconds(lambda: curves_view(result, "gradient", 64), 5)),
    )
    print(f"{name}: " + ", ".join(f"{what} {1e3 * taken:.0f} ms" for what, taken in times))


def main() -> None:
    torch.set_num_threads(1)
    config = ScalingConfig()
    inputs = next(chunks(config))
    modules = [head(config, d_head, 1.0) for d_head in D_HEADS]
    factors = torch.tensor(
        [[1.0] * len(D_HEADS), [head(config, d_head).scale for d_head in D_HEADS]], dtype=torch.float64
    )
    lengths = KeyLengths(modules, "cpu")
    single = [
        dataclasses.replace(inputs, queries=inputs.queries[i : i + 1], upstream=inputs.upstream[i : i + 1])
        for i in range(len(inputs.queries))
    ]

    def sweep(parts: list[Inputs]) -> None:
        with torch.no_grad():
            for one in parts:
                scores = products(one, modules)
                for factor in factors:
                    attended = attend(scores, one, factor, lengths)
                    row_statistics(attended.weights, attended.gradients)

    together, loop = seconds(lambda: sweep([inputs]), 9), seconds(lambda: sweep(single), 2)
    cases = (
        f"{len(single)} queries, {config.num_keys} keys, {len(D_HEADS)} values of d_head, 2 factors, with gradients"
    )
    verdict = "within" if loop / together >= BUDGET else "PAST"
    print(cases)
    print(f"together {together:.3f} s · loop over queries {loop:.3f} s")
    print(f"ratio {loop / together:.1f} ≥ {BUDGET}: {verdict}")
    warm = ScalingConfig(temperature=2.0)
    fresh("temperature moved", warm, warm.parts[1:])
    for settings in ({"std": 1.3}, {"num_keys": 43}, {"num_keys": 128}, {"dtype": "float32"}):
        config = ScalingConfig(**settings)
        fresh(f"{settings} moved", config, config.parts)


if __name__ == "__main__":
    main()
