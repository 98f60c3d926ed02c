"""All orders in one pass against a loop over them: ``python -m benchmarks.permutation``."""

import time
from collections.abc import Callable

import torch

from attention_core.studies.permutation import PermutationConfig
from attention_core.studies.permutation.module import Attention, orders_of

BUDGET = 5.0  # times faster than the loop
D_MODEL = 64


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
    orders, cases = orders_of(7, 0)
    print(f"{torch.get_num_threads()} threads · {cases} of 7 tokens, d_model {D_MODEL}, 4 heads")
    for dtype in ("float64", "float32"):
        attention = Attention(PermutationConfig(tokens=tuple("abcdefg"), dtype=dtype), d_model=D_MODEL)

        def together(attention: Attention = attention) -> torch.Tensor:
            return attention.outputs(orders, orders)

        def loop(attention: Attention = attention) -> torch.Tensor:
            return torch.cat([attention.outputs(order[None], order[None]) for order in orders])

        with torch.inference_mode():
            assert torch.allclose(together(), loop(), atol=1e-4)
            fast, slow = seconds(together, 9), seconds(loop, 2)
        ratio = f"{slow / fast:.1f} ≥ {BUDGET}: {'within' if slow / fast >= BUDGET else 'PAST'}"
        print(f"{dtype}: together {fast:.3f} s · loop over orders {slow:.3f} s · {ratio}")


if __name__ == "__main__":
    main()
