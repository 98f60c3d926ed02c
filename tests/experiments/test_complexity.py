"""Complexity: every count held to its formula, every switch to what it breaks, and code that counts again."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode, flop_registry

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.anatomy import AnatomyConfig, run_anatomy
from attention_core.studies.complexity import (
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    read_cell,
    run_complexity,
)
from attention_core.studies.complexity.count import count
from attention_core.studies.complexity.rearranged import rearrangements

# Every size a different prime (times the heads), so that no transposition can pass.
PRIMES = {"num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5}


def test_lines_of_primes_counted_by_hand() -> None:
    result = run_complexity(ComplexityConfig(**PRIMES))
    assert [(line.name, line.counted, line.written) for line in result.lines] == [
        ("q", 2 * 11 * 35 * 35, 11 * 35 * 8),
        ("k", 2 * 13 * 35 * 35, 13 * 35 * 8),
        ("v", 2 * 13 * 35 * 35, 13 * 35 * 8),
        ("scores", 2 * 11 * 13 * 35, 5 * 11 * 13 * 8),
        ("weights", 0, 5 * 11 * 13 * 8),
        ("context", 2 * 11 * 13 * 35, 11 * 35 * 8),
        ("output", 2 * 11 * 35 * 35, 11 * 35 * 8),
    ]
    assert result.core == 4 * 11 * 13 * 35
    assert result.total == sum(line.counted for line in result.lines)
    assert result.weights_bytes == 5 * 11 * 13 * 8
    assert result.exponentials == 5 * 11 * 13
    assert result.softmax == 0


@settings(max_examples=10)
@given(
    num_queries=st.integers(1, 40),
    num_keys=st.integers(1, 40),
    heads=st.integers(1, 5),
    size=st.integers(1, 9),
    large_heads=st.booleans(),
    no_output=st.booleans(),
    dtype=st.sampled_from(("float64", "float32", "bfloat16")),
)
def test_formula_and_counter_agree_on_any_layer(heads: int, size: int, **given: object) -> None:
    config = ComplexityConfig(num_heads=heads, d_model=heads * size, **given)
    result = run_complexity(config)
    for line in result.lines:
        assert (line.counted, line.written) == (line.flops, line.bytes), line.name
    assert result.core == config.core_flops
    assert result.total == config.flops == sum(line.counted for line in result.lines)
    assert (result.over_n == result.formula_over_n).all()
    assert all(not one.surprises for one in result.verdicts)


def test_counting_leaves_the_modules_of_other_threads_alone() -> None:
    hooks = torch.nn.modules.module._global_forward_pre_hooks
    seen = []
    count(lambda: seen.append(len(hooks)))
    assert seen == [len(hooks)]


def test_shapes_alone_count_what_the_device_counts() -> None:
    config = ComplexityConfig(**PRIMES)
    module = MultiHeadAttention(35, 5, dtype=torch.float64)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        module.trace(torch.ones(1, 11, 35, dtype=torch.float64), torch.ones(1, 13, 35, dtype=torch.float64))
    assert counter.get_total_flops() == run_complexity(config).total


def test_changes_that_make_up_for_one_another_leave_the_sum() -> None:
    both = {"fused": True, "large_heads": True, "num_heads": 2}
    level = ComplexityConfig(num_queries=16, num_keys=16, d_model=8, **both, device="cpu")
    for config, holds in ((level, True), (replace(level, num_keys=17), False)):
        result = run_complexity(config)
        assert result.verdict("cplx-mha").outcome == ("holds" if holds else "fails")
        assert result.verdict("cplx-core.flops").outcome == "fails"
        assert "counts it as 0" in result.verdict("cplx-mha").because


@pytest.mark.parametrize("large_heads", [False, True])
def test_the_formula_of_each_line_spells_its_number(large_heads: bool) -> None:
    config = ComplexityConfig(**PRIMES, large_heads=large_heads)
    values = {"n_t": 11, "n_s": 13, "d": 35, "d²": 35**2, "h": 5, "d_head": 14 if large_heads else 7}
    for line in run_complexity(config).lines:
        if line.name != "weights":
            factors = line.formula.replace("·", " ").split()
            assert math.prod(values.get(one) or int(one) for one in factors) == line.flops, line.formula


def test_another_fused_kernel_is_counted_as_the_counter_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on CUDA, where torch has formulas, and in half precision adds zeros until 8 divides the size of a head."""
    fused = F.scaled_dot_product_attention
    formula = flop_registry[torch.ops.aten._scaled_dot_product_flash_attention]
    monkeypatch.setitem(flop_registry, torch.ops.aten._scaled_dot_product_flash_attention_for_cpu, formula)

    def padded(*heads: Tensor | float | None, **options: Any) -> Tensor:
        wider = [F.pad(one, (0, -one.shape[-1] % 8)) for one in heads[:3]]
        return fused(*wider, *heads[3:], **options)[..., : heads[0].shape[-1]]

    for kernel, broken in ((fused, set()), (padded, {"cplx-core", "cplx-mha", "cplx-heads"})):
        monkeypatch.setattr("attention_core.modules.dot_product.F.scaled_dot_product_attention", kernel)
        result = run_complexity(ComplexityConfig(**PRIMES, fused=True, device="cpu"))
        assert result.core == 4 * 11 * 13 * 5 * (8 if broken else 7)
        assert not any(one.surprises for one in result.verdicts)
        assert {one.claim for one in result.verdicts if not one.holds} == broken
        assert all("the zeros behind 7 are counted" in one.because for one in result.verdicts if not one.holds)
        one = run_anatomy(AnatomyConfig(fused=True, heads=4, device="cpu")).verdict("cplx-core")
        assert one.outcome == ("fails" if broken else "holds")
    # With 14 keys the zeros cost what W_O would.
    level = {"num_queries": 7, "num_keys": 14, "d_model": 28, "num_heads": 7, "fused": True, "no_output": True}
    assert run_complexity(ComplexityConfig(**level, device="cpu")).verdict("cplx-heads").outcome == "holds"


def test_without_a_fused_kernel_the_counter_sees_all() -> None:
    with sdpa_kernel(SDPBackend.MATH):
        result = run_complexity(ComplexityConfig(**PRIMES, fused=True, device="cpu"))
    assert all(one.holds and not one.because for one in result.verdicts)


@pytest.mark.parametrize("d_model", [1, 7, 64, 1024])
def test_the_parts_cross_at_twice_the_width_and_without_an_output_matrix_at_one_and_a_half(d_model: int) -> None:
    sizes = {"num_queries": 3, "num_keys": 3, "d_model": d_model, "num_heads": 1}
    assert run_complexity(ComplexityConfig(**sizes)).crossing == 2 * d_model
    assert run_complexity(ComplexityConfig(**sizes, large_heads=True)).crossing == 2 * d_model
    without = run_complexity(ComplexityConfig(**sizes, no_output=True))
    assert without.crossing == math.ceil(1.5 * d_model)


def test_the_map_is_half_on_the_line_and_falls_to_either_side() -> None:
    result = run_complexity(ComplexityConfig(num_queries=64, num_keys=64, d_model=32))
    assert result.map_share.shape == (len(WIDTHS), len(TOKENS)) == (7, 9)
    for (row, column), share in np.ndenumerate(result.map_share):
        assert share == pytest.approx(TOKENS[column] / (TOKENS[column] + 2 * WIDTHS[row]))
    assert read_cell(1, 2) == {"d_model": 32, "num_queries": 64, "num_keys": 64}
    assert result.share == result.map_share[1, 2] == 0.5


# ---- what cutting and joining heads copies ----


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
        for batch, found in ((1, line.on_one_axis), (2, line.on_one_axis_of_two)):
            rows = torch.zeros(batch, tokens, width, dtype=config.torch_dtype)
            cut = rows.view(batch, tokens, heads, -1).transpose(1, 2)
            assert copied(rows, cut) == line.by_module == 0
            assert times * copied(rows, cut.reshape(batch * heads, tokens, -1)) // batch == found
    mixed = torch.zeros(1, heads, 5, config.d_head, dtype=config.torch_dtype)
    assert (
        joined.by_module
        == copied(mixed, mixed.transpose(1, 2).reshape(1, 5, width))
        == (heads > 1) * 5 * width * size
    )
    assert joined.on_one_axis == joined.on_one_axis_of_two == joined.by_module
