"""What cutting and joining heads copies: counted, and beside real tensors whose storage tells a view from a copy."""

import pytest
import torch

from attention_core.experiments.complexity import ComplexityConfig
from attention_core.experiments.complexity.rearranged import rearrangements


def copied(before: torch.Tensor, after: torch.Tensor) -> int:
    return 0 if after.data_ptr() == before.data_ptr() else after.nbytes


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize(("heads", "large"), [(1, False), (4, False), (4, True)])
def test_bytes_are_those_that_real_tensors_copy(heads: int, large: bool, dtype: str) -> None:
    config = ComplexityConfig(
        num_queries=5, num_keys=7, d_model=12, num_heads=heads, large_heads=large, dtype=dtype
    )  # fmt: skip
    q, kv, joined = rearrangements(config)
    size, width = config.torch_dtype.itemsize, config.width
    assert [line.numbers for line in (q, kv, joined)] == [5 * width, 14 * width, 5 * width]
    for line, tokens, times in ((q, 5, 1), (kv, 7, 2)):
        for batch, found in ((1, line.single), (2, line.double)):
            rows = torch.zeros(batch, tokens, width, dtype=config.torch_dtype)
            cut = rows.view(batch, tokens, heads, -1).transpose(1, 2)
            assert copied(rows, cut) == line.here == 0
            assert times * copied(rows, cut.reshape(batch * heads, tokens, -1)) // batch == found
    mixed = torch.zeros(1, heads, 5, config.d_head, dtype=config.torch_dtype)
    assert joined.here == copied(mixed, mixed.transpose(1, 2).reshape(1, 5, width)) == (heads > 1) * 5 * width * size
    assert joined.single == joined.double == joined.here


@pytest.mark.parametrize("switch", [{}, {"large_heads": True}, {"num_queries": 33, "num_keys": 7}])
def test_the_form_with_a_size_of_the_heads_own(switch: dict[str, object]) -> None:
    from attention_core.experiments.complexity import run_complexity

    config = ComplexityConfig(d_model=48, num_heads=4, **{"num_queries": 20, "num_keys": 20} | switch)
    n_t, n_s, d, width = config.num_queries, config.num_keys, 48, 4 * config.d_head
    by_hand = 2 * (n_t * d * width + 2 * n_s * d * width + 2 * n_t * n_s * width + n_t * width * d)
    verdict = run_complexity(config).verdict("cplx-heads")
    assert (verdict.measured, verdict.bound, verdict.outcome) == (by_hand, by_hand, "holds")
