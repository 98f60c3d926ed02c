"""How long ``identify`` takes, and how that grows: ``python -m benchmarks.identify``.

Seconds of one core (of this process, whatever else the machine does): for a right module as it widens, for each fault
alone and for drawn pairs of them, at d_model 64, 4 heads, 6 tokens. Budgets: a module without a fault 2 s, two faults
10 s.
"""

import argparse
import random
import time
from itertools import combinations

import torch

from attention_core.identify import CHOICES, identify
from tests.identify.plain import Plain

FAULTS = [
    (choice.key, value)
    for choice in CHOICES
    for option in choice.options
    for value in option.values
    if option.kind == "fault" and choice.key not in ("layout", "stored", "groups")
]
PAIRS = [pair for pair in combinations(FAULTS, 2) if pair[0][0] != pair[1][0]]


def seconds(d_model: int, heads: int, choices: dict[str, str]) -> float:
    """Seconds of one core."""
    torch.manual_seed(0)
    module = Plain(d_model, heads, **choices)
    start = time.process_time()
    identify(module, d_model, heads, max_seconds=3600)
    return time.process_time() - start


def summary(times: list[float]) -> str:
    """Median, the worst in a hundred and the worst."""
    times = sorted(times)
    return (
        f"median {times[len(times) // 2]:.1f} s, 95 % {times[int(len(times) * 0.95)]:.1f} s, worst {times[-1]:.1f} s"
    )


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.identify")
    parser.add_argument("--pairs", type=int, default=40, help="how many pairs of faults are drawn")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    seconds(64, 4, {})
    for d_model, heads in ((16, 2), (64, 4), (256, 8), (1024, 16)):
        right, causal = (
            seconds(d_model, heads, {}),
            seconds(d_model, heads, {"mask": "causal", "rotary": "halves:10000"}),
        )
        print(f"d_model {d_model}, {heads} heads: {right:.2f} s; causal, rotary: {causal:.2f} s", flush=True)
    print(f"one fault, {len(FAULTS)} of them: {summary([seconds(64, 4, dict([one])) for one in FAULTS])}", flush=True)
    drawn = random.Random(0).sample(PAIRS, asked.pairs)
    print(
        f"two faults, {len(drawn)} pairs drawn: {summary([seconds(64, 4, dict(pair)) for pair in drawn])}", flush=True
    )


if __name__ == "__main__":
    main()
